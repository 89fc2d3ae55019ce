package auth

import (
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

// A request decided on a snapshot is decided on what the store held at most staleAfter ago; with the time of one read
// that keeps a revocation within the 5 seconds of the contract.
const (
	refreshAfter = 2 * time.Second        // a request that finds an older snapshot has it read anew, without waiting
	staleAfter   = 4 * time.Second        // a request that finds an older one waits for the new one
	retryAfter   = time.Second            // a sign-in that failed has it read anew when it is older than this
	pauseAfter   = 250 * time.Millisecond // between two reads when the first has failed
	readTimeout  = 2 * time.Second
)

// Authenticator checks credential pairs without a store call per request: it keeps a snapshot of all pairs, which
// requests have read anew as it ages. There is no work while there are no requests. Safe for concurrent use.
type Authenticator struct {
	// People, if there is one, checks access tokens. It is set before the first request.
	People People

	store backoffice.CredentialStore
	now   func() time.Time

	current atomic.Pointer[snapshot]
	used    sync.Map // *use by client id

	mu      sync.Mutex
	reading *reading  // the read under way
	lastTry time.Time // when it, or the one before, began
	lastErr error     // of the last read that ended
	reads   sync.WaitGroup

	life context.Context // of all reads; ended by Close
	end  context.CancelFunc
}

// snapshot is all pairs as the store held them at a moment; it never changes.
type snapshot struct {
	taken time.Time // when the read began
	pairs map[string]*pair
}

// pair is a credential pair made ready to be checked.
type pair struct {
	principal  *backoffice.Principal
	credential *backoffice.Credential
	used       *use
	secrets    [backoffice.MaxLiveSecrets]secret
}

type secret struct {
	set     bool
	sum     digest
	expires backoffice.Instant
}

type reading struct{ done chan struct{} }

// NewAuthenticator makes an authenticator that has read nothing yet. Close it.
func NewAuthenticator(store backoffice.CredentialStore) *Authenticator {
	life, end := context.WithCancel(context.Background())
	return &Authenticator{store: store, now: time.Now, life: life, end: end}
}

// Close stops reading and waits for a read under way.
func (a *Authenticator) Close() {
	a.mu.Lock()
	a.end()
	a.mu.Unlock()
	a.reads.Wait()
}

// Authenticate returns the principal of a pair for a client at an address. Unauthenticated, one same error after the same work, when
// the pair is missing, unknown, revoked, expired, wrong or outside its networks; Unavailable when the store cannot be read, or not before ctx's deadline, and
// what is known is too old to decide on.
func (a *Authenticator) Authenticate(ctx context.Context, from netip.Addr, clientID, secret string) (*backoffice.Principal, error) {
	now := a.now()
	known, err := a.fresh(ctx, now, staleAfter)
	if err != nil {
		return nil, err
	}
	sum := digestOf(secret)
	if principal := known.check(from, clientID, &sum, now); principal != nil {
		return principal, nil
	}
	// The pair or the secret may be newer than the snapshot. Every failure asks so, whatever its reason.
	newer, err := a.fresh(ctx, now, retryAfter)
	if err != nil || newer == known {
		return nil, errUnauthenticated
	}
	if principal := newer.check(from, clientID, &sum, now); principal != nil {
		return principal, nil
	}
	return nil, errUnauthenticated
}

// Live returns the principal as it is now, for what it has begun and what ends with it. Errors are those of Authenticate, and
// Forbidden for a person to whom nothing is given any more.
func (a *Authenticator) Live(ctx context.Context, principal *backoffice.Principal) (*backoffice.Principal, error) {
	switch {
	case principal == nil, principal.Person != nil && a.People == nil:
		return nil, errUnauthenticated
	case principal.Person != nil:
		return a.People.Live(principal)
	}
	p, err := a.live(ctx, principal.ClientID)
	if err != nil {
		return nil, err
	}
	return p.principal, nil
}

// Linked returns the principal for whom a signed path was made, by Principal.Link, for somebody who comes with it: from one of a pair's
// networks. Errors are those of Live.
func (a *Authenticator) Linked(ctx context.Context, from netip.Addr, link string) (*backoffice.Principal, error) {
	if a.People != nil && strings.HasPrefix(link, backoffice.PersonPrefix) {
		return a.People.Linked(link)
	}
	p, err := a.live(ctx, link)
	if err != nil {
		return nil, err
	}
	if !p.credential.Networks.Admit(from) {
		return nil, errUnauthenticated
	}
	return p.principal, nil
}

func (a *Authenticator) live(ctx context.Context, clientID string) (*pair, error) {
	now := a.now()
	known, err := a.fresh(ctx, now, staleAfter)
	if err != nil {
		return nil, err
	}
	if p, ok := known.pairs[clientID]; ok && p.credential.Live(backoffice.InstantOf(now)) {
		return p, nil
	}
	return nil, errUnauthenticated
}

// nobody stands in for an unknown pair, so that it costs the same work.
var nobody = &pair{principal: &backoffice.Principal{}, credential: &backoffice.Credential{}}

// check compares the digest with both secrets of the pair, in constant time; nil when none fits.
func (s *snapshot) check(from netip.Addr, clientID string, sum *digest, now time.Time) *backoffice.Principal {
	p, ok := s.pairs[clientID]
	if !ok {
		p = nobody
	}
	at := backoffice.InstantOf(now)
	fits := 0
	for i := range p.secrets {
		secret := &p.secrets[i]
		live := secret.set && (secret.expires.IsZero() || at < secret.expires)
		fits |= subtle.ConstantTimeCompare(sum[:], secret.sum[:]) & bit(live)
	}
	if fits&bit(p.credential.Live(at))&bit(p.credential.Networks.Admit(from))&bit(ok) == 1 {
		p.used.note(now)
		return p.principal
	}
	return nil
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fresh returns a snapshot that is not older than limit, waiting for one where need be, and has one read when the one it
// returns is getting old.
func (a *Authenticator) fresh(ctx context.Context, now time.Time, limit time.Duration) (*snapshot, error) {
	known := a.current.Load()
	if known != nil {
		age := now.Sub(known.taken)
		if age < min(limit, refreshAfter) {
			return known, nil
		}
		if age < limit {
			a.read(now)
			return known, nil
		}
	}
	for range 2 { // the first read may have begun too long ago
		under := a.read(now)
		if under != nil {
			select {
			case <-under.done:
			case <-ctx.Done():
				if errors.Is(ctx.Err(), context.DeadlineExceeded) { // it is the store that takes too long
					return nil, undecided(ctx.Err())
				}
				return nil, backoffice.Fault(context.Cause(ctx), "waiting for the credential pairs")
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
	return &backoffice.Error{
		Kind:    backoffice.Unavailable,
		Message: "credential pairs cannot be checked now; try again later",
		Cause:   fmt.Errorf("reading the credential pairs: %w", backoffice.Why(cause)),
	}
}

// read begins to read the pairs, unless a read is under way, and returns it; nil when one has failed just now or the
// authenticator is closed.
func (a *Authenticator) read(now time.Time) *reading {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.life.Err() != nil {
		a.lastErr = errors.New("the authenticator is closed")
		return nil
	}
	if a.reading != nil {
		return a.reading
	}
	if a.lastErr != nil && now.Sub(a.lastTry) < pauseAfter {
		return nil
	}
	under := &reading{done: make(chan struct{})}
	a.reading, a.lastTry = under, now
	a.reads.Go(func() {
		taken, err := a.take(a.now())
		a.mu.Lock()
		if err == nil {
			a.current.Store(taken)
		}
		a.reading, a.lastErr = nil, err
		a.mu.Unlock()
		close(under.done)
	})
	return under
}

func (a *Authenticator) take(now time.Time) (_ *snapshot, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("panic: %v", broken)
		}
	}()
	ctx, cancel := context.WithTimeout(a.life, readTimeout)
	defer cancel()
	all, err := a.store.Credentials(ctx)
	if err != nil {
		return nil, err
	}
	taken := &snapshot{taken: now, pairs: make(map[string]*pair, len(all))}
	for _, c := range all {
		taken.pairs[c.ID] = a.ready(c)
	}
	return taken, nil
}

func (a *Authenticator) ready(c *backoffice.Credential) *pair {
	p := &pair{
		principal:  c.Principal(),
		credential: c,
		used:       a.useOf(c),
	}
	for i, s := range c.Secrets[:min(len(c.Secrets), len(p.secrets))] {
		if len(s.Digest) == len(p.secrets[i].sum) {
			p.secrets[i] = secret{set: true, sum: digest(s.Digest), expires: s.ExpiresAt}
		}
	}
	return p
}
