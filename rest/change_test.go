package rest_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
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

// stalling is a store whose statements take too long from some time on.
type stalling struct {
	backoffice.Store
	stalls atomic.Bool
}

func (s *stalling) Send(ctx context.Context, b *backoffice.Batch) error {
	if s.stalls.Load() {
		return backoffice.Fault(context.DeadlineExceeded, "reading changes")
	}
	return s.Store.Send(ctx, b)
}

func TestAStreamEndsWhenItsStatementsTakeTooLong(t *testing.T) {
	t.Parallel()
	o := open(t)
	store := &stalling{Store: o.store}
	o.store = store
	o.admit = func(ctx context.Context, _, _ int) (context.Context, func(), error) {
		return ctx, func() { store.stalls.Store(true) }, nil // once the first page is read
	}
	o.serve(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/changes", nil)
	r.Header = http.Header{
		"X-Client-Id": {o.all.id}, "X-Client-Secret": {o.all.secret}, "Accept": {"text/event-stream"},
	}
	w := httptest.NewRecorder()
	o.handler.ServeHTTP(w, r)
	if got := w.Body.String(); !strings.HasPrefix(got, ":\n\nevent: end\n") {
		t.Errorf("%.200q", got)
	}
}
