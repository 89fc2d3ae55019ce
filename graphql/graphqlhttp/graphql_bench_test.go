package graphqlhttp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"example.org/backoffice/graphql/limits"
)

// small is a query of the size that most clients send, with a variable.
const small = `query Work($year: ID!, $n: Int) {
  transcripts(first: $n, filter: {financialYearId: $year, status: [TO_PROCESS]}) {
    totalCount
    pageInfo { hasNextPage endCursor }
    nodes { id status progressPercentage customer { id displayName responsible { id firstName } } file { size downloadPath } }
  }
}`

// nobody takes an answer and forgets it.
type nobody struct{ header http.Header }

func (n nobody) Header() http.Header         { return n.header }
func (n nobody) Write(b []byte) (int, error) { return len(b), nil }
func (n nobody) WriteHeader(int)             {}

// BenchmarkTransport is all that the transport and the limits take of a small query whose document is known.
func BenchmarkTransport(b *testing.B) {
	data := json.RawMessage(`{"transcripts":"` + strings.Repeat("x", 10_000) + `"}`)
	g := New(scripted{func(context.Context, *graphql.OperationContext) json.RawMessage { return data }}, limits.Defaults(), Hooks{
		Done: func(context.Context, Outcome) {},
	})
	text := body(small, map[string]any{"year": "y1", "n": 20})
	r, _ := http.NewRequest(http.MethodPost, "/graphql", nil)
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {mediaGraphQL}}
	w := nobody{http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		r.Body = io.NopCloser(strings.NewReader(text))
		r.ContentLength = int64(len(text))
		g.ServeHTTP(w, r)
	}
}

// BenchmarkPrepare is what a document takes the first time it is seen.
func BenchmarkPrepare(b *testing.B) {
	var many strings.Builder
	for i := range 30 {
		fmt.Fprintf(&many, " fragment F%d on Customer { id name email phone%s }", i, strings.Repeat(" language", i%7))
	}
	spread := func() string {
		var s strings.Builder
		for i := range 30 {
			fmt.Fprintf(&s, " ...F%d", i)
		}
		return s.String()
	}()
	for name, text := range map[string]string{
		"small":                         small,
		"the same field 190 times":      `{ customer(id: "a") {` + strings.Repeat(" id", 190) + " } }",
		"30 fragments with one another": `{ customer(id: "a") {` + spread + " } }" + many.String(),
	} {
		b.Run(name, func(b *testing.B) {
			d := newDocuments(contract(), limits.Defaults())
			b.ReportAllocs()
			for b.Loop() {
				if _, errs := d.prepare(text, d.limits); errs != nil {
					b.Fatal(errs)
				}
			}
		})
	}
}
