package rest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
	"example.org/backoffice/rest"
)

// sign signs the path of a file for a pair, as GraphQL's downloadPath does.
func (o *office) sign(t testing.TB, by pair, kind backoffice.FileKind, id string, life time.Duration) string {
	t.Helper()
	signature, err := o.keys.SignDownload(by.id, string(kind), id, time.Now().Add(life))
	check(t, err)
	return backoffice.DownloadPath(backoffice.FileOwner{Kind: kind, ID: id}, signature)
}

func TestASignedPathNeedsNoHeaders(t *testing.T) {
	t.Parallel()
	o := open(t)
	for kind, id := range map[backoffice.FileKind]string{
		backoffice.TranscriptFile: "tr-1", backoffice.CalculationFile: "calc-1", backoffice.DocumentFile: "doc-1", backoffice.MinfinFile: "min-1",
	} {
		a := o.ask(t, pair{}, "GET", o.sign(t, o.all, kind, id, time.Minute), nil)
		if a.status != 200 || !strings.HasPrefix(string(a.body), "%PDF") || !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%s: %d %s", kind, a.status, a.header)
		}
		equal(t, "Cache-Control", a.header.Get("Cache-Control"), "no-store")
	}
	part := o.ask(t, pair{}, "GET", o.sign(t, o.all, backoffice.DocumentFile, "doc-1", time.Minute), nil, "Range", "bytes=0-3")
	equal(t, "a part", string(part.body), "%PDF")
}

func TestASignedPathIsBoundToItsFileItsTimeAndItsPair(t *testing.T) {
	t.Parallel()
	o := open(t)
	path := o.sign(t, o.all, backoffice.DocumentFile, "doc-1", time.Minute)
	_, signature, _ := strings.Cut(path, "?")
	for _, other := range []string{
		"/files/document/doc-2?" + signature, "/files/minfin/doc-1?" + signature, "/files/document/doc-1", "/files/document/doc-1?signature=x",
		strings.Replace(path, "signature=", "signature=x", 1), o.sign(t, o.all, backoffice.DocumentFile, "doc-1", -time.Second),
	} {
		o.ask(t, pair{}, "GET", other, nil).problem(401)
	}
	o.ask(t, pair{}, "GET", o.sign(t, o.all, backoffice.DocumentFile, "nobody", time.Minute), nil).problem(404)
	o.ask(t, pair{}, "GET", o.sign(t, o.all, backoffice.TranscriptFile, "tr-3", time.Minute), nil).problem(404)
	o.ask(t, pair{}, "GET", o.sign(t, o.all, "customer", "acme", time.Minute), nil).problem(404)
	has(t, o.ask(t, pair{}, "GET", o.sign(t, o.none, backoffice.MinfinFile, "min-1", time.Minute), nil).problem(403), map[string]any{"requiredScope": "minfin.read"})

	check(t, auth.Revoke(context.Background(), o.store, o.all.id))
	o.serve(t)
	o.ask(t, pair{}, "GET", path, nil).problem(401)
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
		Store: o.store, Office: &backoffice.Office{}, Files: broken{}, Keys: o.keys, Vault: privacy.NewVault(o.keys, o.store),
		Authenticator: authenticator, Throttle: auth.NewThrottle(), RequestID: func(context.Context) string { return requestID },
	})
	o.handler = router
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
