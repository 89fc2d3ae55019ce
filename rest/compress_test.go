package rest_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/klauspost/compress/zstd"

	"example.org/backoffice/backoffice"
)

// unpacked is the answer's content without its coding, which is returned too.
func unpacked(t *testing.T, a *answer) (content []byte, coding string) {
	t.Helper()
	var reader io.Reader = bytes.NewReader(a.body)
	switch coding = a.header.Get("Content-Encoding"); coding {
	case "gzip":
		packed, err := gzip.NewReader(reader)
		check(t, err)
		reader = packed
	case "zstd":
		packed, err := zstd.NewReader(reader)
		check(t, err)
		defer packed.Close()
		reader = packed
	}
	content, err := io.ReadAll(reader)
	check(t, err)
	return content, coding
}

func TestLongAnswersArePackedWithWhatTheCallerTakes(t *testing.T) {
	t.Parallel()
	o := open(t)
	for i := range 20 {
		o.ask(t, o.all, "POST", "/settings/labels", fmt.Sprintf(`{"name":"label number %d","color":"#112233"}`, i)).is(201)
	}
	for _, path := range []string{"/settings/labels", "/customers", "/openapi.json"} {
		plain, _ := unpacked(t, o.ask(t, o.none, "GET", path, nil))
		for accepted, want := range map[string]string{"gzip": "gzip", "zstd": "zstd", "gzip, zstd": "zstd", "br": "", "gzip;q=0": "", "identity": "", "": ""} {
			a := o.ask(t, o.none, "GET", path, nil, "Accept-Encoding", accepted)
			content, coding := unpacked(t, a)
			if coding != want || !bytes.Equal(content, plain) || want != "" && len(a.body) >= len(plain) || a.header.Get("Vary") == "" {
				t.Errorf("%s for %q: %q, %d bytes of %d, Vary %q", path, accepted, coding, len(a.body), len(plain), a.header.Get("Vary"))
			}
		}
	}
	for _, path := range []string{"/financialyears/current", "/customers?pageSize=1", "/nowhere"} { // short
		if coding := o.ask(t, o.none, "GET", path, nil, "Accept-Encoding", "gzip").header.Get("Content-Encoding"); coding != "" {
			t.Errorf("%s is packed with %s", path, coding)
		}
	}
}

func TestWhatHoldsRegistrationNumbersOrHasATagIsNeverPacked(t *testing.T) {
	t.Parallel()
	o := open(t)
	for i := range 5 { // long enough to be packed
		o.ask(t, o.all, "POST", "/customers", fmt.Sprintf(`{"type":"Private Person","name":"a rather long name %d","registrationNumber":"85073003328"}`, i)).is(201)
	}
	long := o.ask(t, o.all, "PUT", "/customers/acme", map[string]any{"registrationNumber": nil, "spouseRegistrationNumber": nil, "addressFields": map[string]any{"street": string(bytes.Repeat([]byte("s"), 200)), "city": string(bytes.Repeat([]byte("c"), 200)), "country": string(bytes.Repeat([]byte("c"), 200))}})
	long.is(200)
	for _, request := range []struct {
		method, path string
		body         any
	}{
		{"GET", "/customers", nil},
		{"GET", "/customers?search=rather", nil},
		{"GET", "/customers?registrationNumber=85073003328", nil},
		{"POST", "/customers/search", map[string]any{"spouseRegistrationNumber": "85073003328", "search": "rather"}},
		{"POST", "/customers/search", map[string]any{"search": "rather"}},
		{"GET", "/customers/acme", nil},
		{"GET", "/minfin/download/min-1", nil},
	} {
		a := o.ask(t, o.all, request.method, request.path, request.body, "Accept-Encoding", "gzip, zstd")
		if a.status != 200 || a.header.Get("Content-Encoding") != "" || a.header.Get("No-Gzip-Compression") != "" {
			t.Errorf("%s: %d %v", request.path, a.status, a.header)
		}
	}
	// Nor is it told to those who take none.
	if a := o.ask(t, o.all, http.MethodGet, "/customers", nil); a.header.Get("No-Gzip-Compression") != "" {
		t.Errorf("%v", a.header)
	}
	// The same list is packed for a credential to which it shows no numbers.
	others := o.without(t, backoffice.PrivacyRead)
	if _, coding := unpacked(t, o.ask(t, others, "GET", "/customers?search=rather", nil, "Accept-Encoding", "zstd")); coding != "zstd" {
		t.Errorf("without numbers: %q", coding)
	}
}
