package execute_test

import (
	"context"
	"errors"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/execute"
)

func TestAQueryWhoseRequestIsOverStopsWhileItIsWritten(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	e := serve(newFixed(fixed{customers: 2_000, responsible: func(_ context.Context, objs []*backoffice.Customer) ([]*backoffice.User, error) {
		cancel()
		return make([]*backoffice.User, len(objs)), nil
	}}, execute.Options{}))
	response, _ := do(ctx, e, operation{Query: `{ customers { nodes { id responsible { id } } } }`})
	if response.Data != nil || len(response.Errors) != 1 || !errors.Is(response.Errors[0], context.Canceled) {
		t.Errorf("%d bytes were written, errors %v", len(response.Data), response.Errors)
	}
}

func TestTheWritingEndsWithTheErrorOfWhoCountsIt(t *testing.T) {
	t.Parallel()
	tooLong := errors.New("too long")
	longest := 0
	e := serve(newFixed(fixed{customers: 20_000}, execute.Options{Written: func(_ context.Context, answer []byte) error {
		if longest = len(answer); longest > 100_000 {
			return tooLong
		}
		return nil
	}}))
	response, _ := do(t.Context(), e, operation{Query: `{ customers { nodes { id displayName } } }`})
	if response.Data != nil || len(response.Errors) != 1 || !errors.Is(response.Errors[0], tooLong) {
		t.Errorf("%d bytes, errors %v", len(response.Data), response.Errors)
	}
	if longest > 150_000 {
		t.Errorf("%d bytes were written before anybody was asked", longest)
	}
	response, _ = do(t.Context(), e, operation{Query: `{ customers(first: 1000) { nodes { id } } }`})
	if len(response.Errors) > 0 || longest != len(response.Data) {
		t.Errorf("the last count is %d of %d bytes, errors %v", longest, len(response.Data), response.Errors)
	}
}

// After one long answer, short ones of the same document do not take its memory each.
func TestADocumentDoesNotRememberItsLongestAnswerForGood(t *testing.T) {
	t.Parallel()
	e := serve(newFixed(fixed{customers: 1_000_000}, execute.Options{}))
	room := func(first int) int {
		response, _ := do(t.Context(), e, operation{Query: `query($n: Int) { customers(first: $n) { nodes { id displayName } } }`, Variables: map[string]any{"n": first}})
		if len(response.Errors) > 0 {
			t.Fatal(response.Errors)
		}
		return cap(response.Data)
	}
	if long := room(400_000); long < 8<<20 {
		t.Fatalf("the long answer took %d bytes", long)
	}
	if next := room(0); next > 5<<20 {
		t.Errorf("the next, short one took %d bytes", next)
	}
	for range 20 {
		if later := room(0); later > 1<<10 {
			t.Fatalf("a later short one took %d bytes", later)
		}
	}
}
