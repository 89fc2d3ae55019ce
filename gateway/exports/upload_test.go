package exports

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func digestOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

// uploadOffice is an office whose documents may have a kilobyte, and one of its customers.
func uploadOffice(t *testing.T, database string) (o *gatewaytest.Office, customer string) {
	bounds := gatewaytest.Limits()
	bounds.Upload = 1024
	o = gatewaytest.OpenWith(t, database, bounds)
	return o, gatewaytest.All(t, o.Store.Customers())[0].ID
}

func TestADocumentIsUploadedAndDownloadedAgain(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, customer := uploadOffice(t, database(t))
			credential := o.Credential(t, backoffice.CustomersWrite)
			const content = "%PDF-1.7\nstatutes"
			w := o.Upload(credential, customer, "?name=Statuten+%C3%A9.pdf", strings.NewReader(content), "Content-Digest", "md5=:aaaa:, "+digestOf(content), "Content-Type", "text/html")
			var made struct {
				ID       string `json:"_id"`
				Name     string
				Customer string
				FileMetadata
			}
			if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != http.StatusCreated || made.Name != "Statuten é.pdf" || made.Customer != customer || made.ContentType != "application/pdf" || made.Size != len(content) {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			if got := w.Header().Get("Location"); got != "/customers/documents/"+made.ID+"/download" {
				t.Errorf("it is said to be at %q", got)
			}
			download := o.Send(t, credential, http.MethodGet, w.Header().Get("Location"), "")
			if download.Code != http.StatusOK || download.Body.String() != content {
				t.Errorf("it is downloaded as %d %q", download.Code, download.Body)
			}
			changes, err := o.Store.Changes(t.Context(), 0, 1000)
			if err != nil {
				t.Fatal(err)
			}
			if last := changes[len(changes)-1]; last.Action != "createDocument" || last.ObjectID != made.ID || last.ClientID != credential[0] {
				t.Errorf("the last change is %+v", last)
			}
			named := o.Upload(credential, customer, "", strings.NewReader("plain"), "Content-Disposition", `attachment; filename="C:\\files\\note.txt"`)
			if named.Code != http.StatusCreated || !strings.Contains(named.Body.String(), `"name":"note.txt"`) || !strings.Contains(named.Body.String(), `text/plain`) {
				t.Errorf("named by its header it is %d %s", named.Code, named.Body)
			}
			page := o.Upload(credential, customer, "?name=page.pdf", strings.NewReader("<html><script>"))
			if page.Code != http.StatusCreated || !strings.Contains(page.Body.String(), `"contentType":"application/octet-stream"`) {
				t.Errorf("a page is %d %s", page.Code, page.Body)
			}
		})
	}
}

// FileMetadata is what REST tells of a file.
type FileMetadata struct {
	ContentType string
	Size        int
}

func TestAnUploadThatIsRefusedLeavesNothing(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, customer := uploadOffice(t, database(t))
			may, not := o.Credential(t, backoffice.CustomersWrite), o.Credential(t)
			kept, documents := o.KeptFiles(t), len(gatewaytest.All(t, o.Store.Documents()))
			long := strings.Repeat("x", 1025)
			for _, c := range []struct {
				what, customer, query string
				credential            [2]string
				body                  io.Reader
				header                string
				status                int
				says                  string
			}{
				{"without the scope", customer, "?name=a", not, strings.NewReader("x"), "", http.StatusForbidden, "customers.write"},
				{"for nobody", "nobody", "?name=a", may, strings.NewReader("x"), "", http.StatusNotFound, "no customer"},
				{"without a name", customer, "", may, strings.NewReader("x"), "", http.StatusUnprocessableEntity, `"parameter":"name"`},
				{"with an empty name", customer, "?name=", may, strings.NewReader("x"), "", http.StatusUnprocessableEntity, `"parameter":"name"`},
				{"with a name of two lines", customer, "?name=a%0Ab", may, strings.NewReader("x"), "", http.StatusUnprocessableEntity, `"parameter":"name"`},
				{"that is empty", customer, "?name=a", may, strings.NewReader(""), "", http.StatusUnprocessableEntity, `"errors":[{"code":"INVALID","detail":"the document is empty"}]`},
				{"that is empty, with a digest", customer, "?name=a", may, strings.NewReader(""), digestOf("x"), http.StatusUnprocessableEntity, `"parameter":"Content-Digest"`},
				{"with other bytes", customer, "?name=a", may, strings.NewReader("x"), digestOf("y"), http.StatusUnprocessableEntity, "digest"},
				{"with other bytes, by a second line", customer, "?name=a", may, strings.NewReader("x"), "md5=:aaaa:\n" + digestOf("y"), http.StatusUnprocessableEntity, "digest"},
				{"with two digests", customer, "?name=a", may, strings.NewReader("x"), digestOf("x") + "\n" + digestOf("y"), http.StatusUnprocessableEntity, "digest"},
				{"with a torn digest", customer, "?name=a", may, strings.NewReader("x"), "sha-256=:YWJj:", http.StatusBadRequest, "Content-Digest"},
				{"that says it is too long", customer, "?name=a", may, strings.NewReader(long), "", http.StatusRequestEntityTooLarge, "1024"},
				{"that turns out to be too long", customer, "?name=a", may, io.MultiReader(strings.NewReader(long)), "", http.StatusRequestEntityTooLarge, "1024"},
				{"that breaks off", customer, "?name=a", may, io.MultiReader(strings.NewReader(long[:900]), broken{}), "", http.StatusBadRequest, "could not be read"},
				{"with an unknown parameter", customer, "?naam=a", may, strings.NewReader("x"), "", http.StatusBadRequest, "naam"},
			} {
				var headers []string
				for _, line := range strings.Fields(c.header) {
					headers = append(headers, "Content-Digest", line)
				}
				w := o.Upload(c.credential, c.customer, c.query, c.body, headers...)
				if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) || w.Header().Get("Content-Type") != "application/problem+json" {
					t.Errorf("an upload %s is answered with %d %s", c.what, w.Code, w.Body)
				}
			}
			if n, d := o.KeptFiles(t), len(gatewaytest.All(t, o.Store.Documents())); n != kept || d != documents {
				t.Errorf("%d files and %d documents are left of refused uploads", n-kept, d-documents)
			}
			if w := o.Upload(may, customer, "?name=a", strings.NewReader(long[:1024])); w.Code != http.StatusCreated {
				t.Errorf("as many bytes as may be: %d %s", w.Code, w.Body)
			}
		})
	}
}

// broken is a body that its client does not send to the end.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestAnUploadIsMadeOnceForItsKey(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, customer := uploadOffice(t, database(t))
			credential := o.Credential(t, backoffice.CustomersWrite)
			kept := o.KeptFiles(t)
			answers := make([]string, 8)
			var uploading sync.WaitGroup
			for i := range answers {
				uploading.Go(func() {
					w := o.Upload(credential, customer, "?name=a", strings.NewReader("bytes"), "Idempotency-Key", "once")
					answers[i] = fmt.Sprint(w.Code, w.Body)
				})
			}
			uploading.Wait()
			for _, answer := range answers {
				if answer != answers[0] || !strings.HasPrefix(answer, "201 ") {
					t.Errorf("the answers are %q and %q", answers[0], answer)
				}
			}
			if n := o.KeptFiles(t) - kept; n != 1 {
				t.Errorf("%d files are kept of one document", n)
			}
			other := o.Upload(credential, customer, "?name=a", strings.NewReader("other bytes"), "Idempotency-Key", "once")
			if !bytes.Contains(other.Body.Bytes(), []byte("IDEMPOTENCY_KEY_REUSED")) || other.Code != http.StatusUnprocessableEntity {
				t.Errorf("the key with other bytes: %d %s", other.Code, other.Body)
			}
			if n := o.KeptFiles(t) - kept; n != 1 {
				t.Errorf("%d files are kept of one document and a refused one", n)
			}
		})
	}
}
