package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
