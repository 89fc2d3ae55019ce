package answers

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"example.org/backoffice/gateway/gatewaytest"
)

const long = `{ customers { nodes { id displayName createdAt updatedAt version type language email phone address { street city country } transcripts { nodes { id status updatedAt } } } } }`

// posted sends a query, and returns the response with its body, unpacked.
func posted(t testing.TB, o *gatewaytest.Office, credential [2]string, query, accepts string) (header http.Header, body []byte, sent int) {
	t.Helper()
	r := gatewaytest.NewRequest(t, credential, http.MethodPost, "/graphql", gatewaytest.JSON(t, map[string]string{"query": query}))
	if accepts != "" {
		r.Header.Set("Accept-Encoding", accepts)
	}
	w := o.Serve(r)
	if w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	var content io.Reader = bytes.NewReader(w.Body.Bytes())
	var err error
	switch coding := w.Header().Get("Content-Encoding"); coding {
	case "gzip":
		content, err = gzip.NewReader(content)
	case "zstd":
		content, err = zstd.NewReader(content)
	case "":
	default:
		t.Fatalf("the coding is %q", coding)
	}
	if err == nil {
		body, err = io.ReadAll(content)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w.Header(), body, w.Body.Len()
}

func TestLongAnswersArePackedWithWhatTheClientAccepts(t *testing.T) {
	t.Parallel()
	keeping(t, func(t *testing.T, o *gatewaytest.Office) {
		credential, _ := credentials(t, o)
		_, plain, whole := posted(t, o, credential, long, "")
		if whole < 2<<10 {
			t.Fatalf("%d bytes are not long", whole)
		}
		for turn := range 5 { // executed, kept, and kept with packed copies
			for accepts, want := range map[string]string{
				"gzip": "gzip", "zstd": "zstd", "gzip, deflate, br, zstd": "zstd", "gzip;q=1, zstd;q=0.5": "gzip", "zstd;q=0": "", "br": "", "*": "", "": "",
			} {
				header, body, sent := posted(t, o, credential, long, accepts)
				if coding := header.Get("Content-Encoding"); coding != want || !bytes.Equal(body, plain) || want != "" && sent > whole/2 {
					t.Errorf("turn %d, %q: %q, %d bytes of %d\n%s", turn, accepts, coding, sent, whole, body)
				}
				if vary := strings.Join(header.Values("Vary"), ", "); !strings.Contains(vary, "Accept-Encoding") {
					t.Errorf("turn %d, %q: Vary is %q", turn, accepts, vary)
				}
			}
		}
		if hits(t, o) < 30 {
			t.Errorf("%d kept answers", hits(t, o))
		}
		if header, _, _ := posted(t, o, credential, `{ customers { totalCount } }`, "zstd"); header.Get("Content-Encoding") != "" {
			t.Error("a short answer is packed")
		}
	})
}

func TestWhatMustNotBeKeptIsNeverPacked(t *testing.T) {
	t.Parallel()
	keeping(t, func(t *testing.T, o *gatewaytest.Office) {
		nobody, all := credentials(t, o)
		for query, credential := range map[string][2]string{
			strings.Replace(long, "displayName", "displayName registrationNumber", 1):                                                      all,
			strings.Replace(long, "{ customers", `{ customers(filter: {registrationNumber: "`+number+`"})`, 1) + strings.Repeat(" ", 2000): all,
			strings.Replace(long, "displayName", "displayName registrationNumber ", 1):                                                     nobody,
			strings.Replace(long, "{ customers", "{ viewer { name } customers", 1):                                                         all,
			strings.Replace(long, "displayName", "displayName documents { nodes { file { downloadPath } } }", 1):                           all,
		} {
			for range 3 {
				if header, body, _ := posted(t, o, credential, query, "gzip, zstd"); header.Get("Content-Encoding") != "" {
					t.Errorf("%s is packed: %s", query, body)
				}
			}
		}
	})
}

var number = gatewaytest.RegistrationNumbers[0]
