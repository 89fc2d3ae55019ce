package auth

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memoryStore keeps the contract of backoffice.CredentialStore in memory.
type memoryStore struct {
	mu          sync.Mutex
	credentials map[string]backoffice.Credential
	uses        []string                        // what CredentialsUsed was told
	away        error                           // what CredentialsUsed answers
	reads       atomic.Int64                    // calls of Credentials
	block       func(ctx context.Context) error // at the start of Credentials
}

func newMemoryStore() *memoryStore {
	return &memoryStore{credentials: map[string]backoffice.Credential{}}
}

func copied(c backoffice.Credential) backoffice.Credential {
	c.Scopes, c.Secrets = slices.Clone(c.Scopes), slices.Clone(c.Secrets)
	return c
}

func (s *memoryStore) CreateCredential(_ context.Context, credential *backoffice.Credential) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.credentials[credential.ID]; taken {
		return backoffice.Refuse(&backoffice.UserError{Code: backoffice.CodeTaken, Message: "the client id exists"})
	}
	s.credentials[credential.ID] = copied(*credential)
	return nil
}

func (s *memoryStore) Credential(_ context.Context, clientID string) (*backoffice.Credential, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	credential, ok := s.credentials[clientID]
	if !ok {
		return nil, backoffice.Errorf(backoffice.NotFound, "no such credential")
	}
	credential = copied(credential)
	return &credential, nil
}

func (s *memoryStore) Credentials(ctx context.Context) ([]*backoffice.Credential, error) {
	s.reads.Add(1)
	if s.block != nil {
		if err := s.block(ctx); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*backoffice.Credential
	for _, credential := range s.credentials {
		credential = copied(credential)
		all = append(all, &credential)
	}
	slices.SortFunc(all, func(a, b *backoffice.Credential) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

func (s *memoryStore) UpdateCredential(_ context.Context, clientID string, change func(*backoffice.Credential) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	credential, ok := s.credentials[clientID]
	if !ok {
		return backoffice.Errorf(backoffice.NotFound, "no such credential")
	}
	credential = copied(credential)
	if err := change(&credential); err != nil {
		return err
	}
	s.credentials[clientID] = credential
	return nil
}

func (s *memoryStore) CredentialsUsed(_ context.Context, clientIDs []string, day backoffice.Instant) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away != nil {
		return s.away
	}
	for _, id := range clientIDs {
		s.uses = append(s.uses, id+" "+day.Time().Format(time.DateOnly))
		if credential, ok := s.credentials[id]; ok && credential.LastUsedAt < day {
			credential.LastUsedAt = day
			s.credentials[id] = credential
		}
	}
	return nil
}

// told returns what CredentialsUsed was told since told was asked, sorted.
func (s *memoryStore) told() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	told := s.uses
	s.uses = nil
	slices.Sort(told)
	return told
}

// somewhere is where requests of tests come from.
var somewhere = netip.MustParseAddr("192.0.2.1")

// clock is a time that moves when a test says so.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Now()} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// testAuthenticator reads from a store by a clock of its own.
func testAuthenticator(t testing.TB, store backoffice.CredentialStore) (*Authenticator, *clock) {
	t.Helper()
	a, c := NewAuthenticator(store), newClock()
	a.now = c.now
	t.Cleanup(a.Close)
	return a, c
}

func issue(t testing.TB, store backoffice.CredentialStore, scopes ...backoffice.Scope) (clientID, secret string) {
	t.Helper()
	credential, secret, err := Issue(context.Background(), store, "Pair", scopes, 0)
	if err != nil {
		t.Fatal(err)
	}
	return credential.ID, secret
}
