package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestSettingsComeFromFlagsThenTheEnvironmentThenTheFile(t *testing.T) {
	t.Parallel()
	const text = "limit-depth: 7\nlimit-aliases: 8\nlimit-cost: 9\ncors-origin: [https://a.example, https://b.example]\ntrash: 0\nrequire-purpose: true\n" +
		"cache: 0\nship-most: 4096\nslow: 0\noffice-name: 1230\noffice-address: [Kouter 1, 9000]\nreceipts:\n"
	file := filepath.Join(newShell(t).folder(t, "settings.yaml", text), "settings.yaml")
	for _, s := range []*started{
		start(t, "BACKOFFICE_LIMIT_ALIASES=88", "--settings="+file, "--limit-cost=99"),
		start(t, "BACKOFFICE_LIMIT_ALIASES=88 BACKOFFICE_SETTINGS="+file, "--limit-cost=99"),
	} {
		s.says(t, `"limit-depth":"7"`, `"limit-aliases":"88"`, `"limit-cost":"99"`, `"cors-origin":"https://a.example https://b.example"`,
			`"trash":"0s"`, `"require-purpose":"true"`, `"cache":"0"`, `"ship-most":"4KiB"`, `"slow":"0s"`, `"office-name":"1230"`, `"office-address":"Kouter 1 9000"`)
	}
}

func TestASettingsFileThatMakesNoSenseIsRejectedAndNotQuoted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"listne: 127.0.0.1:8080":                  `the settings file has "listne"`,
		"yes: true":                               `the settings file has "yes"`, // a flag of commands, but no setting
		"database: [postgres://a:secret@b/c":      "must be YAML, one setting a line",
		"- postgres://a:secret@b/c":               "must be YAML, one setting a line",
		"limit-cost: many":                        "--limit-cost",
		"stop-time: 5":                            "--stop-time: expected duration",
		"ship: [s3://a:secret@b/c]":               "--ship: the settings file has a list or a mapping for it",
		"replica: {url: postgres://a:secret@b/c}": "a list or a mapping for it",
		"replica: [[postgres://a:secret@b/c]]":    "a list or a mapping for it",
	} {
		s := newShell(t)
		code, out, err := s.run(t, "serve", "--settings="+filepath.Join(s.folder(t, "settings.yaml", text), "settings.yaml"))
		if code != exitUsage || !strings.Contains(err, want) || strings.Contains(out+err, "secret") {
			t.Errorf("%q ends with %d: %s", text, code, err)
		}
	}
	if code, _, err := newShell(t).run(t, "serve", "--settings=/none.yaml"); code != exitUsage || !strings.Contains(err, "/none.yaml") {
		t.Errorf("a file that is not there ends with %d: %s", code, err)
	}
}

func TestACommandWarnsOfAnEnvironmentVariableThatNoSettingHas(t *testing.T) {
	t.Parallel()
	start(t, "BACKOFFICE_LISTNE=127.0.0.1:1 BACKOFFICE_TRASH=30d").says(t, "unknown environment variables: BACKOFFICE_LISTNE")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	migrate := exec.Command(self, append(newShell(t).settings(), "migrate")...)
	migrate.Env = append(os.Environ(), "TEST_BACKOFFICE_PROGRAM=1", "BACKOFFICE_DATABSE=postgres://a:secret@b/c")
	said, err := migrate.CombinedOutput()
	if err != nil || !strings.Contains(string(said), "unknown environment variables: BACKOFFICE_DATABSE") || strings.Contains(string(said), "secret") {
		t.Errorf("migrate: %v, %s", err, said)
	}
	if unknown := unknownVariables(new(program).parser().Model, []string{"BACKOFFICE_LISTEN=a", "LISTNE=b", "BACKOFFICE_B=c", "BACKOFFICE_A=d"}); strings.Join(unknown, " ") != "BACKOFFICE_A BACKOFFICE_B" {
		t.Errorf("unknown: %q", unknown)
	}
}
