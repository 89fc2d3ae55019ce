package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/tools/rig"
)

// A server that keeps two customers, and does to them what a test wants.
func TestACheckerNoticesWhatAServerDoesWrongly(t *testing.T) {
	t.Parallel()
	const torn = `{"data":{"a":{"id":"a","email":"%s","version":2},"b":{"id":"b","email":"x","version":2}}}`
	for name, c := range map[string]struct {
		read  func(w http.ResponseWriter, email string)
		found func(counts) int
	}{
		"a write is lost": {func(w http.ResponseWriter, _ string) {
			fmt.Fprint(w, `{"data":{"a":{"id":"a","email":"first@example.org","version":1},"b":{"id":"b","email":"first@example.org","version":1}}}`)
		}, func(c counts) int { return c.lost }},
		"a customer is gone": {func(w http.ResponseWriter, _ string) { fmt.Fprint(w, `{"data":{"a":null,"b":null}}`) }, func(c counts) int { return c.lost }},
		"half of it is done": {func(w http.ResponseWriter, email string) { fmt.Fprintf(w, torn, email) }, func(c counts) int { return c.torn }},
		"503 without Retry-After": {func(w http.ResponseWriter, _ string) {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"errors":[{"extensions":{"code":"UNAVAILABLE"}}]}`)
		}, func(c counts) int { return c.wrong }},
		"an internal error": {func(w http.ResponseWriter, _ string) {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, `{"errors":[{"extensions":{"code":"INTERNAL_SERVER_ERROR"}}]}`)
		}, func(c counts) int { return c.wrong }},
		"no JSON": {func(w http.ResponseWriter, _ string) { fmt.Fprint(w, `{"data`) }, func(c counts) int { return c.wrong }},
	} {
		email := "first@example.org"
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var sent struct {
				Query     string
				Variables struct{ I []struct{ Email string } }
			}
			_ = json.NewDecoder(r.Body).Decode(&sent)
			if strings.HasPrefix(sent.Query, "mutation") {
				email = sent.Variables.I[0].Email
				fmt.Fprint(w, `{"data":{"updateCustomers":{"written":2,"results":[{"customer":{"id":"a","version":2},"userErrors":[]},{"customer":{"id":"b","version":2},"userErrors":[]}]}}}`)
				return
			}
			c.read(w, email)
		}))
		of := &noted{}
		w := &checker{
			client: rig.NewClient(strings.TrimPrefix(server.URL, "http://"), rig.Credential{}, 1, time.Minute), of: of, ids: [2]string{"a", "b"}, versions: [2]int{1, 1},
			value: email, deaf: func() bool { return false },
		}
		if !w.write() {
			t.Errorf("%s: the write is not acknowledged: %s", name, of.example)
		}
		w.read()
		server.Close()
		if c.found(of.counts) != 1 || of.isWhole(time.Minute) {
			t.Errorf("%s: %+v", name, of.counts)
		}
	}
}
