package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/auth"
)

// credential makes a credential with scopes, and a file with its secret.
func (s *shell) credential(t testing.TB, scopes ...string) (id, secretFile string) {
	t.Helper()
	args := []string{"credentials", "create", "--name", "test", "--json"}
	for _, scope := range scopes {
		args = append(args, "--scope", scope)
	}
	var issued struct{ ClientID, ClientSecret string }
	if err := json.Unmarshal([]byte(s.must(t, args...)), &issued); err != nil {
		t.Fatal(err)
	}
	return issued.ClientID, filepath.Join(s.folder(t, "secret", issued.ClientSecret+"\n"), "secret")
}

// origin is the program serving the small office, and how it is pulled.
func origin(t testing.TB, folder string) (of *shell, p *started, flags []string) {
	t.Helper()
	of = newShell(t)
	of.must(t, "import", folder)
	id, secret := of.credential(t, "minfin.read")
	p = of.start(t, exec.Command("env"))
	return of, p, []string{"pull", "--from", "http://" + p.address, "--client-id", id, "--client-secret-file", secret}
}

func TestPullMakesAMirrorAndTellsWhatItDid(t *testing.T) {
	t.Parallel()
	_, _, pull := origin(t, "../testdata/office")
	s := newShell(t)
	if out := s.must(t, pull...); !strings.Contains(out, "customer: 7 created, 0 updated, 0 deleted, 0 unchanged\n") {
		t.Errorf("it tells\n%s", out)
	}
	before, rejects := s.must(t, "changes", "list"), filepath.Join(t.TempDir(), "rejects")
	if out := s.must(t, pull...); !strings.Contains(out, "customer: 0 created, 0 updated, 0 deleted, 7 unchanged\n") {
		t.Errorf("the second time it tells\n%s", out)
	}
	s.must(t, append(pull, "--rejects", rejects)...)
	if text, err := os.ReadFile(filepath.Join(rejects, "reasons.csv")); err != nil || string(text) != "file,line,field,reason\n" {
		t.Errorf("the reasons of no rejects are %q: %v", text, err)
	}
	if code, _, err := s.run(t, append(pull, "--rejects", rejects)...); code != exitFailure || !strings.Contains(err, "not empty") {
		t.Errorf("the rejects of two pulls in one folder: %d, %s", code, err)
	}
	if s.must(t, "changes", "list") != before {
		t.Error("a second pull has written something")
	}
	other := append([]string(nil), pull...)
	other[2] = "http://127.0.0.1:9"
	if code, _, err := s.run(t, other...); code != exitFailure || !strings.Contains(err, "--release") {
		t.Errorf("a second origin: %d, %s", code, err)
	}
	mirrorOf(t, s, pull[2])
	if out := s.must(t, "pull", "--release"); !strings.Contains(out, "is independent now") {
		t.Errorf("release tells %s", out)
	}
	if code, _, err := s.run(t, other...); code != exitFailure || !strings.Contains(err, "cannot be read: cannot connect") {
		t.Errorf("an origin that is away: %d, %s", code, err)
	}
	pull[4] = "nobody"
	if code, _, err := s.run(t, pull...); code != exitFailure || !strings.Contains(err, "rejects the credential") {
		t.Errorf("an unknown credential: %d, %s", code, err)
	}
}

func TestAPullThatIsKilledGoesOnAndItsOriginMayBeKilledToo(t *testing.T) {
	t.Parallel()
	of, served, pull := origin(t, "../testdata/office")
	folder := t.TempDir()
	var lines strings.Builder
	for i := range 6_000 {
		fmt.Fprintf(&lines, `{"_id":"c-%04d","type":"Company","name":"Klant %d"}`+"\n", i, i)
	}
	if err := os.WriteFile(filepath.Join(folder, "customers.ndjson"), []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	of.must(t, "import", folder)
	s := newShell(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	kill := func(after time.Duration) {
		t.Helper()
		c := exec.Command(self, append(s.settings(), pull...)...)
		c.Env = append(os.Environ(), "TEST_BACKOFFICE_PROGRAM=1")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(after)
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	for _, after := range []time.Duration{300 * time.Millisecond, 700 * time.Millisecond, 500 * time.Millisecond} {
		kill(after)
	}
	_ = served.command.Process.Kill() // in the middle of what a next pull reads
	if code, _, _ := s.run(t, pull...); code == exitDone {
		t.Error("a pull from nobody has worked")
	}
	again := of.start(t, exec.Command("env"))
	pull[2] = "http://" + again.address
	s.must(t, "pull", "--release") // it listens somewhere else now
	if code, out, err := s.run(t, pull...); code != exitDone {
		t.Fatalf("the last pull ends with %d\n%s\n%s", code, out, err)
	}
	if out := s.must(t, pull...); !strings.Contains(out, "customer: 0 created, 0 updated, 0 deleted, 6007 unchanged\n") {
		t.Errorf("at the end it tells\n%s", out)
	}
}

func TestAMirrorThatWritesThroughDoesTheWritesOfBothInterfacesAtTheOrigin(t *testing.T) {
	t.Parallel()
	of := newShell(t)
	of.must(t, "import", "../testdata/office")
	id, secret := of.credential(t, "minfin.read", "customers.write", "settings.write", "pti.write", "users.write")
	served := of.start(t, exec.Command("env"))
	flags := []string{"--from", "http://" + served.address, "--client-id", id, "--client-secret-file", secret}
	s := newShell(t)
	if code, _, err := s.run(t, "serve", "--listen=127.0.0.1:0", "--write-through"); code == exitDone || !strings.Contains(err, "--from") {
		t.Errorf("without an origin: %d, %s", code, err)
	}
	s.must(t, append([]string{"pull"}, flags...)...)
	if code, _, err := s.run(t, append([]string{"serve", "--listen=127.0.0.1:0", "--write-through", "--from", "http://127.0.0.1:9"}, flags[2:]...)...); code != exitFailure || !strings.Contains(err, "mirrors another URL") {
		t.Errorf("to another origin: %d, %s", code, err)
	}
	through := s.start(t, exec.Command("env"), append([]string{"--write-through"}, flags...)...)
	mine, file := s.credential(t, "customers.write")
	key, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, path, body string) (int, string) {
		t.Helper()
		status, _, answer := askAs(t, through, mine, strings.TrimSpace(string(key)), method, path, body)
		return status, answer
	}
	graphql := func(fields string) string {
		text, err := json.Marshal(map[string]string{"query": "mutation { " + fields + " }"})
		if err != nil {
			t.Fatal(err)
		}
		_, answer := ask(http.MethodPost, "/graphql", string(text))
		return answer
	}
	const update = `updateCustomer(input: {id: "acme", name: "Door"%s}%s) { customer { displayName version } userErrors { code field message } }`
	if answer := graphql(fmt.Sprintf(update, "", ", dryRun: true")); !strings.Contains(answer, `"displayName":"Door","version":5`) {
		t.Errorf("a dry run is answered with %s", answer)
	}
	if answer := graphql(fmt.Sprintf(update, "", "")); !strings.Contains(answer, `"displayName":"Door","version":5`) {
		t.Errorf("a mutation is answered with %s", answer)
	}
	if answer := graphql(fmt.Sprintf(update, ", expectedVersion: 4", "")); !strings.Contains(answer, `"code":"STALE_VERSION","field":["expectedVersion"]`) {
		t.Errorf("a lost update is answered with %s", answer)
	}
	if answer := graphql(fmt.Sprintf(update, `, customerCode: "C-002"`, "")); !strings.Contains(answer, `"code":"TAKEN","field":["customerCode"]`) {
		t.Errorf("a code that is taken there is answered with %s", answer)
	}
	if answer := graphql(`deleteCustomerRelation(input: {id: "x"}) { userErrors { code } }`); !strings.Contains(answer, `"userErrors":[{"code":"NOT`) {
		t.Errorf("what the specification does not have is answered with %s", answer)
	}
	if answer := graphql(`createCustomers(inputs: [{type: COMPANY, name: "Hier"}]) { written results { customer { id } } userErrors { code } }`); !strings.Contains(answer, `"written":0,"results":[],"userErrors":[{"code":"NOT_ALLOWED"}]`) {
		t.Errorf("a batch is answered with %s", answer)
	}
	if status, answer := ask(http.MethodPut, "/customers/acme", `{"email":"door@acme.example"}`); status != http.StatusOK || !strings.Contains(answer, `"version":6`) {
		t.Errorf("a change by REST is answered with %d %s", status, answer)
	}
	if out := of.must(t, "changes", "list"); strings.Count(out, "updateCustomer") != 2 {
		t.Errorf("the origin has these changes:\n%s", out)
	}
	if answer := graphql(`deleteCustomer(input: {id: "acme"}) { deletedCustomerId wouldDelete { relations transcripts } userErrors { code } }`); !strings.Contains(answer, `"deletedCustomerId":"acme"`) {
		t.Errorf("a deletion is answered with %s", answer)
	}
	if status, answer := ask(http.MethodGet, "/customers/acme", ""); status != http.StatusNotFound {
		t.Errorf("what was deleted is answered with %d %s", status, answer)
	}
	_ = served.command.Process.Kill()
	<-served.ended
	if status, answer := ask(http.MethodPost, "/customers", `{"type":"Company","name":"Niemand"}`); status != http.StatusServiceUnavailable || !strings.Contains(answer, "does not answer") {
		t.Errorf("without an origin it is answered with %d %s", status, answer)
	}
	if answer := graphql(`createCustomer(input: {type: COMPANY, name: "Niemand"}) { userErrors { code } }`); !strings.Contains(answer, "UNAVAILABLE") {
		t.Errorf("without an origin a mutation is answered with %s", answer)
	}
}

// askAs sends a request to a server that was started.
func askAs(t *testing.T, of *started, id, secret, method, path, body string) (status int, header http.Header, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+of.address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(auth.ClientIDHeader, id)
	r.Header.Set(auth.ClientSecretHeader, secret)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(text)
}

// mirrorOf serves a mirror and looks at how it answers.
func mirrorOf(t *testing.T, s *shell, from string) {
	t.Helper()
	id, file := s.credential(t, "customers.write", "settings.write")
	secret, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	served := s.start(t, exec.Command("env"), "--mirror-max-age=1h")
	ask := func(method, path, body string) (status int, header http.Header, answer string) {
		t.Helper()
		return askAs(t, served, id, strings.TrimSpace(string(secret)), method, path, body)
	}
	if status, header, _ := ask(http.MethodGet, "/customers", ""); status != http.StatusOK || header.Get("Mirrored-At") == "" {
		t.Errorf("a mirror answers with %d and %v", status, header)
	}
	for request, body := range map[string]string{
		"POST /customers": `{"type":"Company","name":"Nieuw"}`, "PUT /customers/acme": `{"name":"Anders"}`, "DELETE /customers/acme": "", "POST /settings/labels": `{"name":"Nieuw"}`,
		"POST /customers/batch": `{"mode":"each","customers":[{"type":"Company","name":"Nieuw"}]}`,
	} {
		method, path, _ := strings.Cut(request, " ")
		if status, _, answer := ask(method, path, body); status != http.StatusConflict || !strings.Contains(answer, "NOT_ALLOWED") || !strings.Contains(answer, from) {
			t.Errorf("%s to a mirror is answered with %d %s", request, status, answer)
		}
	}
	query := `{"query":"mutation { updateCustomer(input: {id: \"acme\", name: \"Anders\"}) { customer { id } userErrors { code message } } }"}`
	if status, _, answer := ask(http.MethodPost, "/graphql", query); status != http.StatusOK || !strings.Contains(answer, `"code":"NOT_ALLOWED"`) || !strings.Contains(answer, from) {
		t.Errorf("a mutation of a mirror is answered with %d %s", status, answer)
	}
	if status, _, answer := ask(http.MethodGet, "/readyz", ""); status != http.StatusOK {
		t.Errorf("a fresh mirror is not ready: %s", answer)
	}
	old := s.start(t, exec.Command("env"), "--mirror-max-age=1ms")
	served = old
	if status, _, answer := ask(http.MethodGet, "/readyz", ""); status != http.StatusServiceUnavailable || !strings.Contains(answer, "the mirror is stale") {
		t.Errorf("an old mirror is ready: %d %s", status, answer)
	}
	for _, p := range []*started{old} {
		_ = p.command.Process.Kill()
	}
}
