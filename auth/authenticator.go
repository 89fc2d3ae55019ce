package auth

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.org/backoffice/backoffice"
)

// A decision on a snapshot is at most staleAfter behind the store. With the time of one read, that keeps a revocation
// within the 5 seconds of the contract.
const (
	refreshAfter = 2 * time.Second        // older: a request starts a read, without waiting
	staleAfter   = 4 * time.Second        // older: a request waits for a new one
	retryAfter   = time.Second            // older: a failed sign-in starts a read
	pauseAfter   = 250 * time.Millisecond // after a failed read
	readTimeout  = 2 * time.Second
)

// Authenticator checks credentials without a store call per request: it keeps a snapshot of all of them, which requests
// refresh as it ages. It does no work without requests. Safe for concurrent use.
type Authenticator struct {
	// People, if set, checks access tokens. Set it before the first request.
	People People
	store  backoffice.CredentialStore
	now    func() time.Time

	current atomic.Pointer[snapshot]
	used    sync.Map // *use by client id
	ending  atomic.Int64

	mu       sync.Mutex
	reading  chan struct{} // closed after the read in progress
	lastTry  time.Time     // when the last read began
	lastErr  error         // of the last read
	reads    sync.WaitGroup
	inFlight inFlight

	life context.Context // of all reads; ended by Close
	end  context.CancelFunc
}

// snapshot is all credentials at one point in time; immutable.
type snapshot struct {
	taken       time.Time // when the read began
	credentials map[string]*known
}

type known struct {
	credential *backoffice.Credential
	used       *use
	secrets    [backoffice.MaxLiveSecrets]secret
}

type secret struct {
	principal *backoffice.Principal // nil for none
	sum       digest
	expires   backoffice.Instant
}

func (s *secret) live(at backoffice.Instant) bool {
	return s.principal != nil && (s.expires.IsZero() || at < s.expires)
}

// NewAuthenticator makes an authenticator that has read nothing yet. Close it.
func NewAuthenticator(store backoffice.CredentialStore) *Authenticator {
	life, end := context.WithCancel(context.Background())
	all := map[*activeRequest]struct{}{}
	return &Authenticator{store: store, now: time.Now, inFlight: inFlight{all: all}, life: life, end: end}
}

func (a *Authenticator) Close() {
	a.mu.Lock()
	a.end()
	a.mu.Unlock()
	a.reads.Wait()
}

// Authenticate returns the principal of a credential for a client at an address. Errors: Unauthenticated, the same
// error after the same work, when the credential is missing, unknown, revoked, expired, wrong or outside its networks;
// Unavailable when the snapshot is too old and the store cannot be read, or not before ctx's deadline.
func (a *Authenticator) Authenticate(
	ctx context.Context, from netip.Addr, clientID, secret string) (*backoffice.Principal, error) {
	now := a.now()
	known, err := a.fresh(ctx, now, staleAfter)
	if err != nil {
		return nil, err
	}
	sum := digestOf(secret)
	if principal := known.check(from, clientID, &sum, now); principal != nil {
		return principal, nil
	}
	// The credential or the secret may be newer than the snapshot. Every failure asks, whatever its reason.
	if newer, err := a.fresh(ctx, now, retryAfter); err == nil && newer != known {
		if principal := newer.check(from, clientID, &sum, now); principal != nil {
			return principal, nil
		}
	}
	return nil, errUnauthenticated
}

// The causes with which Revalidate ends a request.
var (
	ErrRightsChanged error = backoffice.Errorf(backoffice.Forbidden,
		"this caller's rights were changed; sign in again")
	errElsewhere error = backoffice.Errorf(backoffice.Unauthenticated,
		"this credential is no longer valid from this network")
	errEnded error = backoffice.Errorf(backoffice.Unauthenticated,
		"the credential or its secret was revoked or has expired")
)

// Revalidate decides whether a caller may continue something that lasts, and returns the caller as they are now. It
// ends with the secret or the token that signed in, and with any change of rights: half an answer with the old rights
// and half with the new would be neither. Errors: Authenticate's, ErrRightsChanged, Forbidden for a person without any.
func (a *Authenticator) Revalidate(
	ctx context.Context, began *backoffice.Principal) (now *backoffice.Principal, err error) {
	switch {
	case began == nil, began.Person != nil && a.People == nil:
		return nil, errUnauthenticated
	case began.Person != nil:
		now, err = a.People.Live(began)
	default:
		var networks backoffice.Networks
		switch now, networks, err = a.live(ctx, began.ClientID, began.Secret); {
		case errors.Is(err, errUnauthenticated):
			err = errEnded
		case err == nil && !networks.Admit(began.From):
			err = errElsewhere
		case err == nil:
			now = signedIn(now, began.From)
		}
	}
	if err == nil && !now.SameRights(began) {
		err = ErrRightsChanged
	}
	return now, err
}

// Linked returns the principal that a signed path was made for, by Principal.Link, when the client comes from one of
// its networks. Errors are those of Authenticate.
func (a *Authenticator) Linked(ctx context.Context, from netip.Addr, link string) (*backoffice.Principal, error) {
	if a.People != nil && strings.HasPrefix(link, backoffice.PersonPrefix) {
		return a.People.Linked(link)
	}
	clientID, secret, _ := strings.Cut(link, ".")
	principal, networks, err := a.live(ctx, clientID, secret)
	if err == nil && !networks.Admit(from) {
		return nil, errUnauthenticated
	}
	return signedIn(principal, from), err
}

// signedIn adds the client's address to a principal: a credential may get its first network while a request lasts.
func signedIn(principal *backoffice.Principal, from netip.Addr) *backoffice.Principal {
	if principal == nil {
		return nil
	}
	own := *principal
	own.From = from
	return &own
}

// live returns the principal of a secret, and the networks that it may sign in from.
func (a *Authenticator) live(
	ctx context.Context, clientID, name string) (*backoffice.Principal, backoffice.Networks, error) {
	now := a.now()
	known, err := a.fresh(ctx, now, staleAfter)
	if err != nil {
		return nil, backoffice.Networks{}, err
	}
	at := backoffice.InstantOf(now)
	if p, ok := known.credentials[clientID]; ok && p.credential.Live(at) {
		for i := range p.secrets {
			if s := &p.secrets[i]; s.live(at) && s.principal.Secret == name {
				return s.principal, p.credential.Networks, nil
			}
		}
	}
	return nil, backoffice.Networks{}, errUnauthenticated
}

// nobody replaces an unknown credential, so that it costs the same work.
var nobody = &known{credential: &backoffice.Credential{}}

// check compares the digest with both secrets of the credential, in constant time; nil when none matches.
func (s *snapshot) check(from netip.Addr, clientID string, sum *digest, now time.Time) *backoffice.Principal {
	p, ok := s.credentials[clientID]
	if !ok {
		p = nobody
	}
	at := backoffice.InstantOf(now)
	fits, which := 0, 0
	for i := range p.secrets {
		secret := &p.secrets[i]
		fit := subtle.ConstantTimeCompare(sum[:], secret.sum[:]) & bit(secret.live(at))
		fits, which = fits|fit, subtle.ConstantTimeSelect(fit, i, which)
	}
	if fits&bit(p.credential.Live(at))&bit(p.credential.Networks.Admit(from))&bit(ok) == 1 {
		p.used.note(now)
		return signedIn(p.secrets[which].principal, from)
	}
	return nil
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fresh returns a snapshot no older than limit. It waits for one if needed, and starts the next read in time.
func (a *Authenticator) fresh(ctx context.Context, now time.Time, limit time.Duration) (*snapshot, error) {
	known := a.current.Load()
	if known != nil && now.Sub(known.taken) < limit {
		if now.Sub(known.taken) >= refreshAfter {
			a.read(now, known)
		}
		return known, nil
	}
	for range 2 { // the first read may have begun too long ago
		if under := a.read(now, known); under != nil {
			select {
			case <-under:
			case <-ctx.Done():
				if errors.Is(ctx.Err(), context.DeadlineExceeded) { // the store takes too long
					return nil, undecided(ctx.Err())
				}
				return nil, backoffice.Fault(context.Cause(ctx), "waiting for credentials")
			}
		}
		if known = a.current.Load(); known != nil && now.Sub(known.taken) < limit {
			return known, nil
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return nil, undecided(a.lastErr)
}

func undecided(cause error) error {
	return &backoffice.Error{Kind: backoffice.Unavailable,
		Message: "credentials cannot be checked now; try again later",
		Cause:   fmt.Errorf("reading the credentials: %w", backoffice.Cause(cause))}
}

// read returns the read in progress, or starts one; nil if known is no longer the last, right after a failure, and when
// the authenticator is closed.
func (a *Authenticator) read(now time.Time, known *snapshot) chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.life.Err() != nil {
		a.lastErr = errors.New("the authenticator is closed")
		return nil
	}
	if a.reading != nil {
		return a.reading
	}
	if a.current.Load() != known || a.lastErr != nil && now.Sub(a.lastTry) < pauseAfter {
		return nil
	}
	under := make(chan struct{})
	a.reading, a.lastTry = under, now
	a.reads.Go(func() {
		taken, err := a.take(a.now())
		a.mu.Lock()
		if err == nil {
			a.current.Store(taken)
		}
		a.reading, a.lastErr = nil, err
		a.mu.Unlock()
		close(under)
	})
	return under
}

func (a *Authenticator) take(now time.Time) (_ *snapshot, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = backoffice.Recovered(broken)
		}
	}()
	ctx, cancel := context.WithTimeout(a.life, readTimeout)
	defer cancel()
	all, err := a.store.Credentials(ctx)
	if err != nil {
		return nil, err
	}
	taken := &snapshot{taken: now, credentials: make(map[string]*known, len(all))}
	before := cmp.Or(a.current.Load(), &snapshot{})
	for _, c := range all {
		if old := before.credentials[c.ID]; old != nil && old.credential.Restriction == c.Restriction {
			c.Restriction = old.credential.Restriction // with its text, of which the cache keeps each that it has seen
		}
		taken.credentials[c.ID] = a.ready(c)
	}
	return taken, nil
}

func (a *Authenticator) ready(c *backoffice.Credential) *known {
	p := &known{credential: c, used: a.useOf(c)}
	for i, s := range c.Secrets[:min(len(c.Secrets), len(p.secrets))] {
		if len(s.Digest) == len(p.secrets[i].sum) {
			p.secrets[i] = secret{principal: c.Principal(s.Name()), sum: digest(s.Digest), expires: s.ExpiresAt}
		}
	}
	return p
}
