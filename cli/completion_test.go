package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func completed(t *testing.T, line ...string) (words []string) {
	t.Helper()
	for found := range strings.Lines(newShell(t).must(t, append([]string{"complete", "--"}, line...)...)) {
		word, _, _ := strings.Cut(strings.TrimSuffix(found, "\n"), "\t")
		words = append(words, word)
	}
	return words
}

func TestWhatMayStandInThePlaceOfTheLastWordIsTold(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"imp":                               "import",
		"credentials ":                      "create list rotate scopes networks extend revoke",
		"--database x credentials r":        "rotate revoke",
		"--database=x credentials r":        "rotate revoke",
		"--database = x credentials r":      "rotate revoke", // as bash parts it
		"query --format ":                   "jsonl csv xlsx",
		"query --format=c":                  "--format=csv",
		"query --format =":                  "jsonl csv xlsx", // as bash parts it
		"query --format = x":                "xlsx",
		"query --cursor --form":             "--format",
		"query ":                            ":files",
		"query -o ":                         ":files",
		"import ":                           ":files",
		"import x ":                         "",
		"import x --mapp":                   "--mapping",
		"credentials create --scope privac": "privacy.read",
		"webhooks create --noun LAB":        "LABEL",
		"completion ":                       "bash zsh fish",
		"completion -- f":                   "fish",
		"--keyset ":                         ":files",
		"--keyset=":                         ":files",
		"--limit-dep":                       "--limit-depth", // of serve, whose name may be left out
		"serve --limit-dep":                 "--limit-depth",
		"years list --limit-dep":            "",
		"files restore ":                    "",
		"credentials rotate ID ":            "",
		"nothing of ours ":                  "",
		"-- -":                              "",
		"--none=x":                          "",
	} {
		if got := strings.Join(completed(t, strings.Split(line, " ")...), " "); got != want {
			t.Errorf("%q is completed by %q, not by %q", line, got, want)
		}
	}
	if got := completed(t); slices.Contains(got, "complete") || !slices.Contains(got, "serve") {
		t.Errorf("nothing is completed by %q", got)
	}
}

func TestEveryCommandAndFlagIsCompleted(t *testing.T) {
	t.Parallel()
	model := new(program).parser().Model.Node
	seen := 0
	var look func(node *kong.Node, words ...string)
	look = func(node *kong.Node, words ...string) {
		for _, child := range node.Children {
			if !child.Hidden && len(fitting(complete(model, append(slices.Clone(words), child.Name)), "", child.Name)) == 0 {
				t.Errorf("%q %q is not completed", words, child.Name)
			}
			look(child, append(slices.Clone(words), child.Name)...)
		}
		for _, group := range node.AllFlags(true) {
			for _, flag := range group {
				seen++
				if !slices.ContainsFunc(complete(model, append(slices.Clone(words), "--"+flag.Name)), func(found string) bool {
					word, help, _ := strings.Cut(found, "\t")
					return word == "--"+flag.Name && help != ""
				}) {
					t.Errorf("%q --%s is not completed", words, flag.Name)
				}
			}
		}
	}
	look(model)
	if seen < 300 {
		t.Errorf("%d flags were looked at", seen)
	}
}

// A script is taken over by its shell, which then has the program itself complete a line.
func TestTheScriptsWorkInTheirShells(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	program := filepath.Join(home, "backoffice")
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	for shell, ask := range map[string]struct{ args, ask string }{
		// Readline calls the function as here. The last word of the output tells what stands in when there is none.
		"bash": {"--norc --noprofile -c", `
			eval "$(backoffice completion bash)"
			ask() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _backoffice "$1"; echo "${COMPREPLY[*]}"; }
			complete -p backoffice | grep -q 'default.*_backoffice' || echo "not taken over"`},
		// What a completion finds is given to _describe and _files.
		"zsh": {"-f -c", `
			autoload -U compinit && compinit -D -u
			eval "$(backoffice completion zsh)"
			_describe() { print -r -- ${${(P)2}%%:*} }
			_files() { print -r -- }
			ask() { words=("$@") CURRENT=$#; _backoffice }
			[[ $_comps[backoffice] == _backoffice ]] || echo "not taken over"`},
		"fish": {"--no-config -c", `
			backoffice completion fish | source
			cd (mktemp -d)
			function ask; set -l line (string join -- " " $argv); echo (complete -C "$line" | string replace -r '\t.*' ''); end`},
	} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			run := exec.Command(shell, append(strings.Fields(ask.args), ask.ask+`
				ask backoffice imp
				ask '~/backoffice' credentials r
				ask backoffice query --format ''
				ask backoffice import ''
				ask backoffice version --j`)...)
			run.Dir = t.TempDir()
			run.Env = append(os.Environ(), "BACKOFFICE_TEST_PROGRAM=1", "HOME="+home, "PATH="+home+":"+os.Getenv("PATH"))
			out, err := run.CombinedOutput()
			if want := "import\nrotate revoke\njsonl csv xlsx\n\n--json\n"; err != nil || string(out) != want {
				t.Errorf("%v: %q, not %q", err, out, want)
			}
		})
	}
}
