package files_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
)

// served answers one request with a file, as a server would.
func served(store backoffice.FileStore, file backoffice.File, method string, headers ...string) (*http.Response, error) {
	request := httptest.NewRequest(method, "/download", nil)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	err := files.Serve(recorder, request, store, file, "Statuten Café.pdf")
	for said, status := range map[error]int{ // for the caller to say
		files.ErrNothingOfRange: http.StatusRequestedRangeNotSatisfiable, files.ErrOtherContent: http.StatusPreconditionFailed,
	} {
		if errors.Is(err, said) {
			recorder.WriteHeader(status)
			err = nil
		}
	}
	return recorder.Result(), err
}

func mustServe(t testing.TB, store backoffice.FileStore, file backoffice.File, method string, headers ...string) (*http.Response, string) {
	t.Helper()
	response, err := served(store, file, method, headers...)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

func TestADownloadCarriesEveryHeaderThatKeepsItSafe(t *testing.T) {
	t.Parallel()
	store := openFolder(t, t.TempDir())
	file := put(t, store, []byte("hello"))
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		response, body := mustServe(t, store, file, method)
		for name, want := range map[string]string{
			"Content-Type":            "application/pdf",
			"Content-Length":          "5",
			"Content-Disposition":     `attachment; filename="Statuten Cafe.pdf"; filename*=UTF-8''Statuten%20Caf%C3%A9.pdf`,
			"X-Content-Type-Options":  "nosniff",
			"Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
			"Cache-Control":           "no-store",
			"Accept-Ranges":           "bytes",
			"Repr-Digest":             "sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:",
			"Etag":                    `"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"`,
		} {
			if got := response.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", method, name, got, want)
			}
		}
		want := map[string]string{http.MethodGet: "hello", http.MethodHead: ""}[method]
		if response.StatusCode != http.StatusOK || body != want {
			t.Errorf("%s: %d %q", method, response.StatusCode, body)
		}
	}
}

func TestConditionsAndRangesAreAnsweredAsRFC9110Says(t *testing.T) {
	t.Parallel()
	store := openFolder(t, t.TempDir())
	file := put(t, store, []byte("0123456789"))
	etag := files.ETag(file)
	for name, c := range map[string]struct {
		headers      []string
		status       int
		contentRange string
		body         string
	}{
		"the first bytes":                  {[]string{"Range", "bytes=0-3"}, 206, "bytes 0-3/10", "0123"},
		"from a place to the end":          {[]string{"Range", "bytes=7-"}, 206, "bytes 7-9/10", "789"},
		"the last bytes":                   {[]string{"Range", "bytes=-2"}, 206, "bytes 8-9/10", "89"},
		"more last bytes than there are":   {[]string{"Range", "bytes=-99"}, 206, "bytes 0-9/10", "0123456789"},
		"an end past the end":              {[]string{"Range", "bytes=9-99999999999999999999999"}, 206, "bytes 9-9/10", "9"},
		"a start past the end":             {[]string{"Range", "bytes=10-"}, 416, "bytes */10", ""},
		"no last bytes":                    {[]string{"Range", "bytes=-0"}, 416, "bytes */10", ""},
		"several ranges":                   {[]string{"Range", "bytes=0-1,3-4"}, 200, "", "0123456789"},
		"an end before the start":          {[]string{"Range", "bytes=5-1"}, 200, "", "0123456789"},
		"another unit":                     {[]string{"Range", "pages=1-2"}, 200, "", "0123456789"},
		"no range at all":                  {[]string{"Range", "bytes="}, 200, "", "0123456789"},
		"a sign":                           {[]string{"Range", "bytes=+1-2"}, 200, "", "0123456789"},
		"a range of the same content":      {[]string{"Range", "bytes=0-0", "If-Range", etag}, 206, "bytes 0-0/10", "0"},
		"a range of other content":         {[]string{"Range", "bytes=0-0", "If-Range", `"other"`}, 200, "", "0123456789"},
		"a range of weakly the same":       {[]string{"Range", "bytes=0-0", "If-Range", "W/" + etag}, 200, "", "0123456789"},
		"a range since a date":             {[]string{"Range", "bytes=0-0", "If-Range", "Sat, 01 Jan 2050 00:00:00 GMT"}, 200, "", "0123456789"},
		"content the client has":           {[]string{"If-None-Match", etag}, 304, "", ""},
		"content the client has weakly":    {[]string{"If-None-Match", `"a", W/` + etag}, 304, "", ""},
		"any content the client has":       {[]string{"If-None-Match", "*", "Range", "bytes=0-0"}, 304, "", ""},
		"content the client hasn't":        {[]string{"If-None-Match", `"a"`}, 200, "", "0123456789"},
		"content the client expects":       {[]string{"If-Match", etag}, 200, "", "0123456789"},
		"content the client expects not":   {[]string{"If-Match", `"a"`}, 412, "", ""},
		"content expected weakly":          {[]string{"If-Match", "W/" + etag}, 412, "", ""},
		"an expectation before a question": {[]string{"If-Match", `"a"`, "If-None-Match", etag}, 412, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, body := mustServe(t, store, file, http.MethodGet, c.headers...)
			if response.StatusCode != c.status || response.Header.Get("Content-Range") != c.contentRange || body != c.body {
				t.Errorf("got %d, %q, %q", response.StatusCode, response.Header.Get("Content-Range"), body)
			}
			if c.status != http.StatusOK && c.status != http.StatusPartialContent {
				return
			}
			if response.Header.Get("Content-Length") != strconv.Itoa(len(body)) {
				t.Errorf("Content-Length is %s", response.Header.Get("Content-Length"))
			}
			head, none := mustServe(t, store, file, http.MethodHead, c.headers...)
			if head.StatusCode != http.StatusOK || none != "" {
				t.Errorf("HEAD: %d %q", head.StatusCode, none)
			}
		})
	}
}

var (
	// oneRange is what RFC 9110 permits of a single range.
	oneRange = regexp.MustCompile(`^(?i:bytes)=[ \t]*([0-9]+-[0-9]*|-[0-9]+)[ \t]*$`)
	// comparable is where http.ServeContent reads alike: it takes no white space, no capitals and no more than 63 bits,
	// and answers the last 0 bytes with an odd 206.
	comparable = regexp.MustCompile(`^bytes=([0-9]{1,18}-[0-9]{0,18}|-0*[1-9][0-9]{0,17})$`)
)

// checkAgainstStandardLibrary holds our answer to http.ServeContent's wherever the two can be compared.
func checkAgainstStandardLibrary(t interface{ Fatalf(string, ...any) }, store backoffice.FileStore, file backoffice.File, data []byte, rangeHeader string) {
	response, err := served(store, file, http.MethodGet, "Range", rangeHeader)
	if err != nil {
		t.Fatalf("%v", err)
	}
	body, _ := io.ReadAll(response.Body)
	if response.StatusCode == http.StatusOK && !bytes.Equal(body, data) {
		t.Fatalf("200 with %d bytes of %d", len(body), len(data))
	}
	if !oneRange.MatchString(rangeHeader) && response.StatusCode != http.StatusOK {
		t.Fatalf("%q is no range, and is answered with %d", rangeHeader, response.StatusCode)
	}
	if !comparable.MatchString(rangeHeader) {
		return
	}
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.Header.Set("Range", rangeHeader)
	recorder := httptest.NewRecorder()
	http.ServeContent(recorder, request, "x.pdf", time.Time{}, bytes.NewReader(data))
	partHere, partThere := response.StatusCode == http.StatusPartialContent, recorder.Code == http.StatusPartialContent
	if partHere != partThere {
		t.Fatalf("%q: %d here, %d there", rangeHeader, response.StatusCode, recorder.Code)
	}
	if !partHere {
		return
	}
	if got, want := response.Header.Get("Content-Range"), recorder.Header().Get("Content-Range"); got != want || !bytes.Equal(body, recorder.Body.Bytes()) {
		t.Fatalf("%q: %s with %d bytes here, %s with %d there", rangeHeader, got, len(body), want, recorder.Body.Len())
	}
}

func TestRangesAreReadAsTheStandardLibraryReadsThem(t *testing.T) {
	t.Parallel()
	store := openFolder(t, t.TempDir())
	data := randomBytes(50)
	file := put(t, store, data)
	position := rapid.OneOf(rapid.Just(""), rapid.Map(rapid.IntRange(0, 60), strconv.Itoa), rapid.StringMatching(`[0-9x+ -]{0,21}`))
	rapid.Check(t, func(r *rapid.T) {
		unit := rapid.SampledFrom([]string{"bytes=", "bytes=", "bytes=", "Bytes=", "bytes", "lines=", ""}).Draw(r, "unit")
		header := unit + position.Draw(r, "first") + "-" + position.Draw(r, "last")
		checkAgainstStandardLibrary(r, store, file, data, header)
	})
}

func FuzzRange(f *testing.F) {
	dir := f.TempDir()
	folder, err := files.OpenFolder(dir)
	if err != nil {
		f.Fatal(err)
	}
	data := randomBytes(50)
	file, err := folder.Put(context.Background(), newKey(), bytes.NewReader(data), "application/pdf")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"bytes=0-1", "bytes=-1", "bytes=5-", "bytes=0-0,2-3", "bytes=99999999999999999999-", "", "=", "bytes=--1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if strings.ContainsFunc(header, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Skip("no header has such characters")
		}
		checkAgainstStandardLibrary(t, folder, file, data, header)
	})
}

func TestAnEmptyFileIsServedWhole(t *testing.T) {
	t.Parallel()
	store := openFolder(t, t.TempDir())
	response, body := mustServe(t, store, put(t, store, nil), http.MethodGet, "Range", "bytes=0-")
	if response.StatusCode != http.StatusOK || body != "" || response.Header.Get("Content-Length") != "0" {
		t.Errorf("%d %q", response.StatusCode, body)
	}
}

func TestAMissingFileIsAnErrorBeforeAnythingIsAnswered(t *testing.T) {
	t.Parallel()
	store := openFolder(t, t.TempDir())
	file := put(t, store, []byte("x"))
	if err := store.Delete(t.Context(), file.Key); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		response, err := served(store, file, method)
		wantKind(t, err, backoffice.NotFound)
		for _, name := range []string{"ETag", "Content-Length", "Content-Type", "Content-Disposition", "Repr-Digest"} {
			if response.Header.Get(name) != "" {
				t.Errorf("%s: %s is already set", method, name)
			}
		}
	}
}

// brokenStore gives half of what it promised.
type brokenStore struct{ backoffice.FileStore }

func (brokenStore) Open(context.Context, string, int64, int64) (io.ReadCloser, error) {
	return io.NopCloser(io.MultiReader(strings.NewReader("hello"), readerFunc(func([]byte) (int, error) {
		return 0, errors.New("the disk is gone")
	}))), nil
}

func TestAFileThatBreaksOffIsNeverTakenForWhole(t *testing.T) {
	t.Parallel()
	store := openFolder(t, t.TempDir())
	file := put(t, store, randomBytes(100_000))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := files.Serve(w, r, brokenStore{store}, file, "x"); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	response, err := server.Client().Get(server.URL)
	if err == nil {
		_, err = io.ReadAll(response.Body)
		_ = response.Body.Close()
	}
	if err == nil {
		t.Error("the client saw nothing amiss")
	}
}
