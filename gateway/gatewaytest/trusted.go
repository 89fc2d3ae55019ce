package gatewaytest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/graphql/trusted"
)

// Trusts has an operator trust texts as a set, and returns their identifiers.
func (o *Office) Trusts(t testing.TB, set string, texts ...string) (ids []string) {
	t.Helper()
	documents := make([]*trusted.Document, len(texts))
	for i, text := range texts {
		documents[i] = &trusted.Document{Place: fmt.Sprint(i), Text: text}
		ids = append(ids, backoffice.DocumentID(text))
	}
	checked, err := trusted.Check(gateway.NewDocumentChecker(Limits()), documents)
	if err != nil {
		t.Fatal(err)
	}
	act := backoffice.Trusting{Set: set, Documents: checked, Now: backoffice.InstantOf(time.Now())}
	if _, err := act.Trust(t.Context(), o.Store); err != nil {
		t.Fatal(err)
	}
	return ids
}

// Confined issues a credential that may only send trusted documents.
func (o *Office) Confined(t testing.TB, scopes ...backoffice.Scope) [2]string {
	t.Helper()
	now := backoffice.InstantOf(time.Now())
	credential, err := backoffice.NewCredential(backoffice.NewID(), "confined", scopes, now, 0)
	if err != nil {
		t.Fatal(err)
	}
	credential.TrustedOnly = true
	secret, err := auth.Create(t.Context(), o.Store, credential, now)
	if err != nil {
		t.Fatal(err)
	}
	return [2]string{credential.ID, secret}
}

// GraphQL posts a body to /graphql, and returns the code of its first error and its text.
func (o *Office) GraphQL(t testing.TB, credential [2]string, body string) (status int, code, text string, calls int) {
	t.Helper()
	ctx, counter := backoffice.WithStatementCount(t.Context())
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/graphql-response+json")
	return o.Answered(t, r, credential, counter)
}

// Answered sends a request of GraphQL, and returns the code of its first error and its text.
func (o *Office) Answered(t testing.TB, r *http.Request, as [2]string, counter *backoffice.StatementCount) (status int, code, text string, calls int) {
	t.Helper()
	r.Header.Set(auth.ClientIDHeader, as[0])
	r.Header.Set(auth.ClientSecretHeader, as[1])
	w := httptest.NewRecorder()
	o.Handler.ServeHTTP(w, r)
	var answer struct {
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("%v\n%s", err, w.Body)
	}
	if len(answer.Errors) > 0 {
		code = answer.Errors[0].Extensions.Code
	}
	return w.Code, code, strings.TrimSpace(w.Body.String()), counter.Count()
}
