package agents

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// BenchmarkACall compares a call of a tool with a request for the same document at /graphql, by processor time: of one
// record, of a page of 50 customers, and of one with the relations of each.
func BenchmarkACall(b *testing.B) {
	o := gatewaytest.Open(b)
	people(b, o, 1000, func(i int) string { return fmt.Sprintf("Customer %d", i) })
	pair, accept, version := o.Credential(b), []string{"application/json, text/event-stream"}, []string{"2025-11-25"}
	ids, texts := map[string]string{}, map[string]string{
		"one":      `query One { customer(id: "acme") { id displayName email } }`,
		"page":     `query Page { customers(first: 50) { nodes { id displayName type kboNumber email phone } } }`,
		"filtered": `query Filtered { customers(first: 50, filter: {search: "customer"}, orderBy: {field: NAME, direction: ASC}) { totalCount nodes { id displayName email relations { totalCount nodes { kind } } transcripts { nodes { status } } } } }`,
	}
	for name, text := range texts {
		ids[name] = o.Tool(b, backoffice.Tool{Name: name, About: "x"}, text)
	}
	for name, id := range ids {
		for way, of := range map[string]struct{ path, body string }{
			"graphql": {"/graphql", `{"documentId":"` + id + `"}`},
			"tool":    {"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `"}}`},
		} {
			request := func() *http.Request {
				r := gatewaytest.NewRequest(b, pair, http.MethodPost, of.path, of.body)
				r.Header["Accept"], r.Header["Mcp-Protocol-Version"] = accept, version
				return r
			}
			b.Run(name+"/"+way, func(b *testing.B) {
				if w := o.Serve(request()); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"id`) {
					b.Fatal(w.Code, w.Body)
				}
				b.ReportAllocs()
				began := gatewaytest.ProcessorTime(b)
				for b.Loop() {
					o.Serve(request())
				}
				b.ReportMetric(float64(gatewaytest.ProcessorTime(b)-began)/float64(b.N)/1e3, "µs-cpu/op")
			})
		}
	}
}
