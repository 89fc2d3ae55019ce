package answers

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/demo"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/limits"
)

// drain takes an answer and keeps only how it began and how long it was.
type drain struct {
	header        http.Header
	status, bytes int
}

func (d *drain) Header() http.Header              { return d.header }
func (d *drain) WriteHeader(status int)           { d.status = status }
func (d *drain) SetWriteDeadline(time.Time) error { return nil }
func (d *drain) Write(b []byte) (int, error)      { d.bytes += len(b); return len(b), nil }

// BenchmarkKeptAnswers measures requests through the whole handler, on servers over the same store with everything in
// memory: one that executes each query, and one that keeps answers. "once" asks each question once.
func BenchmarkKeptAnswers(b *testing.B) {
	gatewaytest.Tuned(b)
	for engine, database := range gatewaytest.Engines {
		b.Run(engine, func(b *testing.B) {
			settings := gatewaytest.Settings(b, database(b))
			var servers [2]*gatewaytest.Office
			var credential [2]string
			for i := range servers {
				backend, err := settings.Open(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				if i == 0 {
					filler := demo.Demo{Store: backend.Store, Files: backend.Files, Keys: backend.Keys, Customers: 2_000, Seed: 1, Now: time.Now()}
					if err := filler.Fill(b.Context()); err != nil {
						b.Fatal(err)
					}
					issued, secret, err := auth.Issue(b.Context(), backend.Store, "benchmark", backoffice.AllScopes, 0)
					if err != nil {
						b.Fatal(err)
					}
					credential = [2]string{issued.ID, secret}
				}
				c := gatewaytest.Config(limits.Defaults())
				c.Cache = gateway.CacheSettings{Cache: 128 << 20, NoAnswers: i == 0}
				servers[i] = gatewaytest.ServeConfig(b, backend, c)
			}
			var page struct {
				Data struct {
					Customers struct{ Nodes []struct{ ID string } }
				}
			}
			_, answer, _ := servers[0].Ask(b, credential, `{ customers(first: 500) { nodes { id } } }`, nil, nil)
			if err := json.Unmarshal(answer, &page); err != nil {
				b.Fatal(err)
			}
			const customer = `query ($id: ID!, $n: Int!) { customer(id: $id) { name transcripts(first: $n) { nodes { status checklist { name } } } } }`
			one := func(i, n int) any {
				return map[string]any{"id": page.Data.Customers.Nodes[i%len(page.Data.Customers.Nodes)].ID, "n": n}
			}
			for _, q := range []struct {
				name, text string
				variables  func(i int) any
				different  int
			}{
				{"Q1", `{ customers(first: 50) { nodes { id name email responsible { displayName } relations(first: 10) { edges { node { kind } otherCustomer { id displayName } } } transcripts(first: 10) { nodes { id status progressPercentage checklist { name } financialYear { startDate } } } } } }`, func(int) any { return nil }, 1},
				{"Q2 of 500", customer, func(i int) any { return one(i, 10) }, 500},
				{"Q2 once", customer, func(i int) any { return one(i, 1+i/500%400) }, 200_000},
				{"Q5", `{ customers(first: 100) { nodes { id name email updatedAt } } }`, func(int) any { return nil }, 1},
			} {
				bodies := make([][]byte, q.different)
				for i := range bodies {
					bodies[i], _ = json.Marshal(map[string]any{"query": q.text, "variables": q.variables(i)}) // of texts alone
				}
				for i, mode := range []string{"executed", "kept"} {
					b.Run(q.name+"/"+mode, func(b *testing.B) {
						ask := func(body []byte) {
							r, _ := http.NewRequestWithContext(b.Context(), http.MethodPost, "/graphql", io.NopCloser(bytes.NewReader(body)))
							r.ContentLength = int64(len(body))
							r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/graphql-response+json"},
								auth.ClientIDHeader: {credential[0]}, auth.ClientSecretHeader: {credential[1]}}
							w := &drain{header: http.Header{}}
							if servers[i].Handler.ServeHTTP(w, r); w.status != http.StatusOK || w.bytes < 20 {
								b.Fatalf("%d, %d bytes", w.status, w.bytes)
							}
						}
						for range 3 { // everything is in memory
							for _, body := range bodies[:min(len(bodies), 500)] {
								ask(body)
							}
						}
						from := gatewaytest.ProcessorTime(b)
						b.ReportAllocs()
						b.ResetTimer()
						for n := range b.N {
							ask(bodies[(500+n)%len(bodies)])
						}
						b.StopTimer()
						b.ReportMetric(float64((gatewaytest.ProcessorTime(b)-from).Microseconds())/float64(b.N), "cpu-µs/op")
					})
				}
			}
		})
	}
}
