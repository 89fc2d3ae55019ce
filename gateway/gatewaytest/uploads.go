package gatewaytest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"example.org/backoffice/auth"
)

// PreparedUpload is the payload of createDocumentUpload.
type PreparedUpload struct {
	UploadPath *string
	ExpiresAt  *time.Time
	UserErrors []struct {
		Code  string
		Field []string
	}
}

// PrepareUpload asks for an upload path.
func (o *Office) PrepareUpload(t testing.TB, as [2]string, customer, name string, dryRun bool) (made PreparedUpload, body string) {
	t.Helper()
	variables, _ := json.Marshal(map[string]any{"input": map[string]string{"customerId": customer, "name": name}, "dry": dryRun})
	_, answer, _ := o.Ask(t, as, `mutation ($input: CreateDocumentUploadInput!, $dry: Boolean) { createDocumentUpload(input: $input, dryRun: $dry) { uploadPath expiresAt userErrors { code field } } }`, variables, nil)
	var shown struct {
		Data struct{ CreateDocumentUpload *PreparedUpload }
	}
	if err := json.Unmarshal(answer, &shown); err != nil {
		t.Fatalf("%s", answer)
	}
	if shown.Data.CreateDocumentUpload != nil {
		made = *shown.Data.CreateDocumentUpload
	}
	return made, string(answer)
}

// PutTo sends bytes to a signed path, without a credential.
func (o *Office) PutTo(path string, body io.Reader, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPut, path, body)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return o.Serve(r)
}

// Upload sends bytes as a document of a customer.
func (o *Office) Upload(as [2]string, customer, query string, body io.Reader, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/customers/"+customer+"/documents"+query, body)
	r.Header.Set(auth.ClientIDHeader, as[0])
	r.Header.Set(auth.ClientSecretHeader, as[1])
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return o.Serve(r)
}

// KeptFiles counts stored files.
func (o *Office) KeptFiles(t testing.TB) int {
	t.Helper()
	n := 0
	if err := o.Files.(interface {
		List(ctx context.Context, after string, visit func(key string) error) error
	}).List(t.Context(), "", func(string) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}
