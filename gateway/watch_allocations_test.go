package gateway

import (
	"net/http"
	"testing"

	"example.org/backoffice/graphql/graphqlhttp"
)

func TestAnOperationThatNobodyWatchesAllocatesNothingForIt(t *testing.T) { //nolint:paralleltest // it counts what the process allocates
	ctx := t.Context()
	var s server
	o := &execution{of: &s, ctx: ctx}
	handler := http.NewServeMux()
	if made := testing.AllocsPerRun(100, func() {
		if o.span = s.tracer.Begin(ctx); o.span != nil {
			t.Error("it is watched")
		}
		o.report(&graphqlhttp.Outcome{Type: "query"})
		if s.tracer.TakeOver(handler) != http.Handler(handler) {
			t.Error("something stands before the handler")
		}
	}); made != 0 {
		t.Errorf("%f allocations", made)
	}
}
