package auth

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// onePerson is a person whose token ends at some time.
type onePerson struct {
	People
	seen   atomic.Int64 // how often they were checked
	ended  atomic.Bool
	onLive func(seen int64)
}

func (p *onePerson) Live(person *backoffice.Principal) (*backoffice.Principal, error) {
	p.onLive(p.seen.Add(1))
	if p.ended.Load() {
		return nil, ErrTokenEnded
	}
	return person, nil
}

func TestAPersonsRequestEndsWhileEachReadOfCredentialsTakesLong(t *testing.T) {
	t.Parallel()
	const pairs = 20
	store := newMemoryStore()
	a := NewAuthenticator(store)
	t.Cleanup(a.Close)
	var later atomic.Int64
	a.now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	first, third := make(chan int64, 1), make(chan int64, 1)
	person := &onePerson{}
	person.onLive = func(seen int64) {
		switch {
		case later.Load() == 0:
			person.seen.Store(0)
		case seen == 1:
			first <- store.reads.Load()
		case seen == 3:
			third <- store.reads.Load()
		}
	}
	a.People = person
	ids, secrets := make([]string, pairs), make([]string, pairs)
	for i := range pairs {
		ids[i], secrets[i] = issue(t, store)
	}
	var all []context.Context
	for i := range pairs {
		all = append(all, going(t, a, ids[i], secrets[i]))
	}
	theirs, end := a.Begin(t.Context(), &backoffice.Principal{ClientID: "person", Person: &backoffice.Person{}})
	t.Cleanup(end)

	store.block = func(context.Context) error { // longer than a failed read is remembered
		time.Sleep(pauseAfter + 100*time.Millisecond)
		return errors.New("frozen")
	}
	later.Store(int64(staleAfter))
	if reads := -<-first + <-third; reads > 3 {
		t.Errorf("%d reads in two rounds of a store that is away", reads)
	}
	person.ended.Store(true)
	<-theirs.Done()
	if cause := context.Cause(theirs); !errors.Is(cause, ErrTokenEnded) {
		t.Errorf("it ended for %v", cause)
	}
	for _, ctx := range all {
		if ctx.Err() != nil {
			t.Errorf("a credential's ended for %v", context.Cause(ctx))
		}
	}
}
