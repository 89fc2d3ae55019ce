package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/backoffice/auth"
)

// queried is a shell with an office, and a file with a query of its customers.
func queried(t *testing.T, query string) (s *shell, file string) {
	t.Helper()
	s = newShell(t)
	s.must(t, "import", "../testdata/office")
	return s, filepath.Join(s.folder(t, "query.graphql", query), "query.graphql")
}

func TestAQueryIsExportedFromTheStore(t *testing.T) {
	t.Parallel()
	s, file := queried(t, `query($type: CustomerType) { customers(filter: {type: $type}) { nodes { id kboNumber } } }`)
	if out := s.must(t, "query", file, "--variables", `{"type": "COMPANY"}`); out != `{"id":"acme","kboNumber":"0200065765"}`+"\n"+`{"id":"brouwerij","kboNumber":"0403019261"}`+"\n"+`{"id":"cafe","kboNumber":"1000000021"}`+"\n"+`{"id":"duo","kboNumber":null}`+"\n" {
		t.Errorf("%s", out)
	}
	path := filepath.Join(t.TempDir(), "customers.csv")
	code, out, err := s.run(t, "query", file, "--format", "csv", "-o", path)
	text, _ := os.ReadFile(path)
	if code != exitDone || out != "" || !strings.HasPrefix(err, "7 rows; ") || !strings.HasPrefix(string(text), "id,kboNumber\r\nacme,0200065765\r\n") {
		t.Errorf("%d %s%s\n%s", code, out, err, text)
	}
}

func TestWhatAnExportHasComesBackAsItWas(t *testing.T) {
	t.Parallel()
	s, file := queried(t, `{ customers { nodes { id createdAt phone name } } }`)
	moments := []string{"2026-06-01T00:00:00.000Z", "2026-05-31T22:00:00.000Z", "2026-10-25T00:30:00.999Z", "2026-10-25T01:30:00.001Z", "2026-06-01T09:30:00.123Z"}
	lines := ""
	for i, moment := range moments {
		lines += fmt.Sprintf(`{"_id":"c-%d","type":"Company","name":%q,"phone":"+32 475 12 34 56","createdAt":%q}`+"\n", i, []string{"- ontslag 2024", "=1+1", "@x", "'t Hof", "'"}[i], moment)
	}
	s.must(t, "import", s.folder(t, "customers.ndjson", lines))
	mapping := filepath.Join(s.folder(t, "m.json", `{"customers":{"id":"_id"}}`), "m.json")
	for name, as := range map[string][]string{"customers.xlsx": {"--format", "xlsx"}, "customers.csv": {"--format", "csv", "--excel"}} {
		path := filepath.Join(t.TempDir(), name)
		s.must(t, append([]string{"query", file, "-o", path}, as...)...)
		if out := s.must(t, "import", path, "--mapping", mapping); out != name+": 0 created, 0 updated, 0 deleted, 12 unchanged\n" {
			t.Errorf("it changes something: %s", out)
		}
	}
}

func TestWhatIsNotCompleteDoesNotAppearUnderItsName(t *testing.T) {
	t.Parallel()
	s, file := queried(t, `{ customers { nodes { id relations { nodes { id kind } } } } }`)
	folder := t.TempDir()
	path := filepath.Join(folder, "customers.csv")
	if code, _, err := s.run(t, "query", file, "--format", "csv", "-o", path); code != exitFailure || !strings.Contains(err, "rows=relations") {
		t.Errorf("a list that is not named: %d %s", code, err)
	}
	for name, broken := range map[string]http.HandlerFunc{
		"without trailers": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Changes-After", "1")
			_, _ = io.WriteString(w, "id\r\nacme\r\n")
		},
		"broken off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Changes-After", "1")
			w.Header().Set("Trailer", "Export-Status")
			_, _ = io.WriteString(w, "id\r\nacme\r\n")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
		"another program": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "welcome") },
		"a refusal": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"errors":[{"message":"one at a time"},{"message":"send a valid credential in the headers x-client-id and x-client-secret"}]}`)
		},
		"elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.example/", http.StatusTemporaryRedirect)
		},
	} {
		server := httptest.NewServer(broken)
		defer server.Close()
		code, _, err := s.run(t, "query", file, "--format", "csv", "-o", path, "--server", server.URL)
		if code != exitFailure || name == "a refusal" && !strings.Contains(err, "one at a time; send a valid credential in BACKOFFICE_CLIENT_ID and") {
			t.Errorf("%s: %d %s", name, code, err)
		}
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("there are %v", left)
	}
}

func TestAQueryOfNumbersStatesItsPurposeAndIsInTheRegister(t *testing.T) {
	t.Parallel()
	s, file := queried(t, `{ customers { nodes { id registrationNumber } } }`)
	if code, _, err := s.run(t, "query", file); code != exitFailure || !strings.Contains(err, "purpose") {
		t.Errorf("without one: %d %s", code, err)
	}
	out := s.must(t, "query", file, "--purpose", "yearly statement")
	numbers := strings.Count(out, `"registrationNumber":"`)
	listed := s.must(t, "consultations", "list", "--format", "jsonl")
	if numbers == 0 || strings.Count(listed, "\n") != numbers || strings.Count(listed, `"operation":"EXPORT"`) != numbers || strings.Count(listed, `"customer":"`) != numbers {
		t.Errorf("%s\n%s", out, listed)
	}
}

func TestAQueryOfAServerIsAskedWithTheCredentialOfTheEnvironment(t *testing.T) {
	s, file := queried(t, `query A { users { nodes { id } } } query B { customers(first: 2) { nodes { id } } }`)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get(auth.ClientIDHeader) != "me" || r.Header.Get(auth.ClientSecretHeader) != "secret" || r.URL.String() != "/graphql/export?cursor=on&format=jsonl" ||
			!strings.Contains(string(body), `"operationName":"B"`) || !strings.Contains(string(body), `"variables":{"a":1}`) {
			t.Errorf("%s %v %s", r.URL, r.Header, body)
		}
		w.Header().Set("Changes-After", "1")
		w.Header().Set("Trailer", "Export-Status, Export-Rows")
		_, _ = io.WriteString(w, "{}\n")
		w.Header().Set("Export-Status", "complete")
		w.Header().Set("Export-Rows", "1")
	}))
	defer server.Close()
	t.Setenv("BACKOFFICE_CLIENT_ID", "me")
	t.Setenv("BACKOFFICE_CLIENT_SECRET", "secret")
	variables := filepath.Join(s.folder(t, "v.json", `{"a": 1}`), "v.json")
	code, out, told := s.run(t, "query", file, "--operation", "B", "--cursor", "--variables", "@"+variables, "--server", server.URL)
	if code != exitDone || out != "{}\n" || !strings.HasPrefix(told, "1 row; ") {
		t.Errorf("%d %s%s", code, out, told)
	}
	for _, args := range [][]string{
		{"query", file, "--format", "xlsx"}, {"query", file, "--format", "pdf"}, {"query", file, "--server", "office.example"}, {"query", file, "--purpose", "85073003328"},
	} {
		if code, _, err := s.run(t, args...); code != exitUsage {
			t.Errorf("%q: %d %s", args, code, err)
		}
	}
	if code, _, _ := s.run(t, "query", filepath.Join(t.TempDir(), "none")); code != exitFailure {
		t.Errorf("a file that is not there: %d", code)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := run(ctx, append(s.settings(), "query", file, "--operation", "B", "-o", filepath.Join(t.TempDir(), "x")), io.Discard, io.Discard); code != exitFailure {
		t.Errorf("stopped: %d", code)
	}
}

func TestAQueryThatCannotBeWrittenOrStatedIsToldInOneSentence(t *testing.T) {
	t.Parallel()
	s, file := queried(t, `{ customers { nodes { id registrationNumber } } }`)
	if code, _, err := s.run(t, "query", file); code != exitFailure || !strings.Contains(err, "by --purpose TEXT") || strings.Contains(err, "header") {
		t.Errorf("without a purpose: %d %s", code, err)
	}
	nowhere := filepath.Join(t.TempDir(), "nope", "x.xlsx")
	if code, out, err := s.run(t, "query", file, "--purpose", "an audit", "--format", "xlsx", "-o", nowhere); code != exitFailure || out != "" || err != "backoffice: cannot write "+nowhere+": no such file or directory\n" {
		t.Errorf("to no folder: %d %s %s", code, out, err)
	}
}

func TestAFullDiskAtTheReadersEndLeavesNoFile(t *testing.T) {
	t.Parallel()
	s, file := queried(t, `{ customers { nodes { id } } }`)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Changes-After", "1")
		w.Header().Set("Trailer", "Export-Status, Export-Rows")
		for range 100 {
			_, _ = io.WriteString(w, strings.Repeat("{}\n", 1000))
		}
		w.Header().Set("Export-Status", "complete")
		w.Header().Set("Export-Rows", "100000")
	}))
	defer server.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for blocks, want := range map[string]int{"100": exitFailure, "unlimited": exitDone} {
		folder := t.TempDir()
		path := filepath.Join(folder, "customers.jsonl")
		command := exec.Command("sh", append([]string{"-c", `ulimit -f "$1"; shift; exec "$@"`, "sh", blocks, self}, append(s.settings(), "query", file, "--server", server.URL, "-o", path)...)...)
		command.Env = append(os.Environ(), "TEST_BACKOFFICE_PROGRAM=1", "BACKOFFICE_CLIENT_ID=me", "BACKOFFICE_CLIENT_SECRET=secret")
		said, _ := command.CombinedOutput()
		left, _ := os.ReadDir(folder)
		if code := command.ProcessState.ExitCode(); code != want || (len(left) == 0) != (want == exitFailure) || want == exitFailure && !strings.Contains(string(said), "file too large") {
			t.Errorf("%s blocks: %d %s, there are %v", blocks, code, said, left)
		}
	}
}
