package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/tools/benchmarks/data"
)

func TestAnswersAreComparedAsValues(t *testing.T) {
	t.Parallel()
	read := func(body string) any {
		value, err := values(answer{200, []byte(body)})
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	ours := read(`{"data":{"customers":{"nodes":[{"id":"a","updatedAt":"2021-01-01T00:00:00.016Z"}],"totalCount":3}}}`)
	if stored := read(`{"data":{"customers":{"totalCount":3,"nodes":[{"updatedAt":"1609459200016","id":"a"}]}}}`); !reflect.DeepEqual(ours, stored) {
		t.Error(difference("data", ours, stored))
	}
	other := read(`{"data":{"customers":{"nodes":[{"id":"b","updatedAt":"2021-01-01T00:00:00.016Z"}],"totalCount":3}}}`)
	if got := difference("data", ours, other); got != "data.customers.nodes[0].id is b, not a" {
		t.Error(got)
	}
}

func TestAnAnswerWithErrorsIsNone(t *testing.T) {
	t.Parallel()
	for _, a := range []answer{
		{200, []byte(`{"data":{"x":1},"errors":[{"message":"no"}]}`)}, {200, []byte(`{"data":null}`)}, {500, []byte(`{"data":{"x":1}}`)}, {200, []byte(`gone`)},
	} {
		if _, err := values(a); err == nil {
			t.Errorf("%d %s is an answer", a.status, a.body)
		}
	}
}

func TestEveryServerIsAskedInItsOwnWords(t *testing.T) {
	t.Parallel()
	office := data.Office{Customers: 10_000}
	for _, q := range queries {
		for name, in := range map[string]language{"ours": inOurs, "peers": inPeers, "aliased": inAliased} {
			bodies := q.bodies(in, office)
			seen := map[string]bool{}
			for _, body := range bodies {
				var request struct {
					Query     string
					Variables map[string]string
				}
				if err := json.Unmarshal(body, &request); err != nil || bytes.ContainsAny(body, "\n\r") {
					t.Fatalf("%s in %s: %s: %v", q.name, name, body, err)
				}
				if (name != "ours" && strings.Contains(request.Query, "direction")) || strings.Count(request.Query, "{") != strings.Count(request.Query, "}") {
					t.Errorf("%s in %s: %s", q.name, name, request.Query)
				}
				seen[request.Variables["id"]] = true
			}
			if want := map[bool]int{true: maxVariants, false: 1}[q.vary]; len(bodies) != want || len(seen) != want {
				t.Errorf("%s in %s has %d requests for %d customers", q.name, name, len(bodies), len(seen))
			}
		}
	}
}

func TestLeavesAreTheValuesInTheirOrderWhateverHoldsThem(t *testing.T) {
	t.Parallel()
	ours, err := leavesOf([]byte(`{"data":{"customers":{"totalCount":2,"nodes":[{"id":"a","updatedAt":"2021-01-01T00:00:00.016Z"},{"id":null}]}}}`))
	if err != nil || !slices.Equal(ours, []string{"2", "a", "2021-01-01T00:00:00.016Z", "null"}) {
		t.Error(ours, err)
	}
	other, err := leavesOf([]byte(`{"data":{"count":2,"customers":[{"id":"a","updatedAt":1609459200016},{"id":null}]}}`))
	if err != nil || !slices.Equal(ours, other) {
		t.Error(other, err)
	}
	if _, err := leavesOf([]byte(`{"data":`)); err == nil {
		t.Error("half an answer is read")
	}
}
