package agents

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"example.org/backoffice/gateway/gatewaytest"
)

// reply is what a server answers to a message of the SDK's conformance tests, as far as it is not about their server.
type reply struct {
	ID     json.RawMessage
	Result *struct {
		ResultType, ProtocolVersion string
		SupportedVersions           []string
	}
	Error *struct{ Code int }
}

// The SDK's files about prompts, resources and its own tools are of what this server has not, and that of a session's
// beginning of what it does not keep: each message stands for itself.
var conformance = []string{"bad_requests", "discover", "version-latest", "version-older"}

func TestTheSDKsConformanceTestsPassWhereTheyApply(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	header := gatewaytest.CredentialHeader(o.Credential(t))
	folder, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/modelcontextprotocol/go-sdk").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range conformance {
		archive, err := txtar.ParseFile(filepath.Join(strings.TrimSpace(string(folder)), "mcp/testdata/conformance/server", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		var client, server []byte
		for _, file := range archive.Files {
			switch file.Name {
			case "client":
				client = file.Data
			case "server":
				server = file.Data
			}
		}
		var wanted []reply
		for messages := json.NewDecoder(bytes.NewReader(server)); ; {
			var one reply
			if err := messages.Decode(&one); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			wanted = append(wanted, one)
		}
		answered := 0
		for messages := json.NewDecoder(bytes.NewReader(client)); messages.More(); {
			var text json.RawMessage
			var message struct {
				ID     json.RawMessage
				Method string
			}
			if err := messages.Decode(&text); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &message); err != nil {
				t.Fatal(err)
			}
			r := gatewaytest.MessageOf(t, header, message.Method, map[string]any{})
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
			if message.Method == "server/discover" {
				r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
				r.Header.Set("Mcp-Method", message.Method)
			}
			w := o.Serve(r)
			if message.ID == nil {
				if w.Code >= http.StatusInternalServerError {
					t.Errorf("%s: %s: %d %s", name, text, w.Code, w.Body)
				}
				continue
			}
			want := wanted[answered]
			answered++
			if strings.HasPrefix(message.Method, "logging/") || strings.HasPrefix(message.Method, "completion/") {
				want.Error.Code = -32601 // not there, whatever its parameters
			}
			if want.Error != nil && want.Error.Code == -32600 && w.Code == http.StatusBadRequest {
				continue // as the SDK says it by HTTP
			}
			var got reply
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Errorf("%s: %s: %d %s", name, text, w.Code, w.Body)
				continue
			}
			same := string(got.ID) == string(want.ID) && (got.Error == nil) == (want.Error == nil) && (got.Result == nil) == (want.Result == nil)
			if same && want.Error != nil {
				same = got.Error.Code == want.Error.Code
			}
			if same && want.Result != nil {
				same = got.Result.ResultType == want.Result.ResultType && got.Result.ProtocolVersion == want.Result.ProtocolVersion && slices.Equal(got.Result.SupportedVersions, want.Result.SupportedVersions)
			}
			if !same {
				t.Errorf("%s: %s: %d %s", name, text, w.Code, w.Body)
			}
		}
		if answered == 0 || answered != len(wanted) {
			t.Errorf("%s: %d answers of %d", name, answered, len(wanted))
		}
	}
}
