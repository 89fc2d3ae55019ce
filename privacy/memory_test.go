package privacy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"
	"testing"

	"example.org/backoffice/backoffice"
)

// memoryStore keeps the contract of backoffice.ConsultationStore in memory.
type memoryStore struct {
	mu      sync.Mutex
	heads   map[int64]backoffice.ConsultationHead
	entries []backoffice.Consultation // by chain and number
	appends int
	opens   int
	fail    func(call string) error // before anything is done
	lost    bool                    // the next append is done, and reported as failed
}

func newMemoryStore() *memoryStore {
	return &memoryStore{heads: map[int64]backoffice.ConsultationHead{}}
}

func (s *memoryStore) failing(call string) error {
	if s.fail == nil {
		return nil
	}
	return s.fail(call)
}

func (s *memoryStore) OpenConsultationChain(_ context.Context, seal func(int64) (backoffice.ConsultationHead, backoffice.ConsultationHead)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.failing("open"); err != nil {
		return err
	}
	s.opens++
	chain := s.heads[0].Count + 1
	if _, taken := s.heads[chain]; taken {
		return fmt.Errorf("chain number is taken: %w", backoffice.ErrRegisterChanged)
	}
	own, all := seal(chain)
	s.heads[chain], s.heads[0] = own, all
	return nil
}

func (s *memoryStore) AppendConsultations(_ context.Context, from, to backoffice.ConsultationHead, entries []*backoffice.Consultation) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.failing("append"); err != nil {
		return err
	}
	stored := s.heads[from.Chain]
	if stored.Count != from.Count || !slices.Equal(stored.MAC, from.MAC) {
		return fmt.Errorf("another head: %w", backoffice.ErrRegisterChanged)
	}
	s.appends++
	s.heads[to.Chain] = to
	for _, entry := range entries {
		s.entries = append(s.entries, *entry)
	}
	sort.SliceStable(s.entries, func(i, j int) bool { return before(position(s.entries[i]), position(s.entries[j])) })
	if s.lost {
		s.lost = false
		return errors.New("connection lost")
	}
	return nil
}

func (s *memoryStore) ListConsultations(_ context.Context, after backoffice.ConsultationPosition, limit int) ([]*backoffice.Consultation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := sort.Search(len(s.entries), func(i int) bool { return before(after, position(s.entries[i])) })
	var page []*backoffice.Consultation
	for _, entry := range s.entries[first:min(first+limit, len(s.entries))] {
		page = append(page, &entry)
	}
	return page, s.failing("entries")
}

func (s *memoryStore) ConsultationHeads(_ context.Context, from int64, limit int) ([]backoffice.ConsultationHead, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var page []backoffice.ConsultationHead
	for chain, head := range s.heads {
		if chain >= from {
			page = append(page, head)
		}
	}
	sort.Slice(page, func(i, j int) bool { return page[i].Chain < page[j].Chain })
	return page[:min(limit, len(page))], s.failing("heads")
}

func position(entry backoffice.Consultation) backoffice.ConsultationPosition {
	return backoffice.ConsultationPosition{Chain: entry.Chain, Number: entry.Number}
}

func before(a, b backoffice.ConsultationPosition) bool {
	return a.Chain < b.Chain || a.Chain == b.Chain && a.Number < b.Number
}

func testKeys(t testing.TB) *Keyset {
	t.Helper()
	keys, err := NewKeyset()
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

var (
	reader   = &backoffice.Principal{ClientID: "credential-1", Name: "Reader", Scopes: []backoffice.Scope{backoffice.PrivacyRead}}
	stranger = &backoffice.Principal{ClientID: "credential-2", Name: "Stranger", Scopes: []backoffice.Scope{backoffice.CustomersWrite}}
)

const number = "85073003328"

func sealed(t testing.TB, keys *Keyset, customer string, field backoffice.PrivacyField) SealedNumber {
	t.Helper()
	s, err := keys.Seal(customer, field, number)
	if err != nil {
		t.Fatal(err)
	}
	return SealedNumber{CustomerID: customer, Field: field, Number: s}
}
