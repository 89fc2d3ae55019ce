package main

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"example.org/backoffice/backoffice"
)

// shell runs commands over a store of its own.
type shell struct{ dir string }

func newShell(t *testing.T) *shell { return &shell{t.TempDir()} }

// settings name the shell's store; they stand before the command.
func (s *shell) settings() []string {
	return []string{
		"--database=sqlite:" + filepath.Join(s.dir, "data", "backoffice.db"), "--files=file:" + filepath.Join(s.dir, "data", "files"),
		"--keyset=" + filepath.Join(s.dir, "data", "keyset.json"),
	}
}

func (s *shell) run(t *testing.T, args ...string) (code int, out, err string) {
	t.Helper()
	var outs, errs bytes.Buffer
	code = run(t.Context(), append(s.settings(), args...), &outs, &errs)
	return code, outs.String(), errs.String()
}

// must runs a command that has to work and returns what it printed.
func (s *shell) must(t *testing.T, args ...string) string {
	t.Helper()
	code, out, err := s.run(t, args...)
	if code != exitDone {
		t.Fatalf("%q ends with %d: %s", args, code, err)
	}
	return out
}

func (s *shell) folder(t *testing.T, file, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestEveryCommandHasAHelpText(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"", "serve", "demo", "import", "export", "backup", "credentials", "credentials create", "credentials list", "credentials rotate",
		"credentials revoke", "credentials scopes", "years start", "years list", "documents generate", "consultations list", "consultations verify", "changes list", "compact", "migrate", "files list", "files sweep", "files restore", "restore", "check",
	} {
		code, out, err := newShell(t).run(t, append(strings.Fields(command), "--help")...)
		if code != exitDone || !strings.Contains(out, "Usage: backoffice") || err != "" {
			t.Errorf("%s --help ends with %d, %q and %q", command, code, out, err)
		}
	}
}

func TestACommandLineThatMakesNoSenseEndsWithTwoAndSaysWhy(t *testing.T) {
	t.Parallel()
	for line, why := range map[string]string{
		"impotr x":                        "impotr",
		"import":                          "<path>",
		"import a b":                      "b",
		"export x --registration-numbers": "--purpose",
		"export x --purpose y":            "--registration-numbers",
		"export x --registration-numbers --purpose 123456789": "9 or more digits",
		"credentials create --scope privacy.read":             "--name",
		"credentials create --name x --scope secret":          "the scopes are privacy.read",
		"credentials create --name x --expires soon":          "2027-01-31",
		"credentials rotate x --overlap=-1h":                  "--overlap",
		"credentials scopes x":                                "--add or --remove",
		"credentials scopes x --add secret":                   "--add: unknown scope",
		"changes list --format xml":                           "--format",
		"changes list --limit=-1":                             "--limit",
		"demo --customers 0":                                  "--customers",
	} {
		s := newShell(t)
		code, out, err := s.run(t, strings.Fields(line)...)
		if code != exitUsage || !strings.Contains(err, why) || out != "" {
			t.Errorf("%q ends with %d, %q and %q", line, code, out, err)
		}
		if _, there := os.Stat(filepath.Join(s.dir, "data")); there == nil {
			t.Errorf("%q made a store", line)
		}
	}
}

func TestImportTellsWhatItDidAndWhichLinesAreBad(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	out := s.must(t, "import", "testdata/office")
	if !strings.Contains(out, "customers.ndjson: 7 created, 0 updated, 0 deleted, 0 unchanged\n") {
		t.Errorf("it tells\n%s", out)
	}
	if out = s.must(t, "import", "testdata/office"); !strings.Contains(out, "customers.ndjson: 0 created, 0 updated, 0 deleted, 7 unchanged\n") {
		t.Errorf("the second time it tells\n%s", out)
	}
	code, out, err := s.run(t, "import", s.folder(t, "labels.ndjson", "{\"_id\":\"a\"}\n{\"_id\":\"b\",\"name\":\"b\"}\n{\n"))
	lines := strings.Split(strings.TrimSpace(err), "\n")
	if code != exitFailure || out != "" || len(lines) != 3 || !strings.HasPrefix(lines[0], "labels.ndjson:1: name: ") || !strings.HasPrefix(lines[1], "labels.ndjson:3: ") {
		t.Errorf("bad lines end with %d, %q and\n%s", code, out, err)
	}
}

func TestAnExportIsImportedIntoAnotherStore(t *testing.T) {
	t.Parallel()
	first, second := newShell(t), newShell(t)
	first.must(t, "import", "testdata/office")
	folder := filepath.Join(first.dir, "export")
	first.must(t, "export", folder, "--registration-numbers", "--purpose", "moving house")
	second.must(t, "import", folder)
	again := filepath.Join(second.dir, "export")
	second.must(t, "export", again, "--registration-numbers", "--purpose", "moving house")
	for _, name := range []string{"customers.ndjson", "transcripts.ndjson", "documents.ndjson"} {
		a, _ := os.ReadFile(filepath.Join(folder, name))
		b, _ := os.ReadFile(filepath.Join(again, name))
		if len(a) == 0 || !bytes.Equal(a, b) {
			t.Errorf("%s differs", name)
		}
	}
	listed := first.must(t, "consultations", "list", "--format", "jsonl")
	if strings.Count(listed, "\n") != 1 || !strings.Contains(listed, `"operation":"EXPORT"`) || !strings.Contains(listed, `"purpose":"moving house"`) {
		t.Errorf("the register has\n%s", listed)
	}
	if out := first.must(t, "consultations", "verify"); !strings.Contains(out, "1 entries") {
		t.Errorf("verify tells %q", out)
	}
}

func TestABackupIsAStoreThatOpensWithTheSameKeyset(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "testdata/office")
	copied := &shell{t.TempDir()}
	s.must(t, "backup", filepath.Join(copied.dir, "data"))
	entries, _ := os.ReadDir(filepath.Join(copied.dir, "data"))
	if len(entries) != 2 || entries[0].Name() != "backoffice.db" || entries[1].Name() != "files" {
		t.Fatalf("the backup holds %v", entries)
	}
	if code, _, err := copied.run(t, "export", filepath.Join(copied.dir, "export")); code != exitFailure || !strings.Contains(err, "restore the keyset") {
		t.Errorf("without its keyset the backup opens: %d, %s", code, err)
	}
	keyset, err := os.ReadFile(filepath.Join(s.dir, "data", "keyset.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(copied.dir, "data", "keyset.json"), keyset, 0o600); err != nil {
		t.Fatal(err)
	}
	purpose := []string{"--registration-numbers", "--purpose", "test"}
	s.must(t, append([]string{"export", filepath.Join(s.dir, "export")}, purpose...)...)
	copied.must(t, append([]string{"export", filepath.Join(copied.dir, "export")}, purpose...)...)
	err = filepath.WalkDir(filepath.Join(s.dir, "export"), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, _ := filepath.Rel(s.dir, path)
		a, _ := os.ReadFile(path)
		b, _ := os.ReadFile(filepath.Join(copied.dir, name))
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if code, _, err := s.run(t, "backup", filepath.Join(copied.dir, "data")); code != exitFailure || !strings.Contains(err, "is not empty") {
		t.Errorf("a backup over another ends with %d, %s", code, err)
	}
}

// pair is what --json prints.
type pair struct{ ClientID, ClientSecret string }

func pairOf(t *testing.T, out string) (p pair) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(out))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil || p.ClientID == "" || p.ClientSecret == "" || strings.Count(out, "\n") != 1 {
		t.Fatalf("%q is not a pair alone: %v", out, err)
	}
	return p
}

func TestCredentialsAreCreatedRotatedRevokedAndListed(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	created := pairOf(t, s.must(t, "credentials", "create", "--json", "--name", "portal", "--scope", "pti.write", "--scope", "privacy.read", "--expires", "2999-01-31"))
	rotated := pairOf(t, s.must(t, "credentials", "rotate", created.ClientID, "--json"))
	if rotated.ClientID != created.ClientID || rotated.ClientSecret == created.ClientSecret {
		t.Error("the rotation gave another pair, or the same secret")
	}
	list := func() map[string]any {
		var row map[string]any
		if err := json.Unmarshal([]byte(s.must(t, "credentials", "list", "--format=jsonl")), &row); err != nil {
			t.Fatal(err)
		}
		return row
	}
	row := list()
	if row["state"] != "live" || row["liveSecrets"] != 2.0 || row["expiresAt"] != "2999-01-31T00:00:00.000Z" || row["name"] != "portal" {
		t.Errorf("it is listed as %v", row)
	}
	s.must(t, "credentials", "rotate", created.ClientID, "--overlap", "0s")
	if row = list(); row["liveSecrets"] != 1.0 {
		t.Errorf("without overlap it is listed as %v", row)
	}
	s.must(t, "credentials", "revoke", created.ClientID)
	if row = list(); row["state"] != "revoked" || row["liveSecrets"] != 0.0 {
		t.Errorf("revoked it is listed as %v", row)
	}
	if code, _, err := s.run(t, "credentials", "rotate", created.ClientID); code != exitFailure || !strings.Contains(err, "revoked or expired") {
		t.Errorf("rotating a revoked pair ends with %d, %s", code, err)
	}
	if code, _, err := s.run(t, "credentials", "revoke", "nobody"); code != exitFailure || !strings.Contains(err, "credentials list") {
		t.Errorf("revoking an unknown pair ends with %d, %s", code, err)
	}
	if table := s.must(t, "credentials", "list"); strings.Contains(table, rotated.ClientSecret) || !strings.HasPrefix(table, "CLIENTID") {
		t.Errorf("the table is\n%s", table)
	}
}

func TestScopesAreGivenToALivingPairAndTakenFromIt(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	created := pairOf(t, s.must(t, "credentials", "create", "--json", "--name", "portal", "--scope", "pti.write"))
	out := s.must(t, "credentials", "scopes", created.ClientID, "--add", "users.write", "--add", "customers.write", "--remove", "pti.write", "--remove", "minfin.read")
	if !strings.HasPrefix(out, "The pair's scopes: customers.write users.write\n") {
		t.Errorf("it says %q", out)
	}
	if list := s.must(t, "credentials", "list", "--format=jsonl"); !strings.Contains(list, `"scopes":["customers.write","users.write"]`) {
		t.Errorf("it is listed as %s", list)
	}
	for why, args := range map[string][]string{
		"not both":           {created.ClientID, "--add", "pti.write", "--remove", "pti.write"},
		"credentials list":   {"nobody", "--add", "pti.write"},
		"revoked or expired": {pairOf(t, s.must(t, "credentials", "create", "--json", "--name", "gone")).ClientID, "--add", "pti.write"},
	} {
		if why == "revoked or expired" {
			s.must(t, "credentials", "revoke", args[0])
		}
		if code, _, err := s.run(t, append([]string{"credentials", "scopes"}, args...)...); code != exitFailure || !strings.Contains(err, why) {
			t.Errorf("%s ends with %d, %s", why, code, err)
		}
	}
	if out := s.must(t, "credentials", "scopes", created.ClientID, "--remove", "users.write", "--remove", "customers.write"); !strings.HasPrefix(out, "The pair's scopes: none\n") {
		t.Errorf("it says %q", out)
	}
}

func TestYearsAreListedAndOneMayBeSkippedWithItsChecklistsBroughtOver(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "testdata/office")
	before, err := csv.NewReader(strings.NewReader(s.must(t, "years", "list", "--format", "csv"))).ReadAll()
	if err != nil || len(before) < 2 {
		t.Fatalf("the years are %v, %v", before, err)
	}
	current := before[len(before)-1]
	year, _ := strconv.Atoi(current[0])
	skipped := strconv.Itoa(year + 2)
	if code, _, why := s.run(t, "years", "start", skipped, "--yes"); code != exitFailure || !strings.Contains(why, "not the one after") {
		t.Errorf("skipping a year ends with %d, %s", code, why)
	}
	s.must(t, "years", "start", skipped, "--yes", "--force", "--with-checklists")
	after, err := csv.NewReader(strings.NewReader(s.must(t, "years", "list", "--format", "csv"))).ReadAll()
	if err != nil || len(after) != len(before)+1 {
		t.Fatalf("the years are %v, %v", after, err)
	}
	old, started := after[len(after)-2], after[len(after)-1]
	if current[2] != "current" || old[2] != "archived" || started[0] != skipped || started[2] != "current" || started[3] != current[3] || started[4] != "0" || old[3] != current[3] {
		t.Errorf("the years were %v, and are %v", before, after)
	}
}

func TestAQuestionIsAnsweredWithYesOrNothingIsDone(t *testing.T) {
	t.Parallel()
	for answer, sure := range map[string]bool{"y\n": true, "Yes\n": true, "yes": true, "n\n": false, "\n": false, "": false, "yes, no\n": false} {
		var asked strings.Builder
		if err := confirm(strings.NewReader(answer), &asked, "Archive?"); (err == nil) != sure || asked.String() != "Archive? [y/N] " {
			t.Errorf("%q: %v after %q", answer, err, asked.String())
		}
	}
}

func TestAYearIsStartedOnce(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	s.must(t, "years", "start", "2026")
	s.must(t, "years", "start", "2027")
	for _, year := range []string{"2027", "2020", "2029", "soon"} {
		if code, out, err := s.run(t, "years", "start", year); code != exitFailure || out != "" || strings.Count(err, "\n") != 1 {
			t.Errorf("starting %s ends with %d, %q and %q", year, code, out, err)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(s.must(t, "changes", "list", "--format", "csv"))).ReadAll()
	if err != nil || len(rows) != 4 || rows[1][3] != "years start" {
		t.Errorf("the log is %v, %v", rows, err)
	}
	if page := s.must(t, "changes", "list", "--format", "jsonl", "--after", "1", "--limit", "1"); !strings.HasPrefix(page, `{"sequence":2,`) || strings.Count(page, "\n") != 1 {
		t.Errorf("a page of the log is %q", page)
	}
}

func TestEveryCompletedTranscriptGetsADocument(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "testdata/office")
	first := s.must(t, "documents", "generate")
	if !regexp.MustCompile(`^[1-9][0-9]* documents generated\n$`).MatchString(first) {
		t.Errorf("it tells %q", first)
	}
	if again := s.must(t, "documents", "generate"); again != "0 documents generated\n" {
		t.Errorf("the second time it tells %q", again)
	}
}

func TestMigrateMakesAndKeepsAStore(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	for range 2 {
		if out := s.must(t, "migrate"); !strings.Contains(out, "up to date") {
			t.Errorf("it tells %q", out)
		}
	}
}

func TestACellThatASpreadsheetWouldRunIsInert(t *testing.T) {
	t.Parallel()
	for cell, wanted := range map[string]string{"=1+1": "'=1+1", "+1": "'+1", "@x": "'@x", "-1": "'-1", "-": "-", "fine": "fine", "": ""} {
		if got := inert(cell); got != wanted {
			t.Errorf("%q becomes %q", cell, got)
		}
	}
}

// screen is written by a command and read by a test.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

var demoScreen = regexp.MustCompile(`(?s)^Every scope\n  x-client-id:     (\S+)\n  x-client-secret: (\S+)\nWithout privacy.read\n  x-client-id:     (\S+)\n  x-client-secret: (\S+)\nGraphiQL: (http://\S+)/graphiql\S*\n`)

// demo starts a demo, hands what it printed to try, and stops it.
func (s *shell) demo(t *testing.T, try func(printed []string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, err screen
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, append(s.settings(), "demo", "--listen=127.0.0.1:0", "--customers=60"), &out, &err)
	}()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if printed := demoScreen.FindStringSubmatch(out.String()); printed != nil {
			try(printed[1:])
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the demo has printed %q and %q", out.String(), err.String())
		}
	}
	cancel()
	if code := <-done; code != exitDone {
		t.Errorf("the demo ends with %d: %s", code, err.String())
	}
}

func TestADemoServesAndASecondStartReusesTheDataAndRotatesTheSecrets(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	status := func(base, id, secret string) int {
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/graphql", strings.NewReader(`{"query":"{customers{totalCount}}"}`))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("x-client-id", id)
		request.Header.Set("x-client-secret", secret)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Error(err)
			return 0
		}
		defer response.Body.Close()
		var answer bytes.Buffer
		_, _ = answer.ReadFrom(response.Body)
		if response.StatusCode == http.StatusOK && strings.TrimSpace(answer.String()) != `{"data":{"customers":{"totalCount":60}}}` {
			t.Errorf("the answer is %s", answer.String())
		}
		return response.StatusCode
	}
	var first []string
	s.demo(t, func(printed []string) {
		first = printed
		for at := range []int{0, 1} {
			if code := status(printed[4], printed[2*at], printed[2*at+1]); code != http.StatusOK {
				t.Errorf("pair %d is answered with %d", at, code)
			}
		}
	})
	s.demo(t, func(printed []string) {
		for at := range []int{0, 1} {
			if printed[2*at] != first[2*at] || printed[2*at+1] == first[2*at+1] {
				t.Errorf("pair %d was %s and is %s, or kept its secret", at, first[2*at], printed[2*at])
			}
			if code := status(printed[4], printed[2*at], printed[2*at+1]); code != http.StatusOK {
				t.Errorf("pair %d is answered with %d", at, code)
			}
			if code := status(printed[4], first[2*at], first[2*at+1]); code != http.StatusUnauthorized {
				t.Errorf("the old secret of pair %d is answered with %d", at, code)
			}
		}
	})
	var row struct{ Scopes []string }
	lines := strings.SplitN(s.must(t, "credentials", "list", "--format=jsonl"), "\n", 2)
	if err := json.Unmarshal([]byte(lines[0]), &row); err != nil || len(row.Scopes) != len(backoffice.AllScopes) {
		t.Errorf("the first pair is %s", lines[0])
	}
}

func TestADemoLeavesAStoreWithOtherDataAlone(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "testdata/office")
	code, out, err := s.run(t, "demo", "--listen=127.0.0.1:0")
	if code != exitFailure || out != "" || !strings.Contains(err, "--database") {
		t.Errorf("it ends with %d, %q and %q", code, out, err)
	}
}

func TestAGeneratedDocumentHasTheLetterheadThatIsSet(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "testdata/office")
	logo := filepath.Join(s.dir, "logo.png")
	if code, _, err := s.run(t, "documents", "generate", "--office-logo", logo); code != exitFailure || !strings.Contains(err, "cannot read the logo") {
		t.Errorf("a logo that is not there: %d %q", code, err)
	}
	if err := os.WriteFile(logo, []byte("no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, err := s.run(t, "documents", "generate", "--office-logo", logo); code != exitFailure || !strings.Contains(err, "a PNG or a JPEG") {
		t.Errorf("a logo that is no picture: %d %q", code, err)
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 20))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(logo, picture.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s.must(t, "documents", "generate", "--office-name", "Kantoor Peeters", "--office-address", "Kouter 1;9000 Gent", "--office-logo", logo)
	name := fmt.Sprintf("%04X", utf16.Encode([]rune("Kantoor Peeters"))) // as the author's name
	name = strings.NewReplacer(" ", "", "[", "", "]", "").Replace(name)
	made, logos := 0, 0
	err := filepath.WalkDir(filepath.Join(s.dir, "data", "files"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(content, []byte("%PDF")) {
			return err
		}
		if !strings.Contains(inflated(content), name) {
			return nil // it came with the import
		}
		made++
		if bytes.Contains(content, []byte("/Subtype/Image/Width 40/Height 20")) {
			logos++
		}
		return nil
	})
	if err != nil || made == 0 || logos != made {
		t.Errorf("%d documents with the letterhead, %d with its logo: %v", made, logos, err)
	}
}

// inflated is what a PDF's packed streams hold.
func inflated(content []byte) string {
	var all strings.Builder
	for _, stream := range bytes.Split(content, []byte("\nstream\n"))[1:] {
		if unpacking, err := zlib.NewReader(bytes.NewReader(stream)); err == nil {
			_, _ = io.Copy(&all, unpacking)
		}
	}
	return all.String()
}
