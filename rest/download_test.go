package rest_test

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
	"example.org/backoffice/rest"
)

// sign signs the path of a file for a credential, as GraphQL's downloadPath does.
func (o *office) sign(t testing.TB, by credential, kind backoffice.FileKind, id string, life time.Duration) string {
	t.Helper()
	known, err := o.store.Credential(t.Context(), by.id)
	check(t, err)
	signature, err := o.keys.SignDownload(known.Principal(known.Secrets[0].Name()).Link(), string(kind), id, time.Now().Add(life))
	check(t, err)
	return backoffice.DownloadPath(backoffice.FileOwner{Kind: kind, ID: id}, signature)
}

func TestASignedPathNeedsNoHeaders(t *testing.T) {
	t.Parallel()
	o := open(t)
	for kind, id := range map[backoffice.FileKind]string{
		backoffice.TranscriptFile: "tr-1", backoffice.CalculationFile: "calc-1", backoffice.DocumentFile: "doc-1", backoffice.MinfinFile: "min-1",
	} {
		a := o.ask(t, credential{}, "GET", o.sign(t, o.all, kind, id, time.Minute), nil)
		if a.status != 200 || !strings.HasPrefix(string(a.body), "%PDF") || !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%s: %d %s", kind, a.status, a.header)
		}
		equal(t, "Cache-Control", a.header.Get("Cache-Control"), "no-store")
		equal(t, "what the server tells itself", a.header.Get("No-Gzip-Compression"), "")
	}
	part := o.ask(t, credential{}, "GET", o.sign(t, o.all, backoffice.DocumentFile, "doc-1", time.Minute), nil, "Range", "bytes=0-3")
	equal(t, "a part", string(part.body), "%PDF")
	o.ask(t, credential{}, "GET", o.sign(t, o.all, backoffice.DocumentFile, "doc-1", time.Minute), nil, "If-Match", `"other"`).fault(412, "If-Match", "STALE_VERSION")
}

func TestASignedPathIsBoundToItsFileItsTimeAndItsCredential(t *testing.T) {
	t.Parallel()
	o := open(t)
	path := o.sign(t, o.all, backoffice.DocumentFile, "doc-1", time.Minute)
	_, signature, _ := strings.Cut(path, "?")
	for _, other := range []string{
		"/files/document/doc-2?" + signature, "/files/minfin/doc-1?" + signature, "/files/document/doc-1", "/files/document/doc-1?signature=x",
		strings.Replace(path, "signature=", "signature=x", 1), o.sign(t, o.all, backoffice.DocumentFile, "doc-1", -time.Second),
	} {
		o.ask(t, credential{}, "GET", other, nil).problem(401)
	}
	o.ask(t, credential{}, "GET", o.sign(t, o.all, backoffice.DocumentFile, "nobody", time.Minute), nil).problem(404)
	o.ask(t, credential{}, "GET", o.sign(t, o.all, backoffice.TranscriptFile, "tr-3", time.Minute), nil).problem(404)
	o.ask(t, credential{}, "GET", o.sign(t, o.all, "customer", "acme", time.Minute), nil).problem(404)
	has(t, o.ask(t, credential{}, "GET", o.sign(t, o.none, backoffice.MinfinFile, "min-1", time.Minute), nil).problem(403), map[string]any{"requiredScope": "minfin.read"})

	check(t, auth.Revoke(context.Background(), o.store, o.all.id))
	o.serve(t)
	o.ask(t, credential{}, "GET", path, nil).problem(401)
}

// broken keeps no file that it can still open.
type broken struct{ backoffice.FileStore }

func (broken) Open(context.Context, string, int64, int64) (io.ReadCloser, error) {
	return nil, &backoffice.Error{Kind: backoffice.Unavailable, Message: "files cannot be read now", Cause: errors.New("the disk said secret things")}
}

func TestAFileThatCannotBeReadIsAProblem(t *testing.T) {
	t.Parallel()
	o := open(t)
	authenticator := auth.NewAuthenticator(o.store)
	t.Cleanup(authenticator.Close)
	router := chi.NewRouter()
	rest.Mount(router, rest.Config{
		Store: o.store, Service: &backoffice.Service{}, Files: broken{}, Keys: o.keys, Vault: privacy.NewVault(o.keys, o.store),
		Authenticator: authenticator, Throttle: auth.NewThrottle(),
	})
	o.handler = identified(router)
	a := o.get(t, "/minfin/download/min-1")
	a.problem(503)
	equal(t, "Retry-After", a.header.Get("Retry-After"), "1")
	if strings.Contains(string(a.body), "secret") || a.header.Get("ETag") != "" {
		t.Errorf("%s %s", a.body, a.header)
	}
}

func TestAConnectionThatIsGoneHurtsNobody(t *testing.T) {
	t.Parallel()
	o := open(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/customers", nil)
	r.Header.Set("x-client-id", o.all.id)
	r.Header.Set("x-client-secret", o.all.secret)
	w := httptest.NewRecorder()
	o.handler.ServeHTTP(w, r)
	if w.Code < 500 {
		t.Errorf("%d", w.Code)
	}
}

func (o *office) isFile(t testing.TB, path, name, disposition string) {
	t.Helper()
	want, err := os.ReadFile("../testdata/office/files/" + name)
	check(t, err)
	a := o.get(t, path)
	if a.status != 200 || string(a.body) != string(want) {
		t.Fatalf("%d, %d bytes: %s", a.status, len(a.body), a.header)
	}
	for header, value := range map[string]string{
		"Content-Type": "application/pdf", "Content-Disposition": disposition, "X-Content-Type-Options": "nosniff",
		"Cache-Control": "no-store", "Accept-Ranges": "bytes",
	} {
		equal(t, header, a.header.Get(header), value)
	}
	if !strings.Contains(a.header.Get("Content-Security-Policy"), "sandbox") || !strings.HasPrefix(a.header.Get("Repr-Digest"), "sha-256=:") {
		t.Errorf("%v", a.header)
	}
	part := o.get(t, path, "Range", "bytes=1-3")
	if part.status != http.StatusPartialContent || string(part.body) != string(want[1:4]) {
		t.Errorf("a part: %d %s", part.status, part.body)
	}
	nothing := o.get(t, path, "Range", "bytes=99999999-")
	nothing.fault(http.StatusRequestedRangeNotSatisfiable, "Range", "INVALID")
	equal(t, "Content-Range", nothing.header.Get("Content-Range"), "bytes */"+strconv.Itoa(len(want)))
	o.get(t, path, "If-Match", `"other"`).fault(http.StatusPreconditionFailed, "If-Match", "STALE_VERSION")
	if same := o.get(t, path, "If-None-Match", a.header.Get("ETag")); same.status != http.StatusNotModified || len(same.body) != 0 {
		t.Errorf("the same: %d", same.status)
	}
	if head := o.ask(t, o.all, "HEAD", path, nil); head.status != 200 || len(head.body) != 0 || head.header.Get("Content-Length") != a.header.Get("Content-Length") {
		t.Errorf("HEAD: %d %v", head.status, head.header)
	}
	o.ask(t, credential{}, "GET", path, nil).problem(401)
}

func (o *office) isMetadata(t testing.TB, path, name string) {
	t.Helper()
	want, err := os.ReadFile("../testdata/office/files/" + name)
	check(t, err)
	sum := md5.Sum(want)
	body := o.get(t, path).is(200)
	has(t, body, map[string]any{"contentType": "application/pdf", "size": len(want), "md5Hash": base64.StdEncoding.EncodeToString(sum[:])})
	if at, _ := body["timeCreated"].(string); len(at) != len("2026-06-01T09:30:00.000Z") {
		t.Errorf("timeCreated is %s", at)
	}
}
