package answers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

const nameOfAcme = `{ customer(id: "acme") { displayName } }`

// awaits asks for another answer than the one with a tag, and tells it when it comes.
func awaits(t *testing.T, o *gatewaytest.Office, credential [2]string, method, tag, prefer string) <-chan *httptest.ResponseRecorder {
	told := make(chan *httptest.ResponseRecorder, 1)
	go func() { told <- safely(t, o, credential, method, nameOfAcme, tag, "Prefer", prefer) }()
	return told
}

func renames(t *testing.T, o *gatewaytest.Office, credential [2]string, name string) {
	t.Helper()
	asks(t, o, credential, fmt.Sprintf(`mutation { updateCustomer(input: {id: "acme", name: %q}) { userErrors { code } } }`, name), "null")
}

func TestAQueryWaitsUntilItsAnswerIsAnotherOne(t *testing.T) {
	t.Parallel()
	keeping(t, func(t *testing.T, o *gatewaytest.Office) {
		credential, all := credentials(t, o)
		for _, method := range []string{http.MethodGet, "QUERY"} {
			tag := safely(t, o, credential, method, nameOfAcme, "").Header().Get("ETag")
			told := awaits(t, o, credential, method, tag, "respond-async, wait=20")
			for i := range 5 {
				asks(t, o, all, fmt.Sprintf(`mutation { createLabel(input: {name: "%s %d", color: "#ffffff"}) { userErrors { code } } }`, method, i), "null")
				select {
				case w := <-told:
					t.Fatalf("told of another record's change: %d %s", w.Code, w.Body)
				case <-time.After(60 * time.Millisecond):
				}
			}
			renames(t, o, all, "Renamed by "+method)
			w := <-told
			if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "Renamed by "+method) || w.Header().Get("Preference-Applied") != "wait" || w.Header().Get("ETag") == tag {
				t.Errorf("%s: %d %v %s", method, w.Code, w.Header(), w.Body)
			}
		}
	})
}

func TestAWaitEndsWithWhatANewRequestIsAnswered(t *testing.T) {
	t.Parallel()
	keeping(t, func(t *testing.T, o *gatewaytest.Office) {
		credential, _ := credentials(t, o)
		tag := safely(t, o, credential, "QUERY", nameOfAcme, "").Header().Get("ETag")
		if w := <-awaits(t, o, credential, "QUERY", tag, "wait=1"); w.Code != http.StatusNotModified || w.Header().Get("ETag") != tag || w.Header().Get("Preference-Applied") != "wait" || w.Body.Len() > 0 ||
			!slices.Contains(w.Header()["Vary"], "Origin") || !slices.Contains(w.Header()["Vary"], "Accept") {
			t.Errorf("over: %d %v", w.Code, w.Header())
		}
		for _, prefer := range []string{"wait=0", "wait", "wait=x", "return=minimal"} {
			if w := safely(t, o, credential, "QUERY", nameOfAcme, tag, "Prefer", prefer); w.Code != http.StatusNotModified || w.Header().Get("Preference-Applied") != "" {
				t.Errorf("%s: %d %v", prefer, w.Code, w.Header())
			}
		}
		if w := safely(t, o, credential, "QUERY", nameOfAcme, "", "Prefer", "wait=20"); w.Code != http.StatusOK {
			t.Errorf("a client without an answer: %d", w.Code)
		}
		if w := safely(t, o, credential, "QUERY", "{", tag, "Prefer", "wait=20"); w.Code != http.StatusBadRequest {
			t.Errorf("a bad query: %d", w.Code)
		}
		if w := safely(t, o, [2]string{"nobody", "x"}, "QUERY", nameOfAcme, tag, "Prefer", "wait=20"); w.Code != http.StatusUnauthorized {
			t.Errorf("nobody: %d", w.Code)
		}
		const most = 20 // streams and waiting requests of a credential
		var all []<-chan *httptest.ResponseRecorder
		for range most + 1 {
			all = append(all, awaits(t, o, credential, "QUERY", tag, "wait=6"))
		}
		statuses := map[int]int{}
		for _, told := range all {
			statuses[(<-told).Code]++
		}
		if statuses[http.StatusTooManyRequests] != 1 || statuses[http.StatusNotModified] != most {
			t.Error(statuses)
		}
	})
}

func TestAWaitingClientWhoseRightsEndIsRefused(t *testing.T) {
	t.Parallel()
	keeping(t, func(t *testing.T, o *gatewaytest.Office) {
		credential, _ := credentials(t, o)
		tag := safely(t, o, credential, "QUERY", nameOfAcme, "").Header().Get("ETag")
		told := awaits(t, o, credential, "QUERY", tag, "wait=30")
		for o.Streams(t) == 0 {
			time.Sleep(5 * time.Millisecond)
		}
		began := time.Now()
		if err := auth.Revoke(t.Context(), o.Store, credential[0]); err != nil {
			t.Fatal(err)
		}
		if w := <-told; w.Code != http.StatusUnauthorized || time.Since(began) > 20*time.Second {
			t.Errorf("%d after %v: %s", w.Code, time.Since(began), w.Body)
		}
	})
}

// Each rename comes while the client asks for the next answer: none may fall between its answer and its wait.
func TestAWaitingClientMissesNoChange(t *testing.T) {
	t.Parallel()
	keeping(t, func(t *testing.T, o *gatewaytest.Office) {
		credential, all := credentials(t, o)
		restricted := o.RestrictedCredential(t, "north", backoffice.RestrictionFields{Customers: []string{"acme"}})
		for name, credential := range map[string][2]string{"credential": credential, "restricted": restricted} {
			tag := safely(t, o, credential, "QUERY", nameOfAcme, "").Header().Get("ETag")
			for i := range 120 {
				want, renamed := fmt.Sprint(name, " ", i), make(chan struct{})
				go func() { defer close(renamed); renames(t, o, all, want) }()
				time.Sleep(time.Duration(i%40) * 100 * time.Microsecond)
				began := time.Now()
				w := <-awaits(t, o, credential, "QUERY", tag, "wait=20") // at its end it is answered in any case
				<-renamed
				if time.Since(began) > 15*time.Second || w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
					t.Fatalf("rename %d was missed: %d %s", i, w.Code, w.Body)
				}
				tag = w.Header().Get("ETag")
			}
		}
	})
}
