package agents

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

// BenchmarkACall compares a call of a tool with a request for the same document at /graphql, by processor time: of one
// record, of a page of 50 customers, and of one with the relations of each.
func BenchmarkACall(b *testing.B) {
	for name, memory := range map[string]gateway.CacheSettings{"": {}, "cached/": {Cache: 64 << 20}} {
		o := gatewaytest.ServeCached(b, gatewaytest.Settings(b, gatewaytest.Engines["SQLite"](b)), memory)
		o.Fill(b)
		compareCalls(b, name, o)
	}
}

func compareCalls(b *testing.B, memory string, o *gatewaytest.Office) {
	people(b, o, 1000, func(i int) string { return fmt.Sprintf("Customer %d", i) })
	credential, accept, version := o.Credential(b), []string{"application/json, text/event-stream"}, []string{"2025-11-25"}
	ids, texts := map[string]string{}, map[string]string{
		"one":      `query One { customer(id: "acme") { id displayName email } }`,
		"page":     `query Page { customers(first: 50) { nodes { id displayName type kboNumber email phone } } }`,
		"filtered": `query Filtered { customers(first: 50, filter: {search: "customer"}, orderBy: {field: NAME, direction: ASC}) { totalCount nodes { id displayName email relations { totalCount nodes { kind } } transcripts { nodes { status } } } } }`,
	}
	for name, text := range texts {
		ids[name] = o.Tool(b, backoffice.Tool{Name: name, About: "x"}, text)
	}
	for name, id := range ids {
		b.Run(memory+name, func(b *testing.B) {
			ask := func(path, body string) (spent time.Duration) {
				began := gatewaytest.ProcessorTime(b)
				for range inTurn {
					r := gatewaytest.NewRequest(b, credential, http.MethodPost, path, body)
					r.Header["Accept"], r.Header["Mcp-Protocol-Version"] = accept, version
					if w := o.Serve(r); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"id`) {
						b.Fatal(w.Code, w.Body)
					}
				}
				return gatewaytest.ProcessorTime(b) - began
			}
			var graphql, tool time.Duration
			for b.Loop() { // in turn: what else this machine does is shared
				graphql += ask("/graphql", `{"documentId":"`+id+`"}`)
				tool += ask("/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`"}}`)
			}
			b.ReportMetric(graphql.Seconds()*1e6/float64(b.N)/inTurn, "µs-cpu/request")
			b.ReportMetric(tool.Seconds()*1e6/float64(b.N)/inTurn, "µs-cpu/call")
			b.ReportMetric(tool.Seconds()/graphql.Seconds(), "calls/request")
		})
	}
}

const inTurn = 20 // requests, of each way
