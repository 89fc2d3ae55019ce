package people

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"example.org/backoffice/backoffice"
)

type Options struct {
	Issuer   string // its URL, as tokens spell it
	Audience string // what tokens are for when they are for this server
	Map      string // the path of the file that maps claims
	Links    Sealer
	Log      *slog.Logger
	Records  backoffice.Readers // have the users, labels and customers that a map names; nil: they are not looked for

	Now       func() time.Time  // nil is the clock
	Transport http.RoundTripper // nil is the usual one
}

// Sealer keeps what is written into a signed path from those who read it.
type Sealer interface {
	SealBriefly(name string, secret []byte) ([]byte, error)
	OpenSecret(name string, sealed []byte) ([]byte, error)
}

// mostTokens is how many tokens that were checked are known at one time.
const mostTokens = 10_000

// People checks the tokens of one issuer. Safe for concurrent use. Close it.
type People struct {
	options Options
	keys    *keys
	file    *mapFile
	known   *otter.Cache[[sha256.Size]byte, *verified]
}

// verified is a token that an issuer's key has signed, and that was good when it was checked.
type verified struct {
	subject, name string
	expires       time.Time
	claims        []byte
	mapped        atomic.Pointer[mapped]
}

// mapped is what a map made of a token.
type mapped struct {
	by        *Map
	principal *backoffice.Principal
	err       error
}

// New makes what checks tokens. It reads the map and asks the issuer for nothing yet: a server starts without it.
func New(o Options) (*People, error) {
	if o.Audience == "" || o.Map == "" {
		return nil, errors.New("--oidc-issuer, --oidc-audience and --oidc-map belong together; pass all three")
	}
	if err := checkURL(o.Issuer); err != nil || strings.Contains(o.Issuer, "?") {
		return nil, fmt.Errorf("--oidc-issuer: %w", cmp.Or(err, errURL))
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log = cmp.Or(o.Log, slog.Default())
	file, err := openMap(o)
	if err != nil {
		return nil, fmt.Errorf("--oidc-map: %w", err)
	}
	known, err := otter.New(&otter.Options[[sha256.Size]byte, *verified]{MaximumSize: mostTokens})
	if err != nil {
		return nil, err
	}
	return &People{options: o, keys: newKeys(o), file: file, known: known}, nil
}

// Close stops asking the issuer, and waits until nothing runs.
func (p *People) Close() {
	p.keys.close()
	p.known.StopAllGoroutines()
}

var errURL = errors.New("it is not a URL such as https://login.example.org/office")

// checkURL refuses what tokens and keys must not come from. Without TLS only a program on the same machine is trusted.
func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "":
		return errURL
	case u.Scheme == "https":
		return nil
	}
	if u.Scheme == "http" && (u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback()) {
		return nil
	}
	return errors.New("an issuer URL must start with https://")
}

// Authenticate implements auth.People. A token that was checked is known by its digest until it ends.
func (p *People) Authenticate(ctx context.Context, token string) (*backoffice.Principal, error) {
	digest := sha256.Sum256([]byte(token))
	v, known := p.known.GetIfPresent(digest)
	var claims map[string]any
	if !known {
		var err error
		if v, claims, err = p.check(ctx, token); err != nil {
			return nil, err
		}
		p.known.Set(digest, v)
	}
	principal, err := p.as(v, claims)
	if known && errors.Is(err, errEnded) {
		p.known.Invalidate(digest)
	}
	return principal, err
}

func (p *People) Live(person *backoffice.Principal) (*backoffice.Principal, error) {
	switch claims := person.Person.Claims.(type) {
	case *verified:
		return p.as(claims, nil)
	case *link:
		return p.linked(claims, person.Person.Link)
	}
	return nil, errForeign
}

// as is whom a token makes of its bearer now. Its claims are nil where they were not just read: they are not kept as
// they are read, which takes four times the memory.
func (p *People) as(v *verified, claims map[string]any) (*backoffice.Principal, error) {
	if !p.options.Now().Before(v.expires.Add(skew)) {
		return nil, errEnded
	}
	current := p.file.current()
	if done := v.mapped.Load(); done != nil && done.by == current {
		return done.principal, done.err
	}
	done := &mapped{by: current}
	if claims == nil {
		var err error
		if claims, err = claimsOf(v.claims); err != nil {
			return nil, errClaims
		}
	}
	done.principal, done.err = p.principal(v, claims, current)
	if backoffice.KindOf(done.err) != backoffice.Unavailable {
		v.mapped.Store(done)
	}
	return done.principal, done.err
}

func (p *People) principal(v *verified, claims map[string]any, by *Map) (*backoffice.Principal, error) {
	of := &link{Subject: v.subject, Name: v.name, Expires: v.expires.Unix(), Rules: by.match(claims), Map: by.digest[:]}
	principal, err := p.granted(of, by)
	if err != nil {
		return nil, err
	}
	principal.Person.Claims = v
	principal.Person.Link, err = p.seal(of)
	return principal, err
}

// granted is a person with what some rules of a map give.
func (p *People) granted(of *link, by *Map) (*backoffice.Principal, error) {
	if by.deny[of.Subject] {
		return nil, errDenied
	}
	scopes, restriction, err := by.give(of.Rules)
	if err != nil {
		return nil, err
	}
	return &backoffice.Principal{
		ClientID: backoffice.PersonID(p.options.Issuer, of.Subject), Name: of.Name, Scopes: scopes,
		Restriction: restriction, ExpiresAt: backoffice.InstantOf(time.Unix(of.Expires, 0)),
		Person: &backoffice.Person{Issuer: p.options.Issuer, Subject: of.Subject, Claims: of},
	}, nil
}
