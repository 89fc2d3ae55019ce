package rest_test

import (
	"context"
	"testing"
)

// What is committed while the answer is made is after the cursor that it names, or in it.
func TestTheEndOfAPageSinceAnInstantIsBeforeWhatItDoesNotHave(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.serve(t) // the writer's
	writes, admitted := o.handler, 0
	o.admit = func(ctx context.Context, _, _ int) (context.Context, func(), error) {
		if admitted++; admitted == 2 { // between the first read and the second
			reads := o.handler
			o.handler = writes
			o.ask(t, o.all, "PUT", "/customers/acme", `{"phone":null}`).is(200)
			o.handler = reads
		}
		return ctx, func() {}, nil
	}
	o.serve(t)
	page := o.get(t, "/changes?noun=CUSTOMER&since=2999-01-01T00:00:00Z").is(200)
	o.admit, admitted = nil, 0
	next := o.get(t, "/changes?noun=CUSTOMER&after="+page["latest"].(string)).is(200)
	if len(page["changes"].([]any))+len(next["changes"].([]any)) < 1 {
		t.Errorf("the change is not told: %v, and then %v", page, next)
	}
}
