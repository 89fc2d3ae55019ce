package cli

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// notRun are the commands of README.md and docs/ that no test runs as they are written, each with the reason.
var notRun = map[string]string{
	"curl -fsS 'http://127.0.0.1:8080/customers/customer-0000001/evidence?from=2026-01-01' -o pack.zip -H \"x-client-id: $BACKOFFICE_CLIENT_ID\" -H \"x-client-secret: $BACKOFFICE_CLIENT_SECRET\" -H 'x-access-purpose: inspection of 2026'": "the demo's server has another keyset, without a signing key: gateway/parity's tests of packs",
	"backoffice evidence verify pack.zip --key office-key.pem": "as the command before it: evidence_test.go",
	"go run . demo":                          "it serves until it is stopped: shell.demo runs the command",
	"make test":                              "it is what runs this test",
	"make release":                           "it builds the program six times: tools/release builds one of them",
	"make reseal":                            "it takes some minutes: privacy's tests turn fewer keys",
	"make reseal ARGS=\"-customers 100000\"": "as make reseal",
	"backoffice keys retire KEY":             "there is no old key yet: keys_test.go",
	"backoffice keys wrap --keyset-kms hcvault://vault.example:8200/transit/keys/backoffice": "nobody is at vault.example: wrap_test.go",
	"backoffice serve --keyset-kms hcvault://vault.example:8200/transit/keys/backoffice":     "nobody is at vault.example: wrap_test.go",
	"pgbackrest --stanza=office stanza-create":                                               "pgbackrest_test.go has a server of its own", "pgbackrest --stanza=office backup": "as stanza-create",
	"make restricted":  "it takes an hour: tests of gateway/restricted, in fewer offices",
	"make mirrors":     "it takes some minutes: mirror's tests, with fewer histories",
	"make disclosures": "it takes some minutes: tests of gateway/numbers, with fewer kills",
	"make benchmarks":  "it takes 25 minutes, and peers from the network", "make benchmarks ARGS=scale": "as make benchmarks",
	"make benchmarks ARGS=cache": "as make benchmarks", "make benchmarks ARGS=distance": "as make benchmarks",
	"make chaos": "it takes some minutes: tools/chaos, each quick fault once", "make overload": "as make chaos",
	"make soak": "it takes an hour", "make histories": "it takes 20 minutes: cache's tests, with fewer histories",
	"make benchmarks ARGS=width":                                                                                     "as make benchmarks",
	"go build -o bin/backoffice .":                                                                                   "the tests are the program as well",
	"bin/backoffice serve --listen 127.0.0.1:8080":                                                                   "it serves until it is stopped: program_test.go",
	"backoffice serve --receipts /mnt/receipts":                                                                      "it serves until it is stopped: privacy's tests of receipts",
	"backoffice webhooks ping WEBHOOK":                                                                               "nobody is at receiver.example: webhooks_program_test.go",
	"backoffice pull --from https://backoffice.example --client-id ID":                                               "nobody is at backoffice.example: pull_test.go",
	"backoffice serve --write-through --from https://backoffice.example --client-id ID":                              "nobody is at backoffice.example: pull_test.go",
	"backoffice consultations report CUSTOMER":                                                                       "nobody has the identifier: consultations_report_test.go",
	"backoffice consultations report CUSTOMER --format pdf --output report.pdf":                                      "nobody has the identifier: consultations_report_test.go",
	"backoffice serve --oidc-issuer https://login.example/office --oidc-audience backoffice --oidc-map people.json":  "it serves until it is stopped: gateway/restricted/people_test.go",
	"backoffice doctor --oidc-issuer https://login.example/office --oidc-audience backoffice --oidc-map people.json": "nobody is at login.example: people_test.go",
	"backoffice trash restore ID":                                                                                    "nothing is in the trash of a new store: trash_test.go",
	"backoffice trash empty ID":                                                                                      "nobody has the identifier: trash_test.go",
	"backoffice serve --ship file:/mnt/nas/office":                                                                   "it serves until it is stopped: ship_test.go",
	"backoffice restore file:/mnt/nas/office":                                                                        "nothing was shipped there: ship_test.go",
	"backoffice restore file:/mnt/nas/office --before 12345":                                                         "nothing was shipped there: ship_test.go",
	"backoffice restore file:/mnt/nas/office --at 2026-11-23T10:41Z":                                                 "nothing was shipped there: ship_test.go",
	"backoffice stand-by file:/mnt/nas/office":                                                                       "it serves until it is stopped: standby_test.go",
	"backoffice promote":                                                                                             "no stand-by runs there: standby_test.go",
	"backoffice ship verify --ship file:/mnt/nas/office":                                                             "nothing was shipped there: ship_test.go",
	"backoffice files restore KEY":                                                                                   "nothing is in quarantine in a new store: files_test.go",
	"backoffice migrate --database 'postgres://backoffice@db/backoffice?sslmode=verify-full'":                        "there is no server db: migrate_test.go",
	"backoffice serve --database 'postgres://backoffice@db1,db2/backoffice?sslmode=verify-full' --replica 'postgres://backoffice@db2/backoffice?sslmode=verify-full'": "there are no servers db1 and db2: gateway/parity's tests of replicas",
}

var (
	fence     = regexp.MustCompile("(?ms)^```(sh)?\n(.*?)^```$")
	comment   = regexp.MustCompile(`\s+# .*`)
	shellLine = regexp.MustCompile(`^(go|make|curl|(bin/)?backoffice) `)
)

// documented are the commands of a page: every line of its blocks of shell, and what looks like one in other blocks.
func documented(t *testing.T, page string) (commands []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range fence.FindAllStringSubmatch(string(text), -1) {
		for line := range strings.Lines(strings.ReplaceAll(block[2], "\\\n", "")) {
			line = strings.TrimSpace(comment.ReplaceAllString(line, ""))
			if line != "" && (block[1] == "sh" || shellLine.MatchString(line)) {
				commands = append(commands, strings.Join(strings.Fields(line), " "))
			}
		}
	}
	return commands
}

func TestEveryCommandOfThePagesRunsAsItIsWritten(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	left := maps.Clone(notRun)
	ran := 0
	newShell(t).demo(t, func(printed []string) {
		for _, page := range append(pages, "../README.md") {
			commands := documented(t, page)
			if len(commands) == 0 {
				continue
			}
			in := newReader(t, printed)
			for _, command := range commands {
				if _, known := notRun[command]; known {
					delete(left, command)
					continue
				}
				ran++
				out, err := in.run(command)
				if err != nil || strings.HasPrefix(command, "curl") && !strings.Contains(command, " -o ") && !strings.HasPrefix(out, `{"data":{"customers":{`) {
					t.Errorf("%s: %s: %v\n%s", page, command, err, out)
				}
			}
		}
	})
	if ran < 15 {
		t.Errorf("only %d commands were found", ran)
	}
	if len(left) > 0 {
		t.Errorf("no page has these any more: %q", slices.Sorted(maps.Keys(left)))
	}
}

// reader runs commands as somebody who follows a page: in a folder, with the program at hand and what the page
// calls FOLDER and ID.
type reader struct {
	dir    string
	env    []string
	origin string
	id     string // of the credential that was made last
	hook   string // the webhook that was made last
	cursor string // that was printed last
}

func newReader(t *testing.T, demo []string) *reader {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{dir: t.TempDir(), origin: demo[4]}
	for _, folder := range []string{"bin", "FOLDER/queries", "mnt/receipts", "backups"} {
		if err := os.MkdirAll(filepath.Join(r.dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(self, filepath.Join(r.dir, "bin/backoffice")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.dir, "customers.graphql"), []byte(`{ customers { nodes { id displayName } } }`), 0o600); err != nil {
		t.Fatal(err)
	}
	label := []byte(`{"_id":"l-1","name":"VIP"}` + "\n")
	if err := os.WriteFile(filepath.Join(r.dir, "FOLDER/labels.ndjson"), label, 0o600); err != nil {
		t.Fatal(err)
	}
	query := []byte("query Portal { viewer { name } }\n")
	if err := os.WriteFile(filepath.Join(r.dir, "FOLDER/queries/portal.graphql"), query, 0o600); err != nil {
		t.Fatal(err)
	}
	query = []byte("# Transcripts that are not finished.\nquery OpenWork { transcripts(filter: {isCompleted: false}) { totalCount } }\n")
	if err := os.WriteFile(filepath.Join(r.dir, "FOLDER/queries/work.graphql"), query, 0o600); err != nil {
		t.Fatal(err)
	}
	r.env = append(os.Environ(), "TEST_BACKOFFICE_PROGRAM=1", "ID="+demo[0], "SECRET="+demo[1],
		"BACKOFFICE_CLIENT_ID="+demo[0], "BACKOFFICE_CLIENT_SECRET="+demo[1],
		"PATH="+filepath.Join(r.dir, "bin")+":"+os.Getenv("PATH"))
	if out, err := r.run("backoffice import FOLDER"); err != nil { // the office that the pages speak of
		t.Fatalf("%v\n%s", err, out)
	}
	return r
}

var (
	madeID   = regexp.MustCompile(`x-client-id:\s+(\S+)`)
	madeHook = regexp.MustCompile(`webhook:\s+(\S+)`)
	cursor   = regexp.MustCompile(`\b[a-z0-9]{16}\.[0-9]+\b`)
)

// run runs a command with the reader's own folders in the place of the page's.
func (r *reader) run(command string) (string, error) {
	if set, exports := strings.CutPrefix(command, "export "); exports { // for the commands that follow
		r.env = append(r.env, strings.Fields(set)...)
		return "", nil
	}
	command = strings.NewReplacer("/backups/", r.dir+"/backups/", "/srv/", r.dir+"/srv/", "http://127.0.0.1:8080", r.origin,
		" ID", " "+r.id, " WEBHOOK", " "+r.hook, "x7k2m9qa.41", r.cursor).Replace(command)
	shell := exec.Command("sh", "-ec", command)
	shell.Dir, shell.Env = r.dir, r.env
	out, err := shell.CombinedOutput()
	if made := madeID.FindSubmatch(out); made != nil {
		r.id = string(made[1])
	}
	if made := madeHook.FindSubmatch(out); made != nil {
		r.hook = string(made[1])
	}
	if printed := cursor.Find(out); printed != nil {
		r.cursor = string(printed)
	}
	return string(out), err
}
