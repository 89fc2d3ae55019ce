package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-chi/chi/v5"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes"
	"example.org/backoffice/files"
	"example.org/backoffice/importexport"
	"example.org/backoffice/privacy"
	"example.org/backoffice/rest"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// office is the interface over the small office of testdata/office, in a store of its own.
type office struct {
	store   backoffice.Store
	keys    *privacy.Keyset
	files   files.Store
	handler http.Handler
	all     credential // every scope
	none    credential // no scope
	admit   func(ctx context.Context, cost, least int) (own context.Context, leave func(), err error)

	reads    sync.Once
	document struct {
		Paths map[string]map[string]struct{ Responses map[string]any }
	}
}

type credential struct{ id, secret string }

const requestID = "request-of-the-tests"

func open(t testing.TB) *office {
	t.Helper()
	folder, ctx := t.TempDir(), context.Background()
	content, err := os.ReadFile("../testdata/keyset.json")
	check(t, err)
	check(t, os.WriteFile(filepath.Join(folder, "keyset.json"), content, 0o600))
	keys, err := privacy.KeysetFile{Path: filepath.Join(folder, "keyset.json")}.Load()
	check(t, err)
	store, err := sqlite.Open(ctx, sqlitetest.URL(t), sqlite.Options{})
	check(t, err)
	t.Cleanup(func() { _ = store.Close() })
	stored, err := files.Open(ctx, "file:"+filepath.Join(folder, "files"))
	check(t, err)
	t.Cleanup(func() { _ = stored.Close() })
	importer := importexport.Importer{Store: store, Files: stored, Keys: keys}
	_, err = importer.Import(ctx, "../testdata/office")
	check(t, err)
	o := &office{store: store, keys: keys, files: stored}
	o.all, o.none = o.credential(t, backoffice.AllScopes...), o.credential(t)
	o.serve(t)
	return o
}

// serve mounts the interface. Credentials that were made before are known at once.
func (o *office) serve(t testing.TB) {
	t.Helper()
	authenticator := auth.NewAuthenticator(o.store)
	t.Cleanup(authenticator.Close)
	feed := changes.New(o.store, changes.Options{})
	t.Cleanup(feed.Close)
	router := chi.NewRouter()
	rest.Mount(router, rest.Config{
		Store: o.store, Service: &backoffice.Service{Store: o.store, Files: o.files, Keys: o.keys}, Files: o.files, Keys: o.keys,
		Feed:  feed,
		Vault: privacy.NewVault(o.keys, o.store), Authenticator: authenticator, Throttle: auth.NewThrottle(),
		Admit: o.admit,
	})
	o.handler = identified(router)
}

// identified gives requests their id.
func identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(backoffice.WithRequest(r.Context(), func(r *backoffice.Request) { r.ID = requestID })))
	})
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (o *office) credential(t testing.TB, scopes ...backoffice.Scope) credential {
	t.Helper()
	issued, secret, err := auth.Issue(context.Background(), o.store, "test", scopes, 0)
	check(t, err)
	return credential{issued.ID, secret}
}

// without is a credential with every scope but one.
func (o *office) without(t testing.TB, missing backoffice.Scope) credential {
	t.Helper()
	var scopes []backoffice.Scope
	for _, scope := range backoffice.AllScopes {
		if scope != missing {
			scopes = append(scopes, scope)
		}
	}
	made := o.credential(t, scopes...)
	o.serve(t)
	return made
}

// answer is what came back.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
	calls  int
}

// ask sends a request; a body that is not a string is sent as JSON. Headers are given as name, value, name, value.
func (o *office) ask(t testing.TB, by credential, method, path string, body any, header ...string) *answer {
	t.Helper()
	var content io.Reader
	switch body := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(body)
	default:
		text, err := json.Marshal(body)
		check(t, err)
		content = bytes.NewReader(text)
	}
	ctx, calls := backoffice.WithStatementCount(context.Background())
	r := httptest.NewRequestWithContext(ctx, method, path, content)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if by.id != "" {
		r.Header.Set("x-client-id", by.id)
		r.Header.Set("x-client-secret", by.secret)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i+1] == "-" {
			r.Header.Del(header[i])
		} else {
			r.Header.Add(header[i], header[i+1])
		}
	}
	w := httptest.NewRecorder()
	o.handler.ServeHTTP(w, r)
	if described := o.described(t, method, r.URL.Path); described != nil && described[strconv.Itoa(w.Code)] == nil {
		t.Errorf("%s %s: the OpenAPI document names no %d", method, path, w.Code)
	}
	return &answer{t, w.Code, w.Header(), w.Body.Bytes(), calls.Count()}
}

// described are the statuses that the OpenAPI document names for a request, nil when it is of no operation.
func (o *office) described(t testing.TB, method, path string) map[string]any {
	t.Helper()
	o.reads.Do(func() {
		w := httptest.NewRecorder()
		o.handler.ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), http.MethodGet, rest.OpenAPIPath, nil))
		check(t, json.Unmarshal(w.Body.Bytes(), &o.document))
	})
	segments, best := strings.Split(path, "/"), -1
	var found map[string]any
	for pattern, methods := range o.document.Paths {
		op, ok := methods[strings.ToLower(method)]
		parts := strings.Split(pattern, "/")
		if !ok || len(parts) != len(segments) {
			continue
		}
		exact := 0
		for i, part := range parts {
			if part == segments[i] {
				exact++
			} else if !strings.HasPrefix(part, "{") {
				exact = -len(parts)
			}
		}
		if exact > best {
			found, best = op.Responses, exact
		}
	}
	return found
}

func (o *office) get(t testing.TB, path string, header ...string) *answer {
	t.Helper()
	return o.ask(t, o.all, http.MethodGet, path, nil, header...)
}

// is checks the status and reads the body.
func (a *answer) is(status int) map[string]any {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status %d instead of %d: %s", a.status, status, a.body)
	}
	if len(a.body) == 0 {
		return nil
	}
	var body map[string]any
	if err := json.Unmarshal(a.body, &body); err != nil {
		a.t.Fatalf("the answer is not JSON: %v\n%s", err, a.body)
	}
	return body
}

// problem checks that the answer is a problem with the status, all of it.
func (a *answer) problem(status int) map[string]any {
	a.t.Helper()
	body := a.is(status)
	if media := a.header.Get("Content-Type"); media != "application/problem+json" {
		a.t.Errorf("the problem has media type %s", media)
	}
	if body["status"] != float64(status) || body["title"] != http.StatusText(status) || body["requestId"] != requestID || body["detail"] == "" || body["type"] != "about:blank" {
		a.t.Errorf("not a whole problem: %s", a.body)
	}
	if a.header.Get("Cache-Control") != "no-store" {
		a.t.Error("a problem may be cached")
	}
	return body
}

// fault checks the one entry of a problem's errors.
func (a *answer) fault(status int, place, code string) {
	a.t.Helper()
	errors, _ := a.problem(status)["errors"].([]any)
	if len(errors) != 1 {
		a.t.Fatalf("not one fault: %s", a.body)
	}
	fault := errors[0].(map[string]any)
	if where, _ := fault["pointer"].(string); where != place && fault["parameter"] != place || fault["code"] != code || fault["detail"] == "" {
		a.t.Errorf("instead of %s %s: %s", place, code, a.body)
	}
}

// has checks fields of an object.
func has(t testing.TB, object any, want map[string]any) {
	t.Helper()
	fields, ok := object.(map[string]any)
	if !ok {
		t.Fatalf("not an object: %v", object)
	}
	for name, value := range want {
		got, there := fields[name]
		gotText, _ := json.Marshal(got)
		wantText, _ := json.Marshal(value)
		if !there || !bytes.Equal(gotText, wantText) {
			t.Errorf("%s is %s instead of %s", name, gotText, wantText)
		}
	}
}

// items checks an envelope and returns the identifiers of its items.
func (a *answer) items(total int, first, last string) (ids string, data []any) {
	a.t.Helper()
	body := a.is(http.StatusOK)
	data, ok := body["data"].([]any)
	if !ok {
		a.t.Fatalf("no data: %s", a.body)
	}
	has(a.t, body, map[string]any{"total": total, "count": len(data), "first_page": first, "last_page": last})
	list := make([]string, len(data))
	for i, item := range data {
		list[i], _ = item.(map[string]any)["_id"].(string)
	}
	return strings.Join(list, " "), data
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v instead of %v", what, got, want)
	}
}
