package cache

import (
	"context"
	"testing"
	"unsafe"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// remembering is a cache before a store that has label-1, which it remembers as of number 1 of the log.
func remembering(t *testing.T) *Store {
	t.Helper()
	below, err := sqlite.Open(t.Context(), sqlitetest.URL(t), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(below, Options{Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	err = s.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		return tx.Labels().Insert(ctx, &backoffice.Label{ID: "label-1", Name: "x", Color: "#000000"})
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := backoffice.ReadByID(t.Context(), s.Labels(), []string{"label-1"}, 0); err != nil {
		t.Fatal(err)
	}
	if !s.remembers("label-1") {
		t.Fatal("what was read is not kept")
	}
	return s
}

func (s *Store) remembers(label string) bool {
	e, _ := s.row(view(labels), label, 0, s.log.position().at)
	return e != nil
}

// entries are entries of the log as it answers, the newest first; the first one is the known one.
func (s *Store) entries(more ...backoffice.Change) []*backoffice.Change {
	known := s.log.last
	list := []*backoffice.Change{&known}
	for i := range more {
		list = append([]*backoffice.Change{&more[i]}, list...)
	}
	return list
}

func TestWhatTheLogTellsIsDroppedAndNothingElse(t *testing.T) {
	t.Parallel()
	s := remembering(t)
	s.advance(s.entries(backoffice.Change{Sequence: 2, Noun: backoffice.NounLabel, ObjectID: "label-2", Done: backoffice.Created}), s.log.position().at)
	if !s.remembers("label-1") {
		t.Error("a change of another label drops it")
	}
	s.advance(s.entries(backoffice.Change{Sequence: 3, Noun: backoffice.NounLabel, ObjectID: "label-1", Done: backoffice.Updated}), s.log.position().at)
	if s.remembers("label-1") {
		t.Error("its own change does not drop it")
	}
	s.keepRow(key{aRow, view(labels), "label-1"}, 0, &backoffice.Label{ID: "label-1"}, 10, version{s.log.position().history, 2})
	if s.remembers("label-1") {
		t.Error("what was read before the change was kept after it")
	}
}

func TestEverythingIsDroppedWhenTheHistoryIsAnotherOrDoesNotTell(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(s *Store) []*backoffice.Change{
		"the log has come less far": func(s *Store) []*backoffice.Change {
			earlier := *s.entries()[0]
			earlier.Sequence--
			return []*backoffice.Change{&earlier}
		},
		"the log is empty": func(*Store) []*backoffice.Change { return nil },
		"the last known entry reads differently": func(s *Store) []*backoffice.Change {
			list := s.entries()
			list[0].At++
			return list
		},
		"the last known entry is too far back": func(s *Store) []*backoffice.Change {
			return []*backoffice.Change{{Sequence: s.log.position().at + store.MostNew + 5, Done: backoffice.Created}}
		},
		"an entry of a program that did not tell": func(s *Store) []*backoffice.Change {
			return s.entries(backoffice.Change{Sequence: 2, Noun: backoffice.NounUser, ObjectID: "user"})
		},
		"an entry that says so": func(s *Store) []*backoffice.Change {
			return s.entries(backoffice.Change{Sequence: 2, Done: backoffice.Unknown})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := remembering(t)
			before := s.log.position()
			s.advance(answer(s), s.log.position().at)
			if s.remembers("label-1") {
				t.Error("what was known is still there")
			}
			s.keepRow(key{aRow, view(labels), "label-1"}, 0, &backoffice.Label{ID: "label-1"}, 10, before)
			if s.remembers("label-1") {
				t.Error("what was read in the history before is kept in the new one")
			}
			if s.log.good([]*entry{{key: key{aRow, view(labels), "label-2"}}}, before, s.log.position()) {
				t.Error("what a query took from the history before counts as good in the new one")
			}
		})
	}
}

func TestAReplicaThatIsBehindDropsNothing(t *testing.T) {
	t.Parallel()
	s := remembering(t)
	behind := *s.entries()[0]
	s.advance(s.entries(backoffice.Change{Sequence: 2, Noun: backoffice.NounLabel, ObjectID: "label-2", Done: backoffice.Created}), s.log.position().at)
	as, asks := s.advance([]*backoffice.Change{&behind}, 0)
	if !asks || as.at != 1 || !s.remembers("label-1") || s.log.position().at != 2 {
		t.Errorf("as of %v, asks %v", as, asks)
	}
	if !s.log.good([]*entry{{key: key{aRow, view(labels), "label-1"}, filled: 1}}, s.log.position(), as) {
		t.Error("what was read as of 1 is not good as of 1")
	}
	if s.log.good([]*entry{{key: key{aRow, view(labels), "label-1"}, filled: 2}}, s.log.position(), as) {
		t.Error("what was read as of 2 is good as of 1")
	}
}

func TestAPollThatWasSupersededDropsNothing(t *testing.T) {
	t.Parallel()
	s := remembering(t)
	asked := s.log.position().at
	superseded := s.entries()
	s.advance(s.entries(backoffice.Change{Sequence: 2, Noun: backoffice.NounLabel, ObjectID: "label-2", Done: backoffice.Created}), 0)
	s.advance(superseded, asked)
	if !s.remembers("label-1") || s.log.position().at != 2 {
		t.Errorf("it is at %v", s.log.position())
	}
}

func TestAfterVeryMuchThatIsNewTheNounsThatItNamesAreDropped(t *testing.T) {
	t.Parallel()
	s := remembering(t)
	customer := &backoffice.Customer{ID: "customer-1", Type: backoffice.Company, DisplayName: "x", Version: 1}
	put := func(many int, done backoffice.ChangeAction) {
		t.Helper()
		err := s.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
			if err := tx.Customers().Upsert(ctx, []*backoffice.Customer{customer}); err != nil {
				return err
			}
			changes := make([]*backoffice.Change, many)
			for i := range changes {
				changes[i] = &backoffice.Change{Noun: backoffice.NounCustomer, ObjectID: "other", Done: done}
			}
			return tx.LogChanges(ctx, changes...)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	reads := func(name string) {
		t.Helper()
		rows, err := backoffice.ReadByID(t.Context(), s.Customers(), []string{"customer-1"}, 0)
		for range 20 { // a poll of so many entries takes longer than a poll may on a machine that has much else to do
			if backoffice.KindOf(err) == backoffice.Unavailable {
				rows, err = backoffice.ReadByID(t.Context(), s.Customers(), []string{"customer-1"}, 0)
			}
		}
		if err != nil || rows["customer-1"] == nil || rows["customer-1"].DisplayName != name {
			t.Errorf("the customer is %+v, want %s (%v)", rows["customer-1"], name, err)
		}
		counts, err := backoffice.ReadCounts(t.Context(), s.Customers(), backoffice.Root, backoffice.CustomerCriteria{}, []string{backoffice.NoParent})
		if err != nil || counts[backoffice.NoParent] != 1 {
			t.Errorf("there are %v customers (%v)", counts, err)
		}
	}
	put(0, backoffice.Updated)
	reads("x")
	reads("x")
	if !s.remembers("label-1") {
		t.Fatal("the label is not remembered")
	}
	customer.DisplayName = "y"
	put(store.MostNew+1, backoffice.Updated)
	reads("y")
	if !s.remembers("label-1") {
		t.Error("after many changes of customers a label is forgotten")
	}
	history := s.log.position().history
	customer.DisplayName = "z"
	put(store.MostNew+1, backoffice.Unknown)
	reads("z")
	if s.remembers("label-1") || s.log.position().history == history {
		t.Error("after very much of which one does not tell what was done, a label is remembered")
	}
}

func TestWhenANounIsDroppedEveryViewOfItIsAndNothingElse(t *testing.T) {
	t.Parallel()
	s := remembering(t)
	for no, is := range backoffice.Nouns {
		noun := is.Name()
		for other := range backoffice.Nouns {
			for _, of := range viewsOf(other) {
				s.keepRow(key{aRow, of, "x"}, 0, &backoffice.Label{ID: "x"}, 10, s.log.position())
				s.keepAnswer(of, "x", "a question", 0, s.log.position(), func() (any, int) { return 1, 8 })
			}
		}
		last := s.log.last
		if !s.dropNouns(&last, []backoffice.Noun{noun}, &backoffice.Change{Sequence: last.Sequence + 1, Noun: noun}) {
			t.Fatalf("%s cannot be dropped", noun)
		}
		for other := range backoffice.Nouns {
			for _, of := range viewsOf(other) {
				for _, kind := range []kind{aRow, lists} {
					if _, there := s.memory.GetIfPresent(key{kind, of, "x"}); there != (other != no) {
						t.Errorf("after very many changes of each %s the view %d (%d) is there: %v", noun, of, kind, there)
					}
				}
			}
		}
	}
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	t.Parallel()
	s := remembering(t)
	for i := range 20_000 {
		id := string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676%26)) + "-label"
		s.keepRow(key{aRow, view(labels), id}, 0, &backoffice.Label{ID: id}, 100, s.log.position())
	}
	s.memory.CleanUp()
	if held := s.memory.WeightedSize(); held > 1<<20 || held < 1<<19 {
		t.Errorf("%d bytes are held of 1 MiB", held)
	}
}

func TestACopyHoldsEverythingOfARowAndNoMemoryOfOthers(t *testing.T) {
	t.Parallel()
	row := &backoffice.Customer{
		ID: "customer-1", DisplayName: "x", Scopes: []string{"a", "b"}, Address: backoffice.Address{City: "Gent"},
		Registration: backoffice.SealedOf([]byte("cipher"), []byte("index")), UpdatedAt: 7, Version: 3,
	}
	want := *row
	copied, bytes := copyOf(formOf[*backoffice.Customer](), row)
	row.DisplayName, row.Address.City, row.Scopes[0] = "y", "Aalst", "z"
	if copied.DisplayName != want.DisplayName || copied.Address.City != "Gent" || copied.Scopes[0] != "a" || copied.Scopes[1] != "b" ||
		copied.Registration != want.Registration || copied.Version != 3 || copied.UpdatedAt != 7 || copied.ID != "customer-1" {
		t.Errorf("%+v", copied)
	}
	if bytes < 400 || bytes > 1000 {
		t.Errorf("it takes %d bytes", bytes)
	}
	document := &backoffice.CustomerDocument{ID: "d", File: &backoffice.File{Key: "key", SHA256: []byte("0123")}}
	other, _ := copyOf(formOf[*backoffice.CustomerDocument](), document)
	if other.File == document.File || other.File.Key != "key" || string(other.File.SHA256) != "0123" {
		t.Errorf("%+v", other.File)
	}
}

func TestAKeyHoldsNoMemoryOfWhatWasRead(t *testing.T) {
	t.Parallel()
	s := remembering(t)
	block := "label-7 and all else that was read with it"
	parent := block[:7]
	s.keepAnswer(view(labels), parent, "a question", 0, s.log.position(), func() (any, int) { return 1, 8 })
	for at := range s.memory.All() {
		if at.kind == lists && at.id == parent {
			if unsafe.StringData(at.id) == unsafe.StringData(parent) {
				t.Error("the key of a list holds the block that its parent's identifier is a piece of")
			}
			return
		}
	}
	t.Error("the answer was not kept")
}
