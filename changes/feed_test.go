package changes_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

func newStore(t testing.TB) backoffice.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), sqlitetest.URL(t), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func newFeed(t testing.TB, store backoffice.Store, o changes.Options) *changes.Feed {
	t.Helper()
	feed := changes.New(store, o)
	t.Cleanup(feed.Close)
	return feed
}

// note writes so many entries.
func note(t testing.TB, store backoffice.Store, name string, entries int) {
	t.Helper()
	for i := range entries {
		err := store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
			return tx.LogChanges(ctx, &backoffice.Change{At: backoffice.InstantOf(time.Now()), Action: "a", Noun: backoffice.NounLabel, ObjectID: fmt.Sprint(name, i)})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func labels(t testing.TB) backoffice.ChangeKinds {
	t.Helper()
	return backoffice.ChangesVisibleTo(nil, []backoffice.Noun{backoffice.NounLabel})
}

func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestAReaderGetsAllInOrderHoweverFarBehindItIs(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	feed := newFeed(t, store, changes.Options{})
	note(t, store, "before", 30)
	behind, atEnd := feed.Read("", 0, labels(t)), feed.Read("", 30, labels(t))
	go func() {
		for i := range 10 {
			note(t, feed.Watching(store), fmt.Sprint("after", i, "-"), 5)
		}
	}()
	for name, read := range map[string]struct {
		*changes.Reader
		from, most int
	}{"behind": {behind, 0, 7}, "at the end": {atEnd, 30, 3}} {
		for last := read.from; last < 80; {
			got, err := read.Next(soon(t), read.most)
			if err != nil || len(got) > read.most {
				t.Fatalf("%s: %d, %v", name, len(got), err)
			}
			for _, c := range got {
				if c.Sequence != last+1 {
					t.Fatalf("%s: %d after %d", name, c.Sequence, last)
				}
				last = c.Sequence
			}
			if read.At() != int64(last) && read.At() < int64(last) {
				t.Fatalf("%s: at %d after %d", name, read.At(), last)
			}
		}
	}
}

// elsewhere is a store that can become another one, as after a restore.
type elsewhere struct {
	backoffice.Store
	now atomic.Pointer[backoffice.Store]
}

func (e *elsewhere) Changes(ctx context.Context, after int64, limit int) ([]*backoffice.Change, error) {
	return (*e.now.Load()).Changes(ctx, after, limit)
}

func (e *elsewhere) ReadChanges(b *backoffice.Batch, q backoffice.ChangeQuery, into *backoffice.ChangePage) backoffice.Queued {
	return (*e.now.Load()).ReadChanges(b, q, into)
}

func (e *elsewhere) RenewHistory(ctx context.Context, old, act string, now backoffice.Instant) error {
	return (*e.now.Load()).RenewHistory(ctx, old, act, now)
}

func (e *elsewhere) Send(ctx context.Context, b *backoffice.Batch) error {
	return (*e.now.Load()).Send(ctx, b)
}

func TestAFollowerIsToldWhenTheLogIsAnotherOne(t *testing.T) {
	t.Parallel()
	for sentence, others := range map[string]int{"a shorter one": 3, "one as long": 10, "a longer one": 20} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			first, second := newStore(t), newStore(t)
			note(t, first, "first", 9)
			note(t, second, "second", others)
			store := &elsewhere{Store: first}
			store.now.Store(&first)
			reader := newFeed(t, store, changes.Options{}).Read("", 9, labels(t))
			done := make(chan error, 1)
			go func() {
				got, err := reader.Next(soon(t), 10)
				if err == nil && got[0].ObjectID == "last0" {
					_, err = reader.Next(soon(t), 10)
				}
				done <- err
			}()
			time.Sleep(300 * time.Millisecond) // it follows by now
			note(t, first, "last", 1)
			time.Sleep(600 * time.Millisecond)
			store.now.Store(&second)
			if err := <-done; backoffice.KindOf(err) != backoffice.CursorExpired {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestAFollowerIsNotDisturbedByTheHorizon(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	note(t, store, "a", 3)
	feed := newFeed(t, store, changes.Options{})
	reader := feed.Read("", 3, labels(t))
	for i := range 20 {
		note(t, store, fmt.Sprint("b", i, "-"), 1)
		if got, err := reader.Next(soon(t), 10); err != nil || len(got) != 1 || got[0].Sequence != 4+i {
			t.Fatalf("%v %v", got, err)
		}
		for range 3 {
			if _, err := store.RemoveChanges(t.Context(), backoffice.InstantOf(time.Now()), 100); err != nil {
				t.Fatal(err)
			}
		}
	}
	if page, err := backoffice.ReadChangePage(t.Context(), store, backoffice.ChangeQuery{After: backoffice.FromOldest, First: 100, Kinds: labels(t)}); err != nil || page.Removed < 20 {
		t.Errorf("%+v %v", page, err)
	}
	if got, err := feed.Read("", 2, labels(t)).Next(soon(t), 1); backoffice.KindOf(err) != backoffice.CursorExpired {
		t.Errorf("%v %v", got, err)
	}
}

// polled is a store that counts the polls of its log, and those that had as much as they may.
type polled struct {
	backoffice.Store
	polls, full atomic.Int64
}

func (p *polled) Changes(ctx context.Context, after int64, limit int) ([]*backoffice.Change, error) {
	entries, err := p.Store.Changes(ctx, after, limit)
	if p.polls.Add(1); len(entries) == limit {
		p.full.Add(1)
	}
	return entries, err
}

// followedBefore is a feed of three entries that was followed, until its log is not polled any more.
func followedBefore(t testing.TB) (*polled, *changes.Feed) {
	t.Helper()
	store := &polled{Store: newStore(t)}
	note(t, store, "a", 3)
	feed := newFeed(t, store, changes.Options{})
	idle, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if got, err := feed.Read("", 3, labels(t)).Next(idle, 10); idle.Err() == nil {
		t.Fatal(got, err)
	}
	for before := int64(-1); store.polls.Load() != before; time.Sleep(time.Second) {
		before = store.polls.Load()
	}
	return store, feed
}

func TestTheFirstFollowerAfterAWhileDoesNotWaitForWhatNobodyFollowed(t *testing.T) {
	t.Parallel()
	store, feed := followedBefore(t)
	err := store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		many := make([]*backoffice.Change, 5_000)
		for i := range many {
			many[i] = &backoffice.Change{At: backoffice.InstantOf(time.Now()), Action: "a", Noun: backoffice.NounLabel, ObjectID: fmt.Sprint("b", i)}
		}
		return tx.LogChanges(ctx, many...)
	})
	if err != nil {
		t.Fatal(err)
	}
	wait, err := feed.Growth(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	note(t, store, "c", 1)
	if err := wait(soon(t)); err != nil {
		t.Fatal(err)
	}
	if full := store.full.Load(); full > 1 {
		t.Errorf("%d polls read what nobody followed", full)
	}
	reader, all := feed.Read("", 3, labels(t)), 0
	for all < 5_001 {
		got, err := reader.Next(soon(t), 1_000)
		if all += len(got); err != nil {
			t.Fatalf("after %d: %v", all, err)
		}
	}
}

func TestAReaderThatComesBackIsToldThatChangesWereRemovedMeanwhile(t *testing.T) {
	t.Parallel()
	store, feed := followedBefore(t)
	note(t, store, "b", 6)
	for range 3 {
		if _, err := store.RemoveChanges(t.Context(), backoffice.InstantOf(time.Now().Add(time.Minute)), 2); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := feed.Read("", 3, labels(t)).Next(soon(t), 10); backoffice.KindOf(err) != backoffice.CursorExpired {
		t.Errorf("%d changes, %v", len(got), err)
	}
}

// dayBehind is a store whose clock is a day behind that of the process.
type dayBehind struct{ backoffice.Store }

func (dayBehind) Clock(context.Context) (backoffice.Instant, error) {
	return backoffice.InstantOf(time.Now().Add(-24 * time.Hour)), nil
}

func TestOldEntriesAreRemovedByThemselvesByTheStoresClock(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	note(t, store, "a", 5)
	time.Sleep(20 * time.Millisecond)
	for _, kept := range []struct {
		in   backoffice.Store
		keep changes.Age
		left int
	}{{store, 0, 5}, {dayBehind{store}, changes.Age(10 * time.Millisecond), 5}, {store, changes.Age(10 * time.Millisecond), 0}} {
		var left []*backoffice.Change
		for tries := 0; tries == 0 || len(left) > kept.left && tries < 20; tries++ {
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			newFeed(t, kept.in, changes.Options{Keep: kept.keep}).Tidy(ctx)
			cancel()
			var err error
			if left, err = store.Changes(t.Context(), 0, 10); err != nil {
				t.Fatal(err)
			}
		}
		if len(left) != kept.left {
			t.Errorf("kept for %d: %d entries, not %d", kept.keep, len(left), kept.left)
		}
	}
}

func TestAStoppedFeedEndsItsStreamsAndTakesNoMore(t *testing.T) {
	t.Parallel()
	feed := newFeed(t, newStore(t), changes.Options{})
	ctx, leave, err := feed.Enter(t.Context(), &backoffice.Principal{ClientID: "credential"})
	if err != nil || feed.Streams() != 1 {
		t.Fatal(err)
	}
	defer leave()
	feed.Stop()
	<-ctx.Done()
	if backoffice.KindOf(context.Cause(ctx)) != backoffice.Unavailable {
		t.Error(context.Cause(ctx))
	}
	if _, _, err := feed.Enter(t.Context(), &backoffice.Principal{ClientID: "credential"}); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Error(err)
	}
	leave()
	leave()
	if feed.Streams() != 0 {
		t.Error(feed.Streams())
	}
}

func TestAServerHasAThousandStreamsAtOneTime(t *testing.T) {
	t.Parallel()
	feed := newFeed(t, newStore(t), changes.Options{})
	var leaves []func()
	for i := range 1000 {
		_, leave, err := feed.Enter(t.Context(), &backoffice.Principal{ClientID: fmt.Sprint(i / 20)})
		if err != nil {
			t.Fatal(i, err)
		}
		leaves = append(leaves, leave)
	}
	if _, _, err := feed.Enter(t.Context(), &backoffice.Principal{ClientID: "another"}); backoffice.KindOf(err) != backoffice.RateLimited {
		t.Error(err)
	}
	for _, leave := range leaves {
		leave()
	}
	if _, leave, err := feed.Enter(t.Context(), &backoffice.Principal{ClientID: "another"}); err != nil || feed.Streams() != 1 {
		t.Error(err)
	} else {
		leave()
	}
}

func TestAnAgeIsDaysOrADuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"400d": 400 * 24 * time.Hour, "2s": 2 * time.Second, "0": 0, "0d": 0, "12h30m": 12*time.Hour + 30*time.Minute} {
		var age changes.Age
		if err := age.UnmarshalText([]byte(text)); err != nil || time.Duration(age) != want {
			t.Errorf("%s: %v, %v", text, time.Duration(age), err)
		}
		if again := age; again.UnmarshalText([]byte(age.String())) != nil || again != age {
			t.Errorf("%s is shown as %s", text, age)
		}
	}
	if shown := changes.Age(400 * 24 * time.Hour).String(); shown != "400d" {
		t.Error(shown)
	}
	for _, text := range []string{"", "d", "-1d", "1.5d", "400", "-2s", "400 d", "40000d"} {
		if err := new(changes.Age).UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "400d") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
