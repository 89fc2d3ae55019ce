package graphqlhttp

import (
	"bytes"
	"context"
	"sync"
	"time"

	"example.org/backoffice/graphql/answers"
)

// Subscribers of the same subscription with the same view share executions: of those that are told of a change within
// a moment, one executes the operation, and the others are sent its answer.

// Event is an entry of the change log as subscribers with the same view are told it. One entry may be several events.
type Event struct {
	Sequence                       int
	Cursor, Noun, ObjectID, Action string
}

const (
	sharedTime  = 100 * time.Millisecond // after which an answer is not as fresh as one that is executed
	sharedBytes = 4 * eventBytes         // of the answers that are kept, roughly
)

type sharing struct {
	mu  sync.Mutex
	all map[answers.Key]*shared
}

// enter returns what is shared by the subscribers of a key, nil without one. Call leave.
func (s *sharing) enter(key *answers.Key) (of *shared, leave func()) {
	if key == nil {
		return nil, func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if of = s.all[*key]; of == nil {
		of = &shared{slot: make(chan struct{}, 1), answers: map[Event]toldAnswer{}}
		if s.all == nil {
			s.all = map[answers.Key]*shared{}
		}
		s.all[*key] = of
	}
	of.count(1)
	return of, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if of.count(-1) == 0 {
			delete(s.all, *key)
		}
	}
}

// shared is what the subscribers of one subscription were told last. A nil one shares nothing.
type shared struct {
	slot chan struct{} // of the one that executes

	mu          sync.Mutex
	subscribers int
	answers     map[Event]toldAnswer
	order       []Event
	bytes       int
}

type toldAnswer struct {
	answer
	at time.Time // when it was executed, at the latest
}

func (s *shared) count(more int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subscribers += more
	return s.subscribers
}

// told returns the answers to some events, as far as others were told them. If the first is not among them, the caller
// has to execute the operation, and to call executed.
func (s *shared) told(ctx context.Context, of Subscription, from, before int) (known []answer, executed func(),
	err error) {
	if s == nil {
		return nil, func() {}, nil
	}
	began := time.Now()
	if known = s.known(of, from, before, began); len(known) > 0 {
		return known, nil, nil
	}
	select {
	case s.slot <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	executed = sync.OnceFunc(func() { <-s.slot })
	if known = s.known(of, from, before, began); len(known) > 0 {
		executed()
		return known, nil, nil
	}
	return nil, executed, nil
}

func (s *shared) known(of Subscription, from, before int, now time.Time) (known []answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := from; i < before; i++ {
		told, ok := s.answers[of.Event(i)]
		if !ok || now.Sub(told.at) > sharedTime {
			break
		}
		known = append(known, told.answer)
	}
	return known
}

// tell shares the answers to the events from an index on, if they are data alone. Its caller has the slot.
func (s *shared) tell(of Subscription, from int, answers []answer) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for len(s.order) > 0 && (s.bytes > sharedBytes || now.Sub(s.answers[s.order[0]].at) > sharedTime) {
		s.bytes -= len(s.answers[s.order[0]].data)
		delete(s.answers, s.order[0])
		s.order = s.order[1:]
	}
	if s.subscribers < 2 {
		return
	}
	for i, a := range answers {
		if s.bytes > sharedBytes { // nothing may evict them for a long time
			break
		}
		event := of.Event(from + i)
		if _, again := s.answers[event]; again || a.data == nil || len(a.errors)+len(a.extensions) > 0 {
			continue
		}
		a.data = bytes.Clone(a.data) // the buffer is borrowed
		s.answers[event] = toldAnswer{a, now}
		s.order = append(s.order, event)
		s.bytes += len(a.data)
	}
}
