package feed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

// followed are the numbers and objects that a reader of the feed was told, in the order in which it was.
type followed struct {
	numbers []int
	objects map[string]int
}

func (f *followed) add(c gatewaytest.RESTChange) {
	f.numbers = append(f.numbers, c.Sequence)
	if f.objects == nil {
		f.objects = map[string]int{}
	}
	f.objects[c.ID]++
}

// wrong says what the reader was told that it should not have been, or was not.
func (f *followed) wrong(acknowledged []string) error {
	if !slices.IsSorted(f.numbers) || len(slices.Compact(slices.Clone(f.numbers))) != len(f.numbers) {
		return errors.New("not in order, or twice")
	}
	for _, id := range acknowledged {
		if f.objects[id] != 1 {
			return fmt.Errorf("%s was told %d times", id, f.objects[id])
		}
	}
	return nil
}

// has reports whether all objects were told.
func (f *followed) has(acknowledged []string) bool {
	for _, id := range acknowledged {
		if f.objects[id] == 0 {
			return false
		}
	}
	return true
}

// writeAtOnce makes labels by several writers at once, and returns those that were acknowledged.
func writeAtOnce(t testing.TB, o *gatewaytest.Office, credential [2]string, writers, each int) (acknowledged []string) {
	t.Helper()
	service := (&gateway.Backend{Store: o.Before, Files: o.Files, Keys: o.Keys}).Service()
	service.Store = o.Before
	by := &backoffice.Principal{ClientID: credential[0], Scopes: backoffice.AllScopes}
	var mu sync.Mutex
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for made := 0; made < each; {
				label, err := service.CreateLabel(t.Context(), by, backoffice.LabelDraft{Name: "label " + backoffice.NewID()}, backoffice.Optional[string]{})
				if backoffice.KindOf(err) == backoffice.Unavailable { // no connection was free in time
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				acknowledged = append(acknowledged, label.ID)
				mu.Unlock()
				made++
			}
		})
	}
	all.Wait()
	return acknowledged
}

// readers follow the feed from a number on, in each of its ways, until they are told to stop. Each of them leaves and
// comes back again and again, as a network would have it.
var readers = map[string]func(ctx context.Context, f gatewaytest.Follower, after string, told func(gatewaytest.RESTChange)){
	"by pages": func(ctx context.Context, f gatewaytest.Follower, after string, told func(gatewaytest.RESTChange)) {
		for ctx.Err() == nil {
			after = pageInto(ctx, f, "?limit=7&noun=LABEL&after="+after, after, told)
		}
	},
	"by long polls": func(ctx context.Context, f gatewaytest.Follower, after string, told func(gatewaytest.RESTChange)) {
		for ctx.Err() == nil {
			poll, cancel := context.WithTimeout(ctx, time.Duration(rand.IntN(400))*time.Millisecond)
			after = pageInto(poll, f, "?wait=5&limit=5&noun=LABEL&after="+after, after, told)
			cancel()
		}
	},
	"by streams": func(ctx context.Context, f gatewaytest.Follower, after string, told func(gatewaytest.RESTChange)) {
		for ctx.Err() == nil {
			streaming, cancel := context.WithTimeout(ctx, time.Duration(rand.IntN(400))*time.Millisecond)
			s, err := streamREST(streaming, anywhere(f), "?noun=LABEL&after="+after)
			for err == nil {
				e, ok := s.Next()
				if !ok || e.Name != "" {
					break
				}
				told(changeOf(e))
				after = e.ID
			}
			cancel()
		}
	},
	"by subscriptions over events": func(ctx context.Context, f gatewaytest.Follower, after string, told func(gatewaytest.RESTChange)) {
		for ctx.Err() == nil {
			following, cancel := context.WithTimeout(ctx, time.Duration(rand.IntN(400))*time.Millisecond)
			s, err := anywhere(f).Subscribe(following, gatewaytest.EveryChange, map[string]any{"after": after, "nouns": "LABEL"})
			for err == nil {
				e, ok := s.Next()
				if !ok {
					break
				}
				if after, ok = tell([]byte(e.Data), after, told); !ok {
					break
				}
			}
			cancel()
		}
	},
	"by subscriptions over sockets": func(ctx context.Context, f gatewaytest.Follower, after string, told func(gatewaytest.RESTChange)) {
		for ctx.Err() == nil {
			following, cancel := context.WithTimeout(ctx, time.Duration(rand.IntN(400))*time.Millisecond)
			s, err := anywhere(f).Connect(following)
			if err == nil {
				err = s.Say(following, gatewaytest.Subscribing("1", gatewaytest.EveryChange, map[string]any{"after": after, "nouns": "LABEL"}))
			}
			for ok := true; err == nil && ok; {
				var m gatewaytest.Message
				if m, err = s.Hear(following); err == nil {
					after, ok = tell(m.Payload, after, told)
				}
			}
			if s.Conn != nil {
				_ = s.CloseNow()
			}
			cancel()
		}
	},
}

// tell takes an answer of a subscription; ok is false when it is none with a change.
func tell(text []byte, after string, to func(gatewaytest.RESTChange)) (now string, ok bool) {
	var answer gatewaytest.ChangeAnswer
	if json.Unmarshal(text, &answer) != nil || answer.Errors != nil || answer.Data == nil {
		return after, false
	}
	c := answer.Data["changes"]
	to(gatewaytest.RESTChange{Sequence: c.Sequence, ID: c.ObjectID})
	return c.Cursor, true
}

// anywhere is the follower at one of its gateways.
func anywhere(f gatewaytest.Follower) gatewaytest.Follower {
	f.Address = append(f.Others, f.Address)[rand.IntN(len(f.Others)+1)]
	return f
}

// pageInto asks for a page and returns the place from which to go on.
func pageInto(ctx context.Context, f gatewaytest.Follower, query, after string, told func(gatewaytest.RESTChange)) string {
	response, err := anywhere(f).Get(ctx, query)
	if err != nil {
		return after
	}
	defer response.Body.Close()
	page, err := gatewaytest.PageOfChanges(response)
	if err != nil {
		return after
	}
	for _, c := range page.Changes {
		told(c)
		after = c.Cursor
	}
	if len(page.Changes) == 0 {
		after = page.Latest
	}
	return after
}

// followAll lets readers follow while do writes, and says what they were told wrongly. They are given some time to
// hear of all that do returns.
func followAll(t testing.TB, f gatewaytest.Follower, after string, patience time.Duration, do func() (acknowledged []string)) (wrong error) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var all sync.WaitGroup
	var mu sync.Mutex
	of := map[string]*followed{}
	for name, follow := range readers {
		of[name] = &followed{}
		all.Go(func() {
			follow(ctx, f, after, func(c gatewaytest.RESTChange) {
				mu.Lock()
				defer mu.Unlock()
				of[name].add(c)
			})
		})
	}
	acknowledged := do()
	for until, waited := time.Now().Add(patience), false; !waited && time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		mu.Lock()
		waited = true
		for _, told := range of {
			waited = waited && told.has(acknowledged)
		}
		mu.Unlock()
	}
	stop()
	all.Wait()
	for name, told := range of {
		if err := told.wrong(acknowledged); err != nil {
			wrong = errors.Join(wrong, fmt.Errorf("%s: %w", name, err))
		}
	}
	return wrong
}

func TestEveryAcknowledgedWriteIsToldToEveryReaderInOrder(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			credential := o.Credential(t, backoffice.AllScopes...)
			err := followAll(t, o.Follower(t, credential), o.LatestCursor(t), time.Minute, func() []string { return writeAtOnce(t, o, credential, 50, 5) })
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestReadersThatGoFromOneGatewayToAnotherAreToldEverythingInOrder(t *testing.T) {
	t.Parallel()
	database := gatewaytest.PostgreSQL(t)
	one, other := gatewaytest.OpenOn(t, database), gatewaytest.OpenOn(t, database)
	credential := one.Credential(t, backoffice.AllScopes...)
	f := one.Follower(t, credential)
	f.Others = []string{other.Follower(t, credential).Address}
	err := followAll(t, f, one.LatestCursor(t), time.Minute, func() []string {
		var all sync.WaitGroup
		var here, there []string
		all.Go(func() { here = writeAtOnce(t, one, credential, 25, 4) })
		all.Go(func() { there = writeAtOnce(t, other, credential, 25, 4) })
		all.Wait()
		return append(here, there...)
	})
	if err != nil {
		t.Error(err)
	}
}

// hasty reads the log as one would that takes the largest number for the end of what is visible: an entry that is
// committed a moment later, with a smaller number, is passed.
type hasty struct{ backoffice.Store }

func (h hasty) Changes(ctx context.Context, after int64, limit int) ([]*backoffice.Change, error) {
	entries, err := h.Store.Changes(ctx, after, limit)
	if len(entries) > 2 {
		entries = slices.Delete(slices.Clone(entries), 1, 2)
	}
	return entries, err
}

func TestAFeedThatPassesWhatCommitsLateIsFoundOut(t *testing.T) {
	t.Parallel()
	o := gatewaytest.ServeThrough(t, gatewaytest.Settings(t, gatewaytest.Engines["SQLite"](t)), gatewaytest.Limits(), func(of backoffice.Store) backoffice.Store { return hasty{of} })
	credential := o.Credential(t, backoffice.AllScopes...)
	err := followAll(t, o.Follower(t, credential), o.LatestCursor(t), 3*time.Second, func() []string { return writeAtOnce(t, o, credential, 10, 20) })
	if err == nil {
		t.Error("nobody misses anything, so the tests of the order show nothing")
	}
}

// A reader that goes by the time of a change, as updatedSince would have it, misses what commits late; one that goes
// by the number does not.
func TestAReaderByTimeLosesWhatCommitsLate(t *testing.T) {
	t.Parallel()
	o := gatewaytest.OpenOn(t, gatewaytest.Engines["PostgreSQL"](t))
	f := o.Follower(t, o.Credential(t, backoffice.AllScopes...))
	after := o.LatestCursor(t)
	byTime, byNumber := &followed{}, &followed{}
	last := time.Now()
	read := func() {
		since := last
		for _, c := range f.Page(t, "?limit=500&noun=LABEL&after="+after).Changes {
			if c.At.After(since) {
				byTime.add(c)
				last = c.At
			}
			byNumber.add(c)
			after = c.Cursor
		}
	}
	var ids []string
	label := func(ctx context.Context, tx backoffice.Tx, at time.Time) error {
		id := backoffice.NewID()
		ids = append(ids, id)
		if err := tx.Labels().Insert(ctx, &backoffice.Label{ID: id, Name: id}); err != nil {
			return err
		}
		return tx.LogChanges(ctx, &backoffice.Change{At: backoffice.InstantOf(at), Action: "createLabel", Noun: backoffice.NounLabel, ObjectID: id})
	}
	err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		began := time.Now()
		time.Sleep(5 * time.Millisecond)
		other := context.WithoutCancel(t.Context())
		if err := o.Store.Write(other, func(ctx context.Context, tx backoffice.Tx) error { return label(ctx, tx, time.Now()) }); err != nil {
			return err
		}
		read()
		return label(ctx, tx, began)
	})
	if err != nil {
		t.Fatal(err)
	}
	read()
	if err := byNumber.wrong(ids); err != nil {
		t.Error(err)
	}
	if byTime.wrong(ids) == nil {
		t.Error("nobody would notice a reader that loses changes")
	}
}
