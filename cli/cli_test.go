package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func TestHelpExplainsEveryCommandFlagAndArgument(t *testing.T) {
	t.Parallel()
	commands := 0
	var check func(node *kong.Node, words ...string)
	check = func(node *kong.Node, words ...string) {
		code, out, err := newShell(t).run(t, append(slices.Clone(words), "--help")...)
		if code != exitDone || err != "" {
			t.Errorf("%q --help ends with %d, %q", words, code, err)
		}
		shown := strings.Join(strings.Fields(out), " ") // help is broken into lines
		explained := func(what, help string) {
			sentence, ends := strings.CutSuffix(help, ".") // kong puts a flag's variable before the full stop
			if !strings.Contains(sentence, " ") || !ends || !strings.Contains(shown, strings.Join(strings.Fields(sentence), " ")) {
				t.Errorf("%q --help explains %s with %q", words, what, help)
			}
		}
		explained("itself", node.Help)
		for _, flag := range node.Flags {
			explained("--"+flag.Name, strings.ReplaceAll(flag.Help, "${default}", flag.Default))
		}
		for _, argument := range node.Positional {
			explained(argument.Summary(), argument.Help)
		}
		for _, child := range node.Children {
			check(child, append(slices.Clone(words), child.Name)...)
		}
		if node.Leaf() {
			commands++
		}
	}
	check(new(program).parser().Model.Node)
	if commands < 20 {
		t.Errorf("%d commands were looked at", commands)
	}
}

func TestACommandLineThatMakesNoSenseEndsWithTwoAndSaysWhy(t *testing.T) {
	t.Parallel()
	for line, why := range map[string]string{
		"impotr x":                        "impotr",
		"import":                          "pass a folder or a file",
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
