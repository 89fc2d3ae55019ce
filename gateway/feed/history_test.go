package feed

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// goOn are all ways to go on in the change feed after a cursor. Each gives the status and the body of the answer.
var goOn = map[string]func(t *testing.T, o *gatewaytest.Office, f gatewaytest.Follower, cursor string) (int, string){
	"a query": func(t *testing.T, o *gatewaytest.Office, f gatewaytest.Follower, cursor string) (int, string) {
		variables, _ := json.Marshal(map[string]string{"after": cursor})
		status, body, _ := o.Ask(t, f.Credential, `query($after: String) { changes(after: $after) { nodes { cursor } } }`, variables, nil)
		return status, string(body)
	},
	"a subscription": func(t *testing.T, _ *gatewaytest.Office, f gatewaytest.Follower, cursor string) (int, string) {
		response, err := f.Post(t.Context(), `subscription { changes(after: "`+cursor+`") { cursor } }`, nil)
		return begun(t, response, err)
	},
	"a page": func(t *testing.T, _ *gatewaytest.Office, f gatewaytest.Follower, cursor string) (int, string) {
		response, err := f.Get(t.Context(), "?after="+cursor)
		return begun(t, response, err)
	},
	"a long poll": func(t *testing.T, _ *gatewaytest.Office, f gatewaytest.Follower, cursor string) (int, string) {
		response, err := f.Get(t.Context(), "?wait=1&after="+cursor)
		return begun(t, response, err)
	},
	"a stream": func(t *testing.T, _ *gatewaytest.Office, f gatewaytest.Follower, cursor string) (int, string) {
		response, err := f.Get(t.Context(), "?after="+cursor, "Accept", "text/event-stream")
		return begun(t, response, err)
	},
	"a stream that goes on": func(t *testing.T, _ *gatewaytest.Office, f gatewaytest.Follower, cursor string) (int, string) {
		response, err := f.Get(t.Context(), "", "Accept", "text/event-stream", "Last-Event-ID", cursor)
		return begun(t, response, err)
	},
}

// begun is the status of an answer and its first bytes: a stream does not end.
func begun(t *testing.T, response *http.Response, err error) (int, string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	first := make([]byte, 512)
	n, _ := response.Body.Read(first)
	return response.StatusCode, string(first[:n])
}

func TestACursorOfALostHistoryIsRefusedByEachWayOfGoingOn(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			f := o.Follower(t, o.Credential(t, backoffice.AllScopes...))
			o.MakeCustomer(t)
			before, open := f.Page(t, "?limit=3"), mustStreamREST(t, f, "")
			lost := before.Changes[1].Cursor
			if err := o.Store.RenewHistory(t.Context(), "", "restore", backoffice.InstantOf(time.Now())); err != nil {
				t.Fatal(err)
			}
			for range 5 {
				o.MakeCustomer(t) // so that the log has more entries than before
			}
			for e, ok := open.Next(); ok; e, ok = open.Next() {
				if strings.HasPrefix(e.ID, strings.Split(lost, ".")[0]) {
					t.Errorf("an open stream goes on in the lost history: %+v", e)
				}
			}
			kept := f.Page(t, "?limit=3").Changes[1].Cursor
			for name, ask := range goOn {
				for cursor, want := range map[string]string{lost: "CURSOR_EXPIRED", before.Latest: "CURSOR_EXPIRED", "77777": "BAD_USER_INPUT"} {
					status, body := ask(t, o, f, cursor)
					refused := strings.Contains(body, want) || want == "CURSOR_EXPIRED" && status == http.StatusGone ||
						want == "BAD_USER_INPUT" && status == http.StatusBadRequest
					if !refused || strings.Contains(body, cursor+`"`) {
						t.Errorf("%s after %s: %d %s", name, cursor, status, body)
					}
				}
				if status, body := ask(t, o, f, kept); status != http.StatusOK || strings.Contains(body, `"errors"`) {
					t.Errorf("%s after a cursor of the present history: %d %s", name, status, body)
				}
			}
		})
	}
}
