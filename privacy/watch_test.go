package privacy

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
)

// state is all that a store holds, to be put back.
func (s *memoryStore) state() (heads map[int64]backoffice.ConsultationHead, entries []backoffice.Consultation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.heads), slices.Clone(s.entries)
}

func (s *memoryStore) putBack(heads map[int64]backoffice.ConsultationHead, entries []backoffice.Consultation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heads, s.entries = maps.Clone(heads), slices.Clone(entries)
}

func testReceipts(t testing.TB) (receipts backoffice.ReceiptStore, folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "receipts")
	receipts, err := files.OpenReceipts(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	return receipts, folder
}

// against checks a register against its receipts.
func against(t testing.TB, keys *Keyset, store *memoryStore, receipts backoffice.ReceiptStore) (problems []string, count int) {
	t.Helper()
	count, err := keys.VerifyReceipts(t.Context(), store, receipts, func(p Problem) { problems = append(problems, p.String()) })
	if err != nil {
		t.Fatal(err)
	}
	return problems, count
}

func TestReceiptsShowWhatTheChainsThemselvesCannot(t *testing.T) {
	t.Parallel()
	for name, attack := range map[string]struct {
		say  string
		does func(store *memoryStore, heads map[int64]backoffice.ConsultationHead, entries []backoffice.Consultation)
	}{
		"an older state of everything": {"entry 8 is gone", (*memoryStore).putBack},
		"one chain with its head": {"entry 8 is gone", func(store *memoryStore, heads map[int64]backoffice.ConsultationHead, _ []backoffice.Consultation) {
			_, all := store.state()
			all = slices.DeleteFunc(all, func(e backoffice.Consultation) bool { return e.Chain == 1 && e.Number > heads[1].Count })
			now, _ := store.state()
			now[1] = heads[1]
			store.putBack(now, all)
		}},
		"nothing at all": {"emptied", func(store *memoryStore, _ map[int64]backoffice.ConsultationHead, _ []backoffice.Consultation) {
			store.putBack(map[int64]backoffice.ConsultationHead{}, nil)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys, store := testKeys(t), newMemoryStore()
			receipts, _ := testReceipts(t)
			first, second := NewVault(keys, store), NewVault(keys, store)
			write := func(vault *Vault, n int) {
				t.Helper()
				consult(t, vault, n)
				if err := vault.WriteReceipts(t.Context(), receipts); err != nil {
					t.Fatal(err)
				}
				time.Sleep(2 * time.Millisecond) // receipts are named by the millisecond
			}
			write(first, 5)
			heads, entries := store.state()
			write(first, 3)
			write(second, 2)
			if problems, count := against(t, keys, store, receipts); len(problems) != 0 || count != 3 {
				t.Fatalf("%d receipts: %v", count, problems)
			}
			attack.does(store, heads, entries)
			if problems, _ := verify(t, keys, store); len(problems) != 0 {
				t.Fatalf("the chains alone show it: %v", problems)
			}
			if problems, _ := against(t, keys, store, receipts); !strings.Contains(strings.Join(problems, "\n"), attack.say) {
				t.Errorf("the receipts show %q", problems)
			}

			// And the next process says so when it starts.
			next := NewVault(keys, store)
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { defer close(ended); next.Watch(ctx, receipts, time.Hour) }()
			for range 2_000 {
				if len(next.Alarms()) > 0 {
					break
				}
				time.Sleep(5 * time.Millisecond)
			}
			stop()
			<-ended
			if alarms := next.Alarms(); !strings.Contains(strings.Join(alarms, "\n"), attack.say) {
				t.Errorf("at its start it says %q", alarms)
			}
		})
	}
}

func TestAReceiptThatWasChangedOrTakenAwayIsNoticed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		does func(names []string) error
		say  string
	}{
		"changed": {func(names []string) error {
			content, err := os.ReadFile(names[1])
			return errors.Join(err, os.WriteFile(names[1], []byte(strings.Replace(string(content), `"count":2`, `"count":1`, 1)), 0o600))
		}, "it was changed"},
		"cut off":    {func(names []string) error { return os.Truncate(names[1], 40) }, "not a receipt, or cut off"},
		"taken away": {func(names []string) error { return os.Remove(names[1]) }, "the previous receipt is missing"},
		"renamed": {func(names []string) error {
			return os.Rename(names[1], strings.Replace(names[1], "entry2", "entry1", 1))
		}, "it was renamed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys, store := testKeys(t), newMemoryStore()
			receipts, folder := testReceipts(t)
			vault := NewVault(keys, store)
			for range 3 {
				consult(t, vault, 1)
				if err := vault.WriteReceipts(t.Context(), receipts); err != nil {
					t.Fatal(err)
				}
				time.Sleep(2 * time.Millisecond)
			}
			names, err := receipts.Names(t.Context())
			if err != nil || len(names) != 3 {
				t.Fatal(names, err)
			}
			for i := range names {
				names[i] = filepath.Join(folder, filepath.FromSlash(names[i]))
			}
			if err := c.does(names); err != nil {
				t.Fatal(err)
			}
			if problems, _ := against(t, keys, store, receipts); !strings.Contains(strings.Join(problems, "\n"), c.say) {
				t.Errorf("%v", problems)
			}
		})
	}
}

func TestReceiptsOutliveTheLossOfTheStore(t *testing.T) {
	t.Parallel()
	keys, lost := testKeys(t), newMemoryStore()
	receipts, _ := testReceipts(t)
	old := NewVault(keys, lost)
	consult(t, old, 4)
	if err := old.WriteReceipts(t.Context(), receipts); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Millisecond)
	before, err := receipts.Names(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fresh := newMemoryStore()
	vault := NewVault(keys, fresh)
	consult(t, vault, 4) // the same chain and entries by number
	if err := vault.WriteReceipts(t.Context(), receipts); err != nil {
		t.Fatal(err)
	}
	after, err := receipts.Names(t.Context())
	if err != nil || len(after) != len(before)+1 {
		t.Fatalf("%v, then %v: %v", before, after, err)
	}
	if len(vault.Alarms()) == 0 {
		t.Error("nobody says that the receipts are of a register that is gone")
	}
	if problems, count := against(t, keys, lost, receipts); count != 2 || len(problems) != 1 {
		t.Errorf("of %d receipts the lost register lacks %v", count, problems)
	}
}

func TestAMinuteWithoutEntriesHasNoReceiptAndTheLastEntriesHaveOne(t *testing.T) {
	t.Parallel()
	keys, store := testKeys(t), newMemoryStore()
	receipts, _ := testReceipts(t)
	vault := NewVault(keys, store)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); vault.Watch(ctx, receipts, time.Millisecond) }()
	written := func() int {
		names, err := receipts.Names(t.Context())
		if err != nil {
			t.Error(err)
		}
		return len(names)
	}
	for n := 1; n <= 3; n++ {
		consult(t, vault, 1)
		for written() < n {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond) // periods without an entry
		if got := written(); got != n {
			t.Fatalf("%d receipts after %d entries", got, n)
		}
	}
	stop()
	<-ended
	consult(t, vault, 2)
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	vault.Watch(stopped, receipts, time.Hour)
	if problems, count := against(t, keys, store, receipts); count != 4 || len(problems) != 0 {
		t.Errorf("%d receipts: %v", count, problems)
	}
}

func TestAServerSaysWhatWasDoneToItsRegister(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		does func(*memoryStore)
		say  string
	}{
		"emptied": {func(s *memoryStore) { s.putBack(map[int64]backoffice.ConsultationHead{}, nil) }, "emptied"},
		"put back": {func(s *memoryStore) {
			heads, entries := s.state()
			older := heads[1]
			older.Count, older.Last = 1, entries[0].MAC
			heads[1] = older
			s.putBack(heads, entries[:1])
		}, "counts 1 entries, but this server wrote 3"},
		"written on": {func(s *memoryStore) {
			heads, entries := s.state()
			head := heads[1]
			head.MAC = []byte("another")
			heads[1] = head
			s.putBack(heads, entries)
		}, "was changed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys, store := testKeys(t), newMemoryStore()
			vault := NewVault(keys, store)
			consult(t, vault, 3)
			if len(vault.Alarms()) != 0 {
				t.Fatal(vault.Alarms())
			}
			c.does(store)
			if err := consultOnce(t, vault, "next"); backoffice.KindOf(err) != backoffice.Unavailable {
				t.Errorf("the next entry came out as %v", err)
			}
			if alarms := vault.Alarms(); len(alarms) != 1 || !strings.Contains(alarms[0], c.say) {
				t.Errorf("it says %q", alarms)
			}
		})
	}
}

func TestARegisterThatIsAwayIsNoAlarm(t *testing.T) {
	t.Parallel()
	keys, store := testKeys(t), newMemoryStore()
	vault := NewVault(keys, store)
	consult(t, vault, 1)
	store.lost = true
	if err := consultOnce(t, vault, "lost"); err == nil {
		t.Error("a lost write was taken for a durable one")
	}
	store.fail = func(string) error { return errors.New("away") }
	if err := consultOnce(t, vault, "away"); err == nil {
		t.Error("a failed write was taken for a durable one")
	}
	store.fail = nil
	consult(t, vault, 1)
	if alarms := vault.Alarms(); len(alarms) != 0 {
		t.Errorf("%q", alarms)
	}
}
