package exports

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// arriving is a body whose first byte has been asked for, and whose others come when the test says so.
type arriving struct {
	io.Reader
	begun chan<- struct{}
	once  sync.Once
}

func (a *arriving) Read(p []byte) (int, error) {
	a.once.Do(func() { a.begun <- struct{}{} })
	return a.Reader.Read(p)
}

func TestTwentyUploadsAtOneTimeAreACredentialsPart(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, customer := uploadOffice(t, database(t))
			credential, other := o.Credential(t, backoffice.CustomersWrite), o.Credential(t, backoffice.CustomersWrite, backoffice.PtiWrite)
			_, body, _ := o.Ask(t, credential, `mutation { createDocumentUpload(input: {customerId: "`+customer+`", name: "later.txt"}) { uploadPath userErrors { code } } }`, nil, nil)
			_, signed, _ := strings.Cut(string(body), `"uploadPath":"`)
			signed, _, _ = strings.Cut(signed, `"`)
			put := func() *httptest.ResponseRecorder {
				return o.Serve(httptest.NewRequestWithContext(t.Context(), http.MethodPut, strings.ReplaceAll(signed, `\u0026`, "&"), strings.NewReader("signed")))
			}
			begun, answers := make(chan struct{}), make(chan int)
			var bodies []*io.PipeWriter
			for range 20 {
				r, w := io.Pipe()
				bodies = append(bodies, w)
				go func() {
					answers <- o.Upload(credential, customer, "?name=a.txt", &arriving{Reader: r, begun: begun}).Code
				}()
				<-begun
			}
			for what, w := range map[string]*httptest.ResponseRecorder{"one more": o.Upload(credential, customer, "?name=b.txt", strings.NewReader("b")), "a signed one": put()} {
				if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
					t.Errorf("%s: %d %s", what, w.Code, w.Body)
				}
			}
			if w := o.Upload(other, customer, "?name=c.txt", strings.NewReader("c")); w.Code != http.StatusCreated {
				t.Errorf("another credential's: %d %s", w.Code, w.Body)
			}
			for _, w := range bodies {
				_, _ = w.Write([]byte("a"))
				_ = w.Close()
				if code := <-answers; code != http.StatusCreated {
					t.Errorf("one of the twenty: %d", code)
				}
			}
			if w := put(); w.Code != http.StatusCreated {
				t.Errorf("afterwards: %d %s", w.Code, w.Body)
			}
		})
	}
}
