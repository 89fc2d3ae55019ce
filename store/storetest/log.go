package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/backoffice/backoffice"
)

func testLog(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	t.Run("changes are read as they were logged, numbered from one", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		first := &backoffice.Change{At: 1, ClientID: "client", Action: "createCustomer", Noun: backoffice.NounCustomer, ObjectID: "customer-1", Fields: []string{"email", "name"}}
		second := &backoffice.Change{At: 2, Action: "import", Noun: backoffice.NounMinfin, ObjectID: "minfin-1"}
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.LogChanges(ctx, first, second) })
		if first.Sequence != 1 || second.Sequence != 2 {
			t.Errorf("the changes were given %d and %d", first.Sequence, second.Sequence)
		}
		page, err := backoffice.ReadChangePage(t.Context(), store, backoffice.ChangeQuery{After: backoffice.FromOldest})
		if err != nil {
			t.Fatal(err)
		}
		first.History, second.History = page.History, page.History
		for after, want := range map[int64][]*backoffice.Change{0: {first, second}, 1: {second}, 2: nil} {
			got, err := store.Changes(t.Context(), after, 10)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
				t.Errorf("after %d: %v %s", after, err, diff)
			}
		}
		if got, err := store.Changes(t.Context(), 0, 1); err != nil || len(got) != 1 {
			t.Errorf("%v %v", got, err)
		}
	})

	t.Run("a change of a person names them, and so do those that go with it", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		touchedOffice().insert(t, store)
		principal := &backoffice.Principal{ClientID: backoffice.PersonID("https://issuer.example", "an"), Person: &backoffice.Person{Issuer: "https://issuer.example", Subject: "an"}}
		err := store.Write(WithSessionOf(t.Context(), principal), func(ctx context.Context, tx backoffice.Tx) error {
			if _, err := tx.Customers().Delete(ctx, "customer-1"); err != nil {
				return err
			}
			return tx.LogChanges(ctx, &backoffice.Change{At: 7, ClientID: principal.ClientID, Action: "deleteCustomer", Noun: backoffice.NounCustomer, ObjectID: "customer-1"})
		})
		if err != nil {
			t.Fatal(err)
		}
		named := 0
		log, err := store.Changes(t.Context(), 0, 100)
		for _, change := range log {
			if person := change.ClientID == principal.ClientID; person != (change.Issuer == "https://issuer.example" && change.Subject == "an") || !person && change.Subject != "" {
				t.Errorf("%+v", change)
			} else if person {
				named++
			}
		}
		if err != nil || named < 2 {
			t.Errorf("%d of %d entries, %v", named, len(log), err)
		}
	})

	t.Run("a change of a transaction that fails leaves no gap", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		stop := errors.New("stop")
		for i := range 3 {
			err := attempt(t, store, func(ctx context.Context, tx backoffice.Tx) error {
				if err := tx.LogChanges(ctx, &backoffice.Change{Action: "a", Noun: "n", ObjectID: "o"}); err != nil || i != 1 {
					return err
				}
				return stop
			})
			if (i == 1) != errors.Is(err, stop) {
				t.Error(err)
			}
		}
		if got, err := store.Changes(t.Context(), 0, 9); err != nil || len(got) != 2 || got[1].Sequence != 2 {
			t.Errorf("%v %v", got, err)
		}
	})

	t.Run("a transaction that changes very much is logged in order, behind those before it", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		const many, chunk = 12_345, 999
		one := func() {
			write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
				return tx.LogChanges(ctx, &backoffice.Change{Action: "a", Noun: "n", ObjectID: "one"})
			})
		}
		log := func(ctx context.Context, tx backoffice.Tx) error {
			for from := 0; from < many; from += chunk {
				var changes []*backoffice.Change
				for i := from; i < min(from+chunk, many); i++ {
					changes = append(changes, &backoffice.Change{At: backoffice.Instant(i), Action: "a", Noun: "n", ObjectID: fmt.Sprint(i), Fields: []string{"b", "c"}[:i%3]})
				}
				if err := tx.LogChanges(ctx, changes...); err != nil {
					return err
				}
			}
			return nil
		}
		stop := errors.New("stop")
		one()
		write(t, store, log)
		if err := attempt(t, store, func(ctx context.Context, tx backoffice.Tx) error { return errors.Join(log(ctx, tx), stop) }); !errors.Is(err, stop) {
			t.Error(err)
		}
		one()
		all, err := store.Changes(t.Context(), 0, many+3)
		if err != nil || len(all) != many+2 || all[0].ObjectID != "one" || all[many+1].ObjectID != "one" {
			t.Fatalf("%d changes: %v", len(all), err)
		}
		for i, change := range all {
			if change.Sequence != int64(i)+1 || i > 0 && i <= many && (change.ObjectID != fmt.Sprint(i-1) || len(change.Fields) != (i-1)%3) {
				t.Fatalf("place %d has %+v", i, change)
			}
		}
	})

	t.Run("whoever follows the log while many write sees no gap that fills in later", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		const writers, each = 10, 15
		var all sync.WaitGroup
		var over atomic.Bool
		for w := range writers {
			all.Go(func() {
				for i := range each {
					err := attempt(t, store, func(ctx context.Context, tx backoffice.Tx) error {
						id := fmt.Sprintf("l-%d-%d", w, i)
						one := backoffice.Change{ClientID: fmt.Sprint(w), Action: fmt.Sprint(i), Noun: backoffice.NounLabel, ObjectID: id}
						two := one
						two.Noun, two.ObjectID = "n", "o"
						if err := tx.LogChanges(ctx, &one); err != nil {
							return err
						}
						if err := tx.Labels().Insert(ctx, &backoffice.Label{ID: id, Name: fmt.Sprintf("%d %d", w, i)}); err != nil {
							return err
						}
						return tx.LogChanges(ctx, &two)
					})
					if err != nil {
						t.Errorf("%v (%v)", err, errorCause(err))
					}
				}
			})
		}
		go func() { all.Wait(); over.Store(true) }()
		var followed []*backoffice.Change
		for {
			last := over.Load() // before reading: what is there then is all
			got, err := store.Changes(t.Context(), int64(len(followed)), 7)
			if err != nil {
				t.Fatal(err)
			}
			for _, change := range got {
				followed = append(followed, change)
				if change.Sequence != int64(len(followed)) {
					t.Fatalf("number %d came after %d", change.Sequence, len(followed)-1)
				}
			}
			if last && len(got) == 0 {
				break
			}
		}
		if len(followed) != 2*writers*each {
			t.Errorf("%d changes were followed, want %d", len(followed), 2*writers*each)
		}
		for i := 0; i+1 < len(followed); i += 2 {
			if followed[i].ClientID != followed[i+1].ClientID || followed[i].Action != followed[i+1].Action {
				t.Errorf("the changes of one transaction are apart at %d", i)
			}
		}
	})
}

const aDay = 24 * time.Hour

// undated leaves out when a key was remembered, which the store's clock says.
var undated = cmpopts.IgnoreFields(backoffice.Idempotency{}, "CreatedAt")

func testKeys(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	remember := func(t testing.TB, store backoffice.Store, entry backoffice.Idempotency, keep time.Duration) *backoffice.Idempotency {
		t.Helper()
		var earlier *backoffice.Idempotency
		write(t, store, func(ctx context.Context, tx backoffice.Tx) (err error) {
			earlier, err = tx.RememberKey(ctx, &entry, keep)
			return err
		})
		return earlier
	}
	entry := backoffice.Idempotency{ClientID: "client", Noun: backoffice.NounCustomer, Key: "key", Digest: []byte("digest\x00"), ObjectID: "object"}

	t.Run("a key is remembered per credential and noun, until it is too old", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		if earlier := remember(t, store, entry, aDay); earlier != nil {
			t.Errorf("a new key is known: %+v", earlier)
		}
		later := entry
		later.Digest, later.ObjectID, later.CreatedAt = []byte("other"), "other", 10 // which no gateway's clock says
		if diff := cmp.Diff(&entry, remember(t, store, later, aDay), undated); diff != "" {
			t.Error(diff)
		}
		for name, change := range map[string]func(*backoffice.Idempotency){
			"pair": func(e *backoffice.Idempotency) { e.ClientID = "other" }, "noun": func(e *backoffice.Idempotency) { e.Noun = backoffice.NounLabel },
			"key": func(e *backoffice.Idempotency) { e.Key = "KEY" },
		} {
			other := later
			change(&other)
			if earlier := remember(t, store, other, aDay); earlier != nil {
				t.Errorf("another %s finds %+v", name, earlier)
			}
		}
		if earlier := remember(t, store, later, -aDay); earlier != nil {
			t.Errorf("a key that is too old is known: %+v", earlier)
		}
		if diff := cmp.Diff(&later, remember(t, store, entry, aDay), undated); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("a key that is known by several digests is found by any of them", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		both := entry
		both.Others = []string{"other key"}
		if earlier := remember(t, store, both, aDay); earlier != nil {
			t.Errorf("a new key is known: %+v", earlier)
		}
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			completed := both
			completed.ObjectID = "settled"
			return tx.CompleteKey(ctx, &completed)
		})
		for _, key := range []string{"key", "other key"} {
			one := entry
			one.Key, one.ObjectID = key, "not made"
			if earlier := remember(t, store, one, aDay); earlier == nil || earlier.ObjectID != "settled" {
				t.Errorf("by %s: %+v", key, earlier)
			}
		}
		// Somebody who knows the second alone was first; who comes by the first alone then hears of the same.
		first := entry
		first.Key, first.ObjectID = "new", "first"
		second := entry
		second.Key, second.Others, second.ObjectID = "old", []string{"new"}, "second"
		third := entry
		third.Key, third.ObjectID = "old", "third"
		remember(t, store, first, aDay)
		for _, later := range []backoffice.Idempotency{second, third} {
			if earlier := remember(t, store, later, aDay); earlier == nil || earlier.ObjectID != "first" {
				t.Errorf("%s: %+v", later.ObjectID, earlier)
			}
		}
	})

	t.Run("a refused call keeps no key", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		stop := errors.New("stop")
		err := attempt(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			if _, err := tx.RememberKey(ctx, &entry, aDay); err != nil {
				return err
			}
			return stop
		})
		if !errors.Is(err, stop) || remember(t, store, entry, aDay) != nil {
			t.Error("the key of a failed transaction was kept")
		}
	})

	t.Run("of fifty calls with one key at once exactly one creates", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		var created, replayed atomic.Int64
		var all sync.WaitGroup
		objects := make([]string, 50)
		for i := range objects {
			all.Go(func() {
				one := entry
				one.ObjectID = fmt.Sprint("label-", i)
				err := attempt(t, store, func(ctx context.Context, tx backoffice.Tx) error {
					earlier, err := tx.RememberKey(ctx, &one, aDay)
					if err != nil {
						return err
					}
					if earlier != nil {
						objects[i] = earlier.ObjectID
						return nil
					}
					objects[i] = one.ObjectID
					return tx.Labels().Insert(ctx, &backoffice.Label{ID: one.ObjectID, Name: one.ObjectID})
				})
				switch {
				case err != nil:
					t.Errorf("%v (%v)", err, errorCause(err))
				case objects[i] == one.ObjectID:
					created.Add(1)
				default:
					replayed.Add(1)
				}
			})
		}
		all.Wait()
		slices.Sort(objects)
		if created.Load() != 1 || replayed.Load() != 49 || len(slices.Compact(objects)) != 1 {
			t.Errorf("%d created, %d were replayed, of %v", created.Load(), replayed.Load(), slices.Compact(objects))
		}
		total(t, store.Labels(), 1)
	})
}

func testForgottenFiles(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	t.Run("forgotten files are listed until they are removed", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		expect := func(limit int, want ...string) {
			t.Helper()
			got, err := store.ForgottenFiles(t.Context(), limit)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%v %v, want %v", got, err, want)
			}
		}
		expect(10)
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.ForgetFiles(ctx, []string{"c", "a", "b", "a"})
		})
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.ForgetFiles(ctx, []string{"a"}) })
		_ = attempt(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			if err := tx.ForgetFiles(ctx, []string{"d"}); err != nil {
				return err
			}
			return errors.New("stop")
		})
		expect(2, "a", "b")
		if err := store.FilesRemoved(t.Context(), []string{"a", "unknown", "c"}); err != nil {
			t.Fatal(err)
		}
		if err := store.FilesRemoved(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		expect(10, "b")
	})

	// beside does one write while another is about to commit, and returns the files to be removed after both.
	beside := func(t *testing.T, store backoffice.Store, first, second func(ctx context.Context, tx backoffice.Tx) error) []string {
		t.Helper()
		done := make(chan error, 1)
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			err := first(ctx, tx)
			go func() { done <- attempt(t, store, second) }()
			time.Sleep(200 * time.Millisecond) // it waits for this by now
			return err
		})
		err := <-done
		keys, failed := store.ForgottenFiles(t.Context(), 100)
		if err := errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		return keys
	}
	file := func(key string) *backoffice.File {
		return &backoffice.File{Key: key, ContentType: "text/plain", SHA256: make([]byte, 32)}
	}

	t.Run("the file of a document that comes while its customer is deleted is forgotten", func(t *testing.T) {
		t.Parallel()
		store, keys := newStore(t), []string(nil)
		fullOffice().insert(t, store)
		forgotten := beside(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Documents().Insert(ctx, &backoffice.CustomerDocument{ID: "late", CustomerID: "customer-1", Name: "N", File: file("late")})
		}, func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.Customers().Delete(ctx, "customer-1")
			keys = tx.ForgottenWith()
			return err
		})
		if !slices.Contains(forgotten, "late") || !slices.Contains(keys, "late") {
			t.Errorf("forgotten are %v, with the customer %v", forgotten, keys)
		}
	})

	t.Run("of two documents of a transcript at one time the first is forgotten", func(t *testing.T) {
		t.Parallel()
		store, office := newStore(t), fullOffice()
		of := office.transcripts[0]
		of.DocumentGenerated, of.Document = false, nil
		office.insert(t, store)
		set := func(key string, want ...string) func(ctx context.Context, tx backoffice.Tx) error {
			return func(ctx context.Context, tx backoffice.Tx) error {
				drawn := *of
				drawn.DocumentGenerated, drawn.Document = true, file(key)
				_, replaced, err := tx.SetDocument(ctx, &drawn)
				if !slices.Equal(replaced, want) {
					t.Errorf("%s replaces %v, not %v", key, replaced, want)
				}
				return err
			}
		}
		forgotten := beside(t, store, set("first"), set("late", "first"))
		if !slices.Contains(forgotten, "first") {
			t.Errorf("forgotten are %v", forgotten)
		}
	})
}
