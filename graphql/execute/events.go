package execute

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Subscribed returns the root field of the context's subscription and its decoded arguments. It fails when they cannot
// be decoded, and when the operation has no root field.
func (e *Executor) Subscribed(ctx context.Context) (field string, args map[string]any, err error) {
	operation := graphql.GetOperationContext(ctx)
	p, err := e.planOf(operation)
	if err != nil {
		return "", nil, err
	}
	if len(p.root.columns) != 1 {
		return "", nil, errors.New("a subscription must have one root field")
	}
	f := p.root.columns[0]
	ctx = rootContext(ctx, f)
	if args, err = arguments(ctx, f, operation); err != nil {
		located := &gqlerror.Error{Err: err, Message: err.Error(), Path: graphql.GetPath(ctx)}
		return "", nil, located
	}
	return f.source.Name, args, nil
}

// Events executes the context's subscription for several events at once, objects of the root type of subscriptions:
// each resolver is called once for all of them. Each event gets an answer, in order, with its own errors. It fails when
// no event can be answered: on timeout, or when the answers together would be too long.
func (e *Executor) Events(ctx context.Context, events List,
	present graphql.ErrorPresenterFunc) ([]*graphql.Response, error) {
	recovers := graphql.GetOperationContext(ctx).RecoverFunc
	ctx = graphql.WithResponseContext(ctx, present, recovers)
	r, all, err := e.start(ctx, events)
	if err == nil && len(graphql.GetErrors(ctx)) > 0 { // of no particular event
		err = graphql.GetErrors(ctx)
	}
	if err != nil {
		return nil, err
	}
	w := newWriter(r, borrow(ctx, int(r.plan.answer.Load())))
	responses, ends := make([]*graphql.Response, events.Len()), make([]int, events.Len())
	for i := range responses {
		own := graphql.WithResponseContext(ctx, present, recovers)
		r.ctx = own //nolint:fatcontext // it is made of the same one for each event
		w.object(all)
		w.finish()
		responses[i], ends[i] = &graphql.Response{Errors: graphql.GetErrors(r.ctx)}, len(w.bytes)
		if w.omitted > 0 {
			responses[i].Extensions = map[string]any{ErrorsOmitted: w.omitted}
		}
		w.unwritable, w.errors, w.omitted = nil, 0, 0
	}
	r.ctx = ctx
	w.checkSize()
	noteGrown(ctx, w.bytes)
	if w.ended != nil {
		return nil, w.ended
	}
	r.plan.answer.Store(int64(len(w.bytes)))
	start := 0
	for i, end := range ends { // not earlier, since the buffer grows
		responses[i].Data, start = w.bytes[start:end:end], end
	}
	return responses, nil
}
