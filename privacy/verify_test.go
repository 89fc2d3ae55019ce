package privacy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"pgregory.net/rapid"
)

func verify(t testing.TB, keys *Keyset, store backoffice.ConsultationStore) ([]Problem, Verified) {
	t.Helper()
	var problems []Problem
	seen, err := keys.Verify(context.Background(), store, "", func(p Problem) { problems = append(problems, p) })
	if err != nil {
		t.Error(err)
	}
	if int64(len(problems)) != seen.Problems {
		t.Errorf("%d problems reported, %d counted", len(problems), seen.Problems)
	}
	return problems, seen
}

// threeChains is a register of three chains of three entries.
func threeChains(t testing.TB) (*Keyset, *memoryStore) {
	keys, store := testKeys(t), newMemoryStore()
	for range 3 {
		consult(t, NewVault(keys, store), 3)
	}
	return keys, store
}

func TestVerifyNoticesWhatWasDoneToTheRegister(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	set := func(at int, change func(*backoffice.Consultation)) func(*memoryStore) {
		return func(s *memoryStore) { change(&s.entries[at]) }
	}
	remove := func(from, to int) func(*memoryStore) {
		return func(s *memoryStore) { s.entries = slices.Delete(s.entries, from, to) }
	}
	for name, c := range map[string]struct {
		tamper func(*memoryStore)
		want   []string
	}{
		"nothing":                {func(*memoryStore) {}, nil},
		"an identifier":          {set(4, func(e *backoffice.Consultation) { e.ID = "x" }), []string{"chain 2, entry 2: the entry was changed"}},
		"a moment":               {set(4, func(e *backoffice.Consultation) { e.At++ }), []string{"chain 2, entry 2: the entry was changed"}},
		"a client id":            {set(4, func(e *backoffice.Consultation) { e.ClientID = "x" }), []string{"chain 2, entry 2: the entry was changed"}},
		"a client's name":        {set(4, func(e *backoffice.Consultation) { e.ClientName = "x" }), []string{"chain 2, entry 2: the entry was changed"}},
		"a purpose that was not": {set(4, func(e *backoffice.Consultation) { e.Purpose = text("") }), []string{"chain 2, entry 2: the entry was changed"}},
		"an operation": {set(4, func(e *backoffice.Consultation) { e.Operation = backoffice.ConsultedBySearch }),
			[]string{"chain 2, entry 2: the entry was changed"}},
		"a customer":    {set(4, func(e *backoffice.Consultation) { e.CustomerID = text("x") }), []string{"chain 2, entry 2: the entry was changed"}},
		"no customer":   {set(4, func(e *backoffice.Consultation) { e.CustomerID = nil }), []string{"chain 2, entry 2: the entry was changed"}},
		"the fields":    {set(4, func(e *backoffice.Consultation) { e.Fields = backoffice.AllPrivacyFields }), []string{"chain 2, entry 2: the entry was changed"}},
		"the MAC":       {set(4, func(e *backoffice.Consultation) { e.MAC[9] ^= 1 }), []string{"chain 2, entry 2: the entry was changed", "chain 2, entry 3: the entry was changed"}},
		"the last MAC":  {set(5, func(e *backoffice.Consultation) { e.MAC = nil }), []string{"chain 2, entry 3: the entry was changed", "chain 2, entry 3: the last entry is not the one in the chain's head"}},
		"two swapped":   {func(s *memoryStore) { a, b := &s.entries[3], &s.entries[4]; a.Number, b.Number = 2, 1; *a, *b = *b, *a }, []string{"chain 2, entry 1: the entry was changed", "chain 2, entry 2: the entry was changed", "chain 2, entry 3: the entry was changed"}},
		"a first entry": {remove(3, 4), []string{"chain 2, entry 1: the entry is missing"}},
		"a middle one":  {remove(4, 5), []string{"chain 2, entry 2: the entry is missing"}},
		"a tail":        {remove(4, 6), []string{"chain 2, entry 2: the entries 2 to 3 are missing"}},
		"a tail and its head": {func(s *memoryStore) { s.heads[2] = s.headOf(2, 2); s.entries = slices.Delete(s.entries, 5, 6) },
			[]string{"chain 2: the chain's head was changed"}},
		"all of a chain": {remove(3, 6), []string{"chain 2, entry 1: the entries 1 to 3 are missing"}},
		"a chain with its head": {func(s *memoryStore) { delete(s.heads, 2); s.entries = slices.Delete(s.entries, 3, 6) },
			[]string{"chain 2: the chain is missing"}},
		"the last chain with its head": {func(s *memoryStore) { delete(s.heads, 3); s.entries = slices.Delete(s.entries, 6, 9) },
			[]string{"chain 3: the chain is missing"}},
		"all chains": {func(s *memoryStore) { h := s.heads[0]; clear(s.heads); s.heads[0] = h; s.entries = nil },
			[]string{"chain 1: the chains 1 to 3 are missing"}},
		"a head alone":        {func(s *memoryStore) { delete(s.heads, 3) }, []string{"chain 3: the chain is missing", "chain 3: the chain's head is missing"}},
		"the first head":      {func(s *memoryStore) { delete(s.heads, 1) }, []string{"chain 1: the chain is missing", "chain 1: the chain's head is missing"}},
		"the register's head": {func(s *memoryStore) { delete(s.heads, 0) }, []string{"the register's head is missing"}},
		"its count": {func(s *memoryStore) { h := s.heads[0]; h.Count = 2; s.heads[0] = h },
			[]string{"the register's head was changed"}},
		"an entry more": {func(s *memoryStore) {
			e := s.entries[8]
			e.Number = 4
			s.entries = append(s.entries, e)
		}, []string{"chain 3, entry 4: the entry was added after the end of the chain"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys, store := threeChains(t)
			c.tamper(store)
			problems, _ := verify(t, keys, store)
			var got []string
			for _, p := range problems {
				got = append(got, p.String())
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// headOf forges a head of a count without the key.
func (s *memoryStore) headOf(chain, count int64) backoffice.ConsultationHead {
	head := s.heads[chain]
	head.Count = count
	for _, e := range s.entries {
		if e.Chain == chain && e.Number == count {
			head.Last = e.MAC
		}
	}
	return head
}

func TestVerifyNoticesEveryRemovalAndEveryChange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		keys, store := testKeys(t), newMemoryStore()
		for range rapid.IntRange(1, 4).Draw(rt, "chains") {
			consult(t, NewVault(keys, store), rapid.IntRange(1, 6).Draw(rt, "entries"))
		}
		if problems, _ := verify(t, keys, store); len(problems) > 0 {
			rt.Fatalf("untouched: %v", problems)
		}
		first := rapid.IntRange(0, len(store.entries)-1).Draw(rt, "first")
		if rapid.Bool().Draw(rt, "remove") {
			last := rapid.IntRange(first+1, len(store.entries)).Draw(rt, "last")
			store.entries = slices.Delete(store.entries, first, last)
		} else {
			store.entries[first].ClientID += "x"
		}
		if problems, _ := verify(t, keys, store); len(problems) == 0 {
			rt.Fatal("not noticed")
		}
	})
}

func TestVerifyReadsARegisterOfManyPagesAndAnEmptyOne(t *testing.T) {
	t.Parallel()
	keys, store := testKeys(t), newMemoryStore()
	if problems, seen := verify(t, keys, store); len(problems) > 0 || seen.Chains+seen.Entries != 0 {
		t.Errorf("empty: %v %+v", problems, seen)
	}
	const chains = verifyPage + 20
	for range chains {
		consult(t, NewVault(keys, store), 3)
	}
	if problems, seen := verify(t, keys, store); len(problems) > 0 || seen.Chains != chains || seen.Entries != 3*chains {
		t.Errorf("%v %+v", problems, seen)
	}
}

// busyStore has something written after each of its reads.
type busyStore struct {
	*memoryStore
	write func()
}

func (s busyStore) ListConsultations(ctx context.Context, after backoffice.ConsultationPosition, limit int) ([]*backoffice.Consultation, error) {
	defer s.write()
	return s.memoryStore.ListConsultations(ctx, after, min(limit, 3))
}

func (s busyStore) ConsultationHeads(ctx context.Context, from int64, limit int) ([]backoffice.ConsultationHead, error) {
	defer s.write()
	return s.memoryStore.ConsultationHeads(ctx, from, min(limit, 2))
}

func TestVerifyRaisesNoFalseAlarmWhileServersWrite(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		keys, store := testKeys(t), newMemoryStore()
		var vaults []*Vault
		writes := 0
		write := func() {
			if writes++; writes > 40 {
				return
			}
			for range rapid.IntRange(0, 3).Draw(rt, "entries") {
				at := rapid.IntRange(0, len(vaults)).Draw(rt, "server")
				if at == len(vaults) {
					vaults = append(vaults, NewVault(keys, store))
				}
				consult(t, vaults[at], 1)
			}
		}
		for range 5 {
			write()
		}
		if problems, _ := verify(t, keys, busyStore{store, write}); len(problems) > 0 {
			rt.Fatalf("%v", problems)
		}
	})
}

func TestVerifyPassesTheStoresErrorOn(t *testing.T) {
	t.Parallel()
	for _, broken := range []string{"heads", "entries"} {
		keys, store := threeChains(t)
		store.fail = func(call string) error {
			if call == broken {
				return errors.New("away")
			}
			return nil
		}
		if _, err := keys.Verify(context.Background(), store, "", func(Problem) {}); err == nil {
			t.Errorf("%s: no error", broken)
		}
	}
}

func TestAReceiptShowsThatAnOlderStateWasPutBack(t *testing.T) {
	t.Parallel()
	keys, store := testKeys(t), newMemoryStore()
	ago := func(d time.Duration) *Vault {
		vault := NewVault(keys, store)
		vault.register.now = func() time.Time { return time.Now().Add(-d) }
		return vault
	}
	against := func(receipt string) []string {
		var problems []string
		if _, err := keys.Verify(context.Background(), store, receipt, func(p Problem) { problems = append(problems, p.String()) }); err != nil {
			t.Fatal(err)
		}
		return problems
	}
	monday := ago(2 * time.Hour)
	consult(t, monday, 2)
	older := maps.Clone(store.heads)
	consult(t, monday, 2)
	consult(t, ago(time.Hour), 3)
	_, seen := verify(t, keys, store)

	consult(t, monday, 1)
	late := store.entries[4]
	consult(t, ago(0), 1)
	if problems := against(seen.Receipt); len(problems) != 1 || !strings.Contains(problems[0], "there are 1 more entries") {
		t.Errorf("an entry with a moment of the past: %q", problems)
	}
	store.entries = slices.DeleteFunc(store.entries, func(e backoffice.Consultation) bool { return e.ID == late.ID })
	store.heads[1] = backoffice.ConsultationHead{Chain: 1, Count: 4, Last: store.entries[3].MAC}
	head := store.heads[1]
	head.MAC, _ = keys.headMAC(head)
	store.heads[1] = head
	if problems := against(seen.Receipt); len(problems) > 0 {
		t.Errorf("entries were only added since: %q", problems)
	}

	store.heads, store.entries = older, store.entries[:2]
	if problems, _ := verify(t, keys, store); len(problems) > 0 {
		t.Errorf("an older state holds by itself: %v", problems)
	}
	if problems := against(seen.Receipt); len(problems) != 1 || !strings.Contains(problems[0], "5 entries") {
		t.Errorf("an older state was put back: %q", problems)
	}
	store.heads, store.entries = map[int64]backoffice.ConsultationHead{}, nil
	if problems := against(seen.Receipt); len(problems) != 1 || !strings.Contains(problems[0], "7 entries") {
		t.Errorf("all was removed: %q", problems)
	}
}

func FuzzReceipt(f *testing.F) {
	f.Add(gather(1).receipt().String())
	f.Add("zz")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parseReceipt(text)
		if err == nil && r.String() != strings.ToLower(text) || err != nil && backoffice.KindOf(err) != backoffice.BadInput {
			t.Fatalf("%q: %v %v", text, r, err)
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	keys, store := testKeys(b), newMemoryStore()
	vault := NewVault(keys, store)
	ctx := vault.WithLedger(context.Background(), reader, nil)
	for i := range 1000 {
		if _, err := Reveal(ctx, []SealedNumber{sealed(b, keys, fmt.Sprint(i), backoffice.RegistrationNumber)}); err != nil {
			b.Fatal(err)
		}
	}
	if err := backoffice.CommitLedger(ctx); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		verify(b, keys, store)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/entry")
}

func TestVerifyNoticesThatAPersonWasMadeAnother(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	for name, tamper := range map[string]func(person, credential *backoffice.Consultation){
		"nothing":         func(*backoffice.Consultation, *backoffice.Consultation) {},
		"another subject": func(person, _ *backoffice.Consultation) { person.Subject = text("bea") },
		"another issuer":  func(person, _ *backoffice.Consultation) { person.Issuer = text("https://elsewhere.example") },
		"another name":    func(person, _ *backoffice.Consultation) { person.ClientName = "Bea" },
		"no subject":      func(person, _ *backoffice.Consultation) { person.Subject = nil },
		"no person":       func(person, _ *backoffice.Consultation) { person.Issuer, person.Subject = nil, nil },
		"the two exchanged": func(person, _ *backoffice.Consultation) {
			person.Issuer, person.Subject = person.Subject, person.Issuer
		},
		"a credential that becomes one": func(_, credential *backoffice.Consultation) {
			credential.Issuer, credential.Subject = text("https://login.example"), text("an")
		},
		"a credential with an empty issue": func(_, credential *backoffice.Consultation) { credential.Issuer = text("") },
	} {
		keys, store := testKeys(t), newMemoryStore()
		vault := NewVault(keys, store)
		consult(t, vault, 1)
		viewer := &backoffice.Principal{ClientID: "person-x", Name: "An", Scopes: backoffice.AllScopes, Person: &backoffice.Person{Issuer: "https://login.example", Subject: "an"}}
		ctx := vault.WithLedger(t.Context(), viewer, nil)
		sealed, err := keys.Seal("customer", backoffice.RegistrationNumber, "85073003328")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Reveal(ctx, []SealedNumber{{CustomerID: "customer", Field: backoffice.RegistrationNumber, Number: sealed}}); err != nil {
			t.Fatal(err)
		}
		if err := backoffice.CommitLedger(ctx); err != nil {
			t.Fatal(err)
		}
		entry := &store.entries[len(store.entries)-1]
		if entry.Subject == nil || *entry.Subject != "an" || *entry.Issuer != "https://login.example" || *entry.SubjectName() != "An" || store.entries[0].SubjectName() != nil {
			t.Fatalf("%+v", entry)
		}
		tamper(entry, &store.entries[0])
		verified, err := keys.Verify(t.Context(), store, "", func(Problem) {})
		if err != nil || (verified.Problems > 0) != (name != "nothing") {
			t.Errorf("%s: %+v %v", name, verified, err)
		}
	}
}
