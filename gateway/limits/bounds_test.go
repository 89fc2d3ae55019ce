package limits

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/limits"
)

func TestTheShortQueryWithATwelveMillionNodesIsRefused(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	query := `{transcripts(first:100){nodes{financialYear{transcripts(first:248){nodes{financialYear{transcripts(first:500){nodes{id status statusLabel isCompleted progressPercentage documentGenerated customVariables updatedAt}}}}}}}}}`
	status, body, calls := o.Ask(t, o.Credential(t), query, nil, nil)
	if status != http.StatusBadRequest || gatewaytest.CodeIn(body) != limits.CodeCost || calls != 0 {
		t.Errorf("%d after %d statements: %.300s", status, calls, body)
	}
}

// Rows are read once and may be written thousands of times: what counts is the answer.
func TestAnAnswerThatWouldBeTooLargeEndsWithoutDataOnBothFaces(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			bounds := gatewaytest.Limits()
			bounds.Answer = 200_000
			o := gatewaytest.OpenWith(t, database(t), bounds)
			credential := o.Credential(t)
			gatewaytest.Hold(t, o, 40, 10_000)
			of := func(first int) string {
				return fmt.Sprintf(`{ customer(id: "holder") { transcripts(first: %d) { nodes { id customVariables } } } }`, first)
			}
			if status, body, _ := o.Ask(t, credential, of(19), nil, nil); status != http.StatusOK || len(body) < 190_000 || strings.Contains(string(body), `"errors"`) {
				t.Errorf("an answer within the limit: %d, %d bytes %.200s", status, len(body), body)
			}
			aliases := `{ transcript(id: "held-0000") { ` + func() (all string) {
				for i := range 25 {
					all += fmt.Sprintf("a%d: customVariables ", i)
				}
				return all
			}() + `} }`
			for name, query := range map[string]string{
				"one more row": of(20), "twice the rows": of(40), "a value under many aliases": aliases,
				"a row seen from many": `{ customer(id: "holder") { transcripts(first: 30) { nodes { customer { transcripts(first: 1) { nodes { customVariables } } } } } } }`,
			} {
				if status, body, _ := o.Ask(t, credential, query, nil, nil); status != http.StatusBadRequest || gatewaytest.CodeIn(body) != limits.CodeAnswer {
					t.Errorf("%s: %d, %d bytes %.300s", name, status, len(body), body)
				}
			}
			if w := o.Send(t, credential, http.MethodGet, "/transcripts?customer=holder&pageSize=18", ""); w.Code != http.StatusOK || w.Body.Len() < 180_000 {
				t.Errorf("REST, within the limit: %d, %d bytes %.300s", w.Code, w.Body.Len(), w.Body)
			}
			for _, size := range []int{20, 40} {
				w := o.Send(t, credential, http.MethodGet, fmt.Sprintf("/transcripts?customer=holder&pageSize=%d", size), "")
				if w.Code != http.StatusBadRequest || w.Header().Get("Content-Type") != "application/problem+json" || !strings.Contains(w.Body.String(), "smaller page") || w.Body.Len() > 2_000 {
					t.Errorf("REST, a page of %d: %d %v %d bytes %.300s", size, w.Code, w.Header(), w.Body.Len(), w.Body)
				}
			}
		})
	}
}

func TestASearchIsBoundedOnBothFacesBeforeAnythingIsRead(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t)
	for text, good := range map[string]bool{strings.Repeat("0", 200): true, strings.Repeat("0", 201): false, strings.Repeat("0", 100_000): false, strings.Repeat("ﷺ", 20_000): false} {
		variables, _ := json.Marshal(map[string]string{"s": text})
		for _, list := range []string{"customers", "users"} {
			status, body, calls := o.Ask(t, credential, `query($s: String!) { `+list+`(filter: {search: $s}) { nodes { id } } }`, variables, nil)
			if refused := strings.Contains(string(body), "BAD_USER_INPUT") && calls == 0; refused == good {
				t.Errorf("%s by %d bytes: %d after %d statements %.200s", list, len(text), status, calls, body)
			}
		}
		want := http.StatusOK
		if !good {
			want = http.StatusBadRequest
		}
		search, _ := json.Marshal(map[string]string{"search": text})
		if w := o.Send(t, credential, http.MethodPost, "/customers/search", string(search)); w.Code != want {
			t.Errorf("REST by %d bytes: %d %.200s", len(text), w.Code, w.Body)
		}
		if len(text) < 1_000 {
			for _, list := range []string{"customers", "users"} {
				if w := o.Send(t, credential, http.MethodGet, "/"+list+"?search="+text, ""); w.Code != want {
					t.Errorf("REST %s in the address, by %d bytes: %d %.200s", list, len(text), w.Code, w.Body)
				}
			}
		}
	}
}

// unread is a client that does not take its answer until it is told to.
type unread struct {
	httptest.ResponseRecorder
	once        sync.Once
	begun, goes chan struct{}
}

func (u *unread) Write(b []byte) (int, error) {
	u.once.Do(func() { close(u.begun) })
	<-u.goes
	return len(b), nil
}

// An operation of any cost takes its place, on both APIs, and what is not sent yet counts as running: beside answers
// that nobody takes there is no room even for the smallest.
func TestNothingPassesBesideAdmissionAndSlowReadersKeepTheirPlace(t *testing.T) {
	t.Parallel()
	bounds := gatewaytest.Limits()
	bounds.Together, bounds.Waiting = 1, 0
	o := gatewaytest.Serve(t, gatewaytest.Settings(t, gatewaytest.Engines["SQLite"](t)), bounds)
	credential := o.Credential(t, backoffice.SettingsWrite)
	var readers sync.WaitGroup
	goes := make(chan struct{})
	for i := range runtime.GOMAXPROCS(0) {
		reader := &unread{begun: make(chan struct{}), goes: goes}
		readers.Go(func() {
			r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(`{"query":"{ viewer { name } }"}`))
			if i%2 == 1 {
				r = httptest.NewRequest(http.MethodGet, "/users/nobody", nil)
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set(auth.ClientIDHeader, credential[0])
			r.Header.Set(auth.ClientSecretHeader, credential[1])
			o.Handler.ServeHTTP(reader, r)
		})
		<-reader.begun
	}
	for _, query := range []string{`{ __typename }`, `{ viewer { name } }`, `{ labels(first: 0) { nodes { id } } }`, `mutation { createLabel(input: {name: "x"}) { label { id } } }`} {
		status, body, calls := o.Ask(t, credential, query, nil, nil)
		if status != http.StatusServiceUnavailable || gatewaytest.CodeIn(body) != "UNAVAILABLE" || calls != 0 {
			t.Errorf("%s: %d after %d statements %.200s", query, status, calls, body)
		}
	}
	for _, path := range []string{"/settings/labels", "/customers?pageSize=1", "/users"} {
		if w := o.Send(t, credential, http.MethodGet, path, ""); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
	}
	close(goes)
	readers.Wait()
	if status, body, _ := o.Ask(t, credential, `{ viewer { name } }`, nil, nil); status != http.StatusOK {
		t.Errorf("when the answers were taken: %d %s", status, body)
	}
}

func TestAPageOfNoRowsIsNotRead(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t)
	for query, want := range map[string]int{
		`{ transcripts(first: 0, orderBy: {field: CUSTOMER_NAME}) { nodes { id } edges { cursor } } }`:                  0,
		`{ transcripts(first: 0, orderBy: {field: CUSTOMER_NAME}) { nodes { id } totalCount } }`:                        1,
		`{ transcripts(first: 0) { pageInfo { hasNextPage } } }`:                                                        1,
		`{ customers(first: 1) { nodes { transcripts(first: 0, orderBy: {field: CUSTOMER_NAME}) { nodes { id } } } } }`: 1,
	} {
		if status, body, calls := o.Ask(t, credential, query, nil, nil); status != http.StatusOK || calls != want {
			t.Errorf("%s: %d, %d statements, not %d: %s", query, status, calls, want, body)
		}
	}
}
