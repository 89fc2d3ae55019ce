package graphqlhttp

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

// stalled is a subscription of a store whose statements take too long.
type stalled struct{ Subscription }

func (stalled) Next(context.Context, int) (int, error) {
	return 0, backoffice.Fault(context.DeadlineExceeded, "reading changes")
}

func (stalled) Event(i int) Event { return Event{Cursor: strconv.Itoa(i)} }

// patient is a subscriber that hears that it is alive a few times.
type patient struct {
	subscriber
	idles int
}

func (p *patient) idle() error {
	if p.idles++; p.idles > 3 {
		return errors.New("enough")
	}
	return nil
}

func TestASubscriptionEndsWhenItsStatementsTakeTooLong(t *testing.T) {
	t.Parallel()
	g, to := New(scripted{}, limits.Defaults(), Hooks{}), &patient{}
	f := &following{GraphQL: g, q: &prepared{cost: 1}, of: stalled{}, to: to}
	if err := f.run(t.Context()); !errors.Is(err, context.DeadlineExceeded) || to.idles > 1 {
		t.Errorf("it was called alive %d times and ended with %v", to.idles, err)
	}
}

func TestSharedAnswersAreFewWhileNothingChanges(t *testing.T) {
	t.Parallel()
	s := &shared{subscribers: 2, answers: map[Event]toldAnswer{}}
	answers := make([]answer, 100)
	for i := range answers {
		answers[i].data = json.RawMessage(make([]byte, eventBytes))
	}
	s.tell(stalled{}, 0, answers)
	if s.bytes == 0 || s.bytes > sharedBytes+eventBytes {
		t.Errorf("%d bytes stay", s.bytes)
	}
}
