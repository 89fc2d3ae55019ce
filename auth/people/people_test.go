package people_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.org/backoffice/auth"
	"example.org/backoffice/auth/people"
	"example.org/backoffice/auth/people/peopletest"
	"example.org/backoffice/backoffice"
)

// open seals nothing, so that a test can look into it.
type open struct{}

func (open) SealBriefly(_ string, secret []byte) ([]byte, error) { return bytes.Clone(secret), nil }
func (open) OpenSecret(_ string, sealed []byte) ([]byte, error)  { return sealed, nil }

// clock is time that a test moves on.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time       { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) move(d time.Duration) { c.ahead.Add(int64(d)) }

// desk is where people sign in.
type desk struct {
	*people.People
	*peopletest.Issuer
	clock
	path string
	log  bytes.Buffer
}

const usual = `{"rules": [
	{"claim": "groups", "value": "managers", "scopes": ["privacy.read", "customers.write"]},
	{"claim": "groups", "value": "north", "scopes": ["customers.write"], "onlyLabel": ["label-north"]},
	{"claim": "groups", "value": "year", "scopes": ["minfin.read"], "onlyYear": ["2025"]},
	{"claim": "/realm/roles", "value": "keeper", "scopes": ["settings.write"]},
	{"claim": "scope", "value": "office", "scopes": ["users.write"]}
], "deny": ["gone"]}`

func newDesk(t testing.TB, algorithm jose.SignatureAlgorithm, text string) *desk {
	t.Helper()
	d := &desk{Issuer: peopletest.New(t, algorithm), path: peopletest.Map(t, text)}
	var err error
	d.People, err = people.New(people.Options{Issuer: d.URL, Audience: peopletest.Audience, Map: d.path, Links: open{}, Now: d.now, Log: slog.New(slog.NewTextHandler(&d.log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func groups(names ...string) map[string]any { return map[string]any{"groups": names} }

func TestAPersonHasWhatTheRulesGiveThatTheirClaimsMeet(t *testing.T) {
	t.Parallel()
	for _, algorithm := range []jose.SignatureAlgorithm{jose.ES256, jose.RS256} {
		d := newDesk(t, algorithm, usual)
		for name, of := range map[string]struct {
			claims map[string]any
			scopes string
			seen   string
		}{
			"one rule":               {groups("managers", "others"), "privacy.read customers.write", ""},
			"a claim of one text":    {map[string]any{"groups": "managers"}, "privacy.read customers.write", ""},
			"a restriction":          {groups("north"), "customers.write", `{"labels":["label-north"]}`},
			"two are alternatives":   {groups("north", "year"), "customers.write minfin.read", `[{"years":["2025"]},{"labels":["label-north"]}]`},
			"one that restricts not": {groups("north", "year", "managers"), "privacy.read customers.write minfin.read", ""},
			"a claim within others":  {map[string]any{"realm": map[string]any{"roles": []string{"keeper"}}}, "settings.write", ""},
			"a list of scopes":       {map[string]any{"scope": "openid office"}, "users.write", ""},
		} {
			principal, err := d.Authenticate(t.Context(), d.Token(t, "an", of.claims))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if got := strings.Join(backoffice.NamesOf(principal.Scopes), " "); got != of.scopes || principal.Restriction.String() != of.seen {
				t.Errorf("%s: %s, %s", name, got, principal.Restriction)
			}
			if principal.Name != "Name of an" || principal.Person.Subject != "an" || principal.Person.Issuer != d.URL || principal.ClientID != backoffice.PersonID(d.URL, "an") || backoffice.CheckID(principal.ClientID) != nil || principal.ExpiresAt.IsZero() {
				t.Errorf("%s: %+v", name, principal)
			}
		}
		if d.Asked() != 1 {
			t.Errorf("the keys were read %d times", d.Asked())
		}
	}
}

func TestATokenIsRefusedForAnythingThatIsNotAsItHasToBe(t *testing.T) {
	t.Parallel()
	d := newDesk(t, jose.RS256, usual)
	now := time.Now()
	claims := func(others map[string]any) map[string]any {
		all := d.Claims("an", now, groups("managers"))
		for name, value := range others {
			if all[name] = value; value == nil {
				delete(all, name)
			}
		}
		return all
	}
	key := d.Key()
	public, err := x509.MarshalPKIXPublicKey(key.Public().Key)
	if err != nil {
		t.Fatal(err)
	}
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	good := d.Sign(t, "at+jwt", claims(nil))
	parts := strings.Split(good, ".")
	text := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(b)
	}
	signed := func(typ string, others map[string]any) string { return d.Sign(t, typ, claims(others)) }
	for name, token := range map[string]string{
		"nothing":                            "",
		"no token":                           "abc",
		"another issuer":                     signed("at+jwt", map[string]any{"iss": d.URL + "/"}),
		"no issuer":                          signed("at+jwt", map[string]any{"iss": nil}),
		"another audience":                   signed("at+jwt", map[string]any{"aud": "backoffice2"}),
		"no audience":                        signed("at+jwt", map[string]any{"aud": nil}),
		"no subject":                         signed("at+jwt", map[string]any{"sub": nil}),
		"an empty subject":                   signed("at+jwt", map[string]any{"sub": ""}),
		"a subject that is a number":         signed("at+jwt", map[string]any{"sub": 7}),
		"a subject with a line end":          signed("at+jwt", map[string]any{"sub": "an\nadmin"}),
		"no iat":                             signed("at+jwt", map[string]any{"iat": nil}),
		"no exp":                             signed("at+jwt", map[string]any{"exp": nil}),
		"an exp that is a text":              signed("at+jwt", map[string]any{"exp": "2030-01-01"}),
		"an exp beyond all time":             signed("at+jwt", map[string]any{"exp": 1e300}),
		"16 minutes":                         signed("at+jwt", map[string]any{"exp": now.Add(16 * time.Minute).Unix()}),
		"ended before it began":              signed("at+jwt", map[string]any{"exp": now.Add(-time.Second).Unix(), "iat": now.Unix()}),
		"ended more than a minute ago":       signed("at+jwt", map[string]any{"iat": now.Add(-10 * time.Minute).Unix(), "exp": now.Add(-62 * time.Second).Unix()}),
		"issued in more than a minute":       signed("at+jwt", map[string]any{"iat": now.Add(70 * time.Second).Unix()}),
		"not before, in more than a minute":  signed("at+jwt", map[string]any{"nbf": now.Add(70 * time.Second).Unix()}),
		"an ID token by its type":            signed("id_token", nil),
		"a type of something else":           signed("logout+jwt", nil),
		"no type":                            signed("", nil),
		"algorithm none":                     text(map[string]string{"alg": "none", "typ": "at+jwt"}) + "." + parts[1] + ".",
		"algorithm None, with the signature": text(map[string]string{"alg": "None", "typ": "at+jwt", "kid": key.KeyID}) + "." + parts[1] + "." + parts[2],
		"a secret that is the public key":    peopletest.Sign(t, jose.HS256, jose.JSONWebKey{Key: public, KeyID: key.KeyID}, "at+jwt", claims(nil)),
		"a secret that the issuer published": peopletest.Sign(t, jose.HS256, jose.JSONWebKey{Key: []byte("a secret that nobody publishes, but for this one"), KeyID: "secret"}, "at+jwt", claims(nil)),
		"another's key under the same name":  peopletest.Sign(t, jose.RS256, jose.JSONWebKey{Key: other, KeyID: key.KeyID}, "at+jwt", claims(nil)),
		"another's key without a name":       peopletest.Sign(t, jose.RS256, other, "at+jwt", claims(nil)),
		"the key by another algorithm":       peopletest.Sign(t, jose.PS256, jose.JSONWebKey{Key: key.Key, KeyID: key.KeyID}, "at+jwt", claims(nil)),
		"other claims under the signature":   parts[0] + "." + text(claims(map[string]any{"sub": "admin"})) + "." + parts[2],
		"a cut signature":                    good[:len(good)-3],
		"a part too many":                    good + ".e30",
		"the same as JSON":                   `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`,
		"somebody denied":                    d.Token(t, "gone", groups("managers")),
	} {
		principal, err := d.Authenticate(t.Context(), token)
		if backoffice.KindOf(err) != backoffice.Unauthenticated {
			t.Errorf("%s: %+v, %v", name, principal, err)
		}
		if ended := name == "ended more than a minute ago"; errors.Is(err, auth.ErrTokenEnded) != ended {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, token := range map[string]string{
		"no group":            d.Token(t, "an", nil),
		"a group of no rule":  d.Token(t, "an", groups("guests")),
		"a claim of no form":  d.Token(t, "an", map[string]any{"groups": map[string]bool{"managers": true}}),
		"a part of the value": d.Token(t, "an", groups("manager", "managers ")),
	} {
		if principal, err := d.Authenticate(t.Context(), token); backoffice.KindOf(err) != backoffice.Forbidden {
			t.Errorf("%s: %+v, %v", name, principal, err)
		}
	}
	for name, token := range map[string]string{
		"as it is":                         good,
		"the long name of the type":        signed("application/at+jwt", nil),
		"the type in capitals":             signed("AT+JWT", nil),
		"the type of any":                  signed("JWT", nil),
		"an audience that is one text":     signed("at+jwt", map[string]any{"aud": peopletest.Audience}),
		"15 minutes":                       signed("at+jwt", map[string]any{"exp": now.Add(15 * time.Minute).Unix()}),
		"issued in less than a minute":     signed("at+jwt", map[string]any{"iat": now.Add(50 * time.Second).Unix()}),
		"ended less than a minute ago":     signed("at+jwt", map[string]any{"iat": now.Add(-10 * time.Minute).Unix(), "exp": now.Add(-50 * time.Second).Unix()}),
		"a fraction of a second":           signed("at+jwt", map[string]any{"iat": float64(now.UnixMilli()) / 1000}),
		"a key without a name":             peopletest.Sign(t, jose.RS256, key.Key, "at+jwt", claims(nil)),
		"a name that is none, for another": signed("at+jwt", map[string]any{"name": "a\nb", "preferred_username": "Name of an"}),
	} {
		if principal, err := d.Authenticate(t.Context(), token); err != nil || principal.Name != "Name of an" {
			t.Errorf("%s: %+v, %v", name, principal, err)
		}
	}
}

func TestATokenThatWasCheckedEndsWithItsTimeAndWithTheMap(t *testing.T) {
	t.Parallel()
	d := newDesk(t, jose.ES256, usual)
	token := d.Token(t, "an", groups("north"))
	first, err := d.Authenticate(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := d.Authenticate(t.Context(), token); err != nil || again != first {
		t.Errorf("%+v, %v", again, err)
	}
	linked, err := d.Linked(first.Link())
	if err != nil || linked.ClientID != first.ClientID || linked.Restriction != first.Restriction || linked.Link() != first.Link() {
		t.Fatalf("%+v, %v", linked, err)
	}

	d.move(2 * time.Second)
	peopletest.Write(t, d.path, strings.ReplaceAll(usual, "label-north", "label-south"))
	if now, err := d.Live(first); err != nil || now.Restriction.String() != `{"labels":["label-south"]}` || now.ClientID != first.ClientID {
		t.Errorf("%+v, %v", now, err)
	}
	if _, err := d.Live(linked); backoffice.KindOf(err) != backoffice.Unauthenticated {
		t.Errorf("what the map gave before: %v", err)
	}

	d.move(2 * time.Second)
	peopletest.Write(t, d.path, `{"rules": [{"claim": "groups", "value": "north", "onlyLable": ["label-south"]}]}`)
	for range 3 {
		if now, err := d.Live(first); err != nil || now.Restriction.String() != `{"labels":["label-south"]}` {
			t.Errorf("a map that cannot be read: %+v, %v", now, err)
		}
		d.move(2 * time.Second)
	}
	if log := d.log.String(); strings.Count(log, "WARN") != 1 || !strings.Contains(log, "rule 1") || strings.Contains(log, "onlyLable") || strings.Contains(log, "label-south") {
		t.Errorf("the log says %s", log)
	}

	peopletest.Write(t, d.path, strings.ReplaceAll(usual, `"gone"`, `"an"`))
	for name, is := range map[string]error{"live": second(d.Live(first)), "by the token": second(d.Authenticate(t.Context(), token))} {
		if backoffice.KindOf(is) != backoffice.Unauthenticated || errors.Is(is, auth.ErrTokenEnded) {
			t.Errorf("denied, %s: %v", name, is)
		}
	}
	d.move(2 * time.Second)
	peopletest.Write(t, d.path, strings.ReplaceAll(usual, `"north"`, `"south"`))
	if _, err := d.Live(first); backoffice.KindOf(err) != backoffice.Forbidden {
		t.Errorf("no rule any more: %v", err)
	}
	d.move(2 * time.Second)
	peopletest.Write(t, d.path, usual)
	if linked, err = d.Linked(first.Link()); err != nil {
		t.Error(err)
	}
	d.move(10 * time.Minute)
	if _, err := d.Live(first); err != nil {
		t.Errorf("within the skew: %v", err)
	}
	d.move(51 * time.Second)
	for name, is := range map[string]error{"live": second(d.Live(first)), "by the token": second(d.Authenticate(t.Context(), token)), "again": second(d.Authenticate(t.Context(), token)), "by a link": second(d.Linked(linked.Link()))} {
		if !errors.Is(is, auth.ErrTokenEnded) {
			t.Errorf("ended, %s: %v", name, is)
		}
	}
}

func second(_ *backoffice.Principal, err error) error { return err }

func TestKeysAreAskedForAnewWhenTheyTurnAndNotForEveryTokenOfAStranger(t *testing.T) {
	t.Parallel()
	d := newDesk(t, jose.ES256, usual)
	before := d.Token(t, "an", groups("managers"))
	if _, err := d.Authenticate(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	d.Turn(t, jose.ES256)
	d.move(time.Minute)
	if _, err := d.Authenticate(t.Context(), d.Token(t, "bea", groups("managers"))); err != nil || d.Asked() != 2 {
		t.Errorf("the new key: %v, read %d times", err, d.Asked())
	}
	stranger := peopletest.New(t, jose.ES256)
	claims := d.Claims("an", time.Now(), groups("managers"))
	for i := range 20 {
		stranger.Turn(t, jose.ES256)
		if _, err := d.Authenticate(t.Context(), stranger.Sign(t, "at+jwt", claims)); backoffice.KindOf(err) != backoffice.Unauthenticated {
			t.Errorf("a stranger: %v", err)
		}
		if i == 9 {
			d.move(11 * time.Second)
		}
	}
	if d.Asked() != 3 {
		t.Errorf("the keys were read %d times", d.Asked())
	}
	d.move(time.Minute)
	if _, err := d.Authenticate(t.Context(), before); err != nil { // it is known
		t.Error(err)
	}
	if _, err := d.Authenticate(t.Context(), d.Token(t, "cis", groups("managers"))); err != nil {
		t.Error(err)
	}
}

func TestAnIssuerThatIsAwayMattersForThoseAloneWhoseKeyIsNotKnown(t *testing.T) {
	t.Parallel()
	d := newDesk(t, jose.ES256, usual)
	d.Away(true)
	_, err := d.Authenticate(t.Context(), d.Token(t, "an", groups("managers")))
	if known, ok := errors.AsType[*backoffice.Error](err); !ok || known.Kind != backoffice.Unavailable || known.Cause == nil {
		t.Fatalf("no key is known: %v", err)
	}
	if _, err := d.Reach(t.Context()); err == nil {
		t.Error("it is said to be reached")
	}
	d.Away(false)
	d.move(2 * time.Second)
	if _, err := d.Authenticate(t.Context(), d.Token(t, "an", groups("managers"))); err != nil {
		t.Fatal(err)
	}
	d.Away(true)
	d.move(time.Minute)
	if _, err := d.Authenticate(t.Context(), d.Token(t, "bea", groups("managers"))); err != nil {
		t.Errorf("its key is known: %v", err)
	}
	known := d.Key()
	d.Turn(t, jose.ES256)
	if _, err := d.Authenticate(t.Context(), d.Token(t, "bea", groups("managers"))); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Errorf("its key is not known: %v", err)
	}
	d.Away(false)
	d.move(2 * time.Hour)
	old := peopletest.Sign(t, jose.ES256, known, "at+jwt", d.Claims("cis", d.now(), groups("managers")))
	if _, err := d.Authenticate(t.Context(), old); backoffice.KindOf(err) != backoffice.Unauthenticated {
		t.Errorf("a key of two hours ago, which the issuer has no more: %v", err)
	}
}

func TestWhereTheIssuerGivesTokensIsKnownOnceItWasAsked(t *testing.T) {
	t.Parallel()
	d := newDesk(t, jose.ES256, usual)
	d.Away(true)
	if at := d.TokenEndpoint(t.Context()); at != "" {
		t.Errorf("%q of an issuer that is away", at)
	}
	d.Away(false)
	d.move(2 * time.Second)
	for range 2 {
		if at := d.TokenEndpoint(t.Context()); at != d.URL+"/token" {
			t.Errorf("%q", at)
		}
		d.Away(true)
		d.move(2 * time.Hour)
	}
}

func TestWhoeverLeavesIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	d := newDesk(t, jose.ES256, usual)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Authenticate(ctx, d.Token(t, "an", groups("managers"))); err == nil {
		t.Error("somebody was let in who had left")
	}
}

func TestAnIssuerWithoutTLSIsRefusedUnlessItIsOnThisMachine(t *testing.T) {
	t.Parallel()
	path := peopletest.Map(t, usual)
	for _, issuer := range []string{"", "login.example.org", "http://login.example.org", "ftp://login.example.org", "https://", "https://a:b@login.example.org", "https://login.example.org?x=1", "https://login.example.org?", "https://login.example.org#x"} {
		if p, err := people.New(people.Options{Issuer: issuer, Audience: "a", Map: path}); err == nil {
			p.Close()
			t.Errorf("%q is taken", issuer)
		}
	}
	for _, issuer := range []string{"https://login.example.org/office", "http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1"} {
		p, err := people.New(people.Options{Issuer: issuer, Audience: "a", Map: path})
		if err != nil {
			t.Errorf("%q: %v", issuer, err)
			continue
		}
		p.Close()
	}
	for _, o := range []people.Options{{Issuer: "https://login.example.org", Map: path}, {Issuer: "https://login.example.org", Audience: "a"}, {Issuer: "https://login.example.org", Audience: "a", Map: path + ".none"}} {
		if p, err := people.New(o); err == nil {
			p.Close()
			t.Errorf("%+v is taken", o)
		}
	}
}
