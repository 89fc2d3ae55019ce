package cli

import (
	"bytes"
	"strings"
	"testing"
)

func TestAMistypedCommandGetsASuggestion(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"credentails list":                `did you mean "credentials"?`,
		"imprt folder":                    `did you mean "import"?`,
		"bakcup":                          `did you mean "backup"?`,
		"--database x imprt":              `did you mean "import"?`,
		"credentials lsit":                `did you mean "list"?`,
		"consultations verfiy":            `did you mean "verify"?`,
		"--limit-depth x":                 "valid 64 bit int",
		"something else":                  "",
		"export x --registration-numbers": "",
		"85073003328":                     "",
		"serve 90.01.01-997.94":           "",
	} {
		var out, err bytes.Buffer
		if code := run(t.Context(), strings.Fields(line), &out, &err); code != exitUsage {
			t.Errorf("%s ends with %d", line, code)
		}
		if told := err.String(); !strings.Contains(told, want) || want == "" && strings.Contains(strings.ToLower(told), "did you mean") {
			t.Errorf("%s: %s", line, told)
		}
	}
}
