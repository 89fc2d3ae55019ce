package graphqlhttp

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"example.org/backoffice/backoffice"
)

type Subscription interface {
	// Context ends when the subscription must; its cause is the reason.
	Context() context.Context
	// Next waits for the next events and returns their number, at most most. They stay until the next call.
	Next(ctx context.Context, most int) (int, error)
	// Event identifies the event at an index among those of subscribers with the same view.
	Event(i int) Event
	// Events executes the context's operation for the events from one index to before another: an answer for each.
	Events(ctx context.Context, from, before int, present graphql.ErrorPresenterFunc) ([]*graphql.Response, error)
	Leave()
}

type subscriber interface {
	// next sends answers, one event each, and fails when the client has gone.
	next([]answer) error
	// idle shows that the stream is alive.
	idle() error
	complete() error
}

const (
	idleEvery   = 15 * time.Second
	longestRest = 40 * time.Millisecond // of a subscriber: changes within it are sent together
	leastRest   = 5 * time.Millisecond
	restShare   = 8           // as long as telling took
	mostEvents  = 500         // executed together
	eventBytes  = 64 << 10    // roughly, of answers executed together; kept until the client has read them
	longestPong = time.Minute // without an answer to a ping a socket is closed
)

var errGone = errors.New("the client left or stopped reading; it can continue after the last change it received")

// subscribe answers a subscription until it ends. to is called when it has begun.
func (g *GraphQL) subscribe(ctx context.Context, media string, q *prepared, to func() subscriber) answer {
	if g.hooks.Subscribe == nil {
		return refusal(media, failure(codeBadInput, "this server has no subscriptions"))
	}
	s, err := g.hooks.Subscribe(graphql.WithOperationContext(ctx, q.context), Entry{Cost: q.cost, Least: q.least})
	if err != nil {
		return g.refused(ctx, media, q, err)
	}
	defer s.Leave()
	a := answer{status: http.StatusOK, media: media, streamed: true}
	if why := g.follow(ctx, q, s, to()); why != nil {
		a.errors = append(a.errors, why)
	}
	return a
}

// follow sends a subscription's events to its subscriber until one of them ends. Events that the subscriber has not
// read are not buffered: they are read in its turn. why is the error that it got at the end, if any.
func (g *GraphQL) follow(ctx context.Context, q *prepared, s Subscription, to subscriber) (why *gqlerror.Error) {
	shared, leave := g.shared.enter(q.key)
	defer leave()
	f := &following{GraphQL: g, q: q, of: s, to: to, shared: shared}
	err := f.run(s.Context())
	_, onSocket := to.(*running) // closed for the same reason
	switch {
	case onSocket && s.Context().Err() != nil, ctx.Err() != nil && backoffice.EndOfRights(ctx) == nil:
		return nil
	case errors.Is(err, errGone):
		g.log(ctx, slog.LevelInfo, "ended a subscription", err)
		return nil
	case !errors.As(err, &why):
		why = g.Present(ctx, err)
	}
	if to.next([]answer{refusal(mediaEvents, why)}) == nil {
		_ = to.complete()
	}
	g.log(ctx, slog.LevelInfo, "ended a subscription", why)
	return why
}

type following struct {
	*GraphQL
	q    *prepared
	of   Subscription
	to   subscriber
	most int // events at one time, by their cost
	size int // events executed together, by their size

	shared *shared // with the subscribers of the same; nil when the answers are the subscriber's own
}

func (f *following) run(ctx context.Context) error {
	f.most = max(1, min(mostEvents, f.limits.Cost/max(f.q.cost, 1)))
	f.size = f.most
	if f.to.idle() != nil {
		return errGone
	}
	for {
		waiting, cancel := context.WithTimeout(ctx, idleEvery)
		n, err := f.of.Next(waiting, f.most)
		idle := waiting.Err() != nil // otherwise a statement itself timed out
		cancel()
		began := time.Now()
		_, gone := f.trustedDocument(ctx, f.q.trustedAs)
		if f.q.trustedAs != "" && backoffice.KindOf(gone) == backoffice.NotFound {
			return errUntrusted
		}
		switch {
		case err != nil && (ctx.Err() != nil || !idle):
			return cmp.Or(context.Cause(ctx), err)
		case err != nil:
			if f.to.idle() != nil {
				return errGone
			}
			continue
		}
		for from := 0; from < n; {
			before := min(n, from+f.size)
			told, err := f.tell(ctx, from, before)
			if err != nil {
				return cmp.Or(context.Cause(ctx), err)
			}
			from += told
		}
		if n < f.most { // who is told with little effort is told often
			rest := min(max(restShare*time.Since(began), leastRest), longestRest)
			_ = backoffice.Sleep(ctx, time.Until(began.Add(rest)))
		}
	}
}

// tell executes the operation for some events and sends the answers. told is their number: 0 when the answers together
// would have been too long, and fewer have to be tried.
func (f *following) tell(ctx context.Context, from, before int) (told int, err error) {
	ctx, cancel := context.WithTimeout(ctx, f.limits.Time)
	defer cancel()
	known, executed, err := f.shared.told(ctx, f.of, from, before)
	switch {
	case err != nil:
		return 0, err
	case len(known) > 0:
		if f.to.next(known) != nil {
			return 0, errGone
		}
		return len(known), nil
	}
	defer executed()
	var part served
	defer part.end()
	var responses []*graphql.Response
	var bytes int
	// The subscriber has paid for the opening, and does not choose the events.
	e := Entry{Cost: (before - from) * f.q.cost, Paid: true, Part: true}
	if ctx, err = f.begin(ctx, f.q, e, &part); err == nil {
		ctx = graphql.WithOperationContext(ctx, f.q.context)
		responses, bytes, err = f.responses(ctx, part.run, from, before)
	}
	if backoffice.KindOf(err) == backoffice.TooLarge && before-from > 1 {
		f.size = (before - from) / 2
		return 0, nil
	}
	if err == nil {
		err = awayIn(responses)
	}
	if err != nil {
		return 0, err
	}
	if withheld := f.beforeWrite(ctx); withheld != nil {
		return 0, withheld
	}
	answers := make([]answer, len(responses))
	for i, r := range responses {
		a := answer{media: mediaEvents, data: r.Data, errors: r.Errors, extensions: r.Extensions}
		answers[i] = f.explained(ctx, a, f.q)
	}
	f.shared.tell(f.of, from, answers)
	executed() // nobody waits for this subscriber's line

	if bytes <= eventBytes && part.run != nil { // which need not be counted
		part.run.Sent()
	}
	if f.to.next(answers) != nil {
		return 0, errGone
	}
	f.size = min(f.most, max(1, (before-from)*eventBytes/max(bytes, 1)))
	return before - from, nil
}

func (f *following) responses(ctx context.Context, run Run, from, before int) (responses []*graphql.Response,
	bytes int, err error) {
	if run != nil {
		defer func() { run.Executed(bytes, true) }()
	}
	responses, err = f.of.Events(ctx, from, before, f.Present)
	for _, r := range responses {
		bytes += len(r.Data)
	}
	return responses, bytes, err
}

// awayIn is the error of events that lack something the store could not read. Sent, it would look deleted.
func awayIn(responses []*graphql.Response) error {
	for _, r := range responses {
		for _, err := range r.Errors {
			if code := codeOfError(err); code == codeUnavailable || code == codeTimeout {
				return &gqlerror.Error{Message: err.Message, Extensions: err.Extensions}
			}
		}
	}
	return nil
}
