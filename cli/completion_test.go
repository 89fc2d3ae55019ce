package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

// wordsFor are what may stand in the place of the last word, as a shell asks for it.
func wordsFor(t *testing.T, line string) []string {
	t.Helper()
	t.Setenv("COMP_LINE", "backoffice "+line)
	var out, err bytes.Buffer
	if code := run(t.Context(), nil, &out, &err); code != exitDone || err.Len() > 0 {
		t.Errorf("completing %q ends with %d, %q", line, code, err.String())
	}
	words := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	slices.Sort(words)
	return words
}

func TestWhatMayStandInThePlaceOfTheLastWordIsTold(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("named", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"imp":                               "import",
		"credentials ":                      "create extend list networks revoke rotate scopes",
		"--database x credentials r":        "revoke rotate",
		"--database=x credentials r":        "revoke rotate",
		"query --format ":                   "csv jsonl xlsx",
		"query --format=c":                  "csv", // as bash parts it
		"query --cursor --form":             "--format",
		"query ":                            "./ named",
		"query -o na":                       "named",
		"import na":                         "named",
		"import x ":                         "",
		"import x --mapp":                   "--mapping",
		"credentials create --scope privac": "privacy.read",
		"webhooks create --noun LAB":        "LABEL",
		"completion ":                       "bash fish zsh",
		"--keyset na":                       "named",
		"--keyset=na":                       "named",
		"--limit-dep":                       "--limit-depth", // of serve, whose name may be left out
		"--log-format ":                     "auto json text",
		"serve --limit-dep":                 "--limit-depth",
		"years list --limit-dep":            "",
		"files restore ":                    "",
		"credentials rotate ID ":            "",
		"--none=x":                          "",
	} {
		if got := strings.Join(wordsFor(t, line), " "); got != want {
			t.Errorf("%q is completed by %q, not by %q", line, got, want)
		}
	}
	t.Setenv("COMP_POINT", "14") // the cursor's place, as bash and zsh tell it
	if got := strings.Join(wordsFor(t, "import x"), " "); got != "import" {
		t.Errorf("what stands before the cursor is completed by %q", got)
	}
	t.Setenv("COMP_POINT", "18")
	if got := strings.Join(wordsFor(t, "import "), " "); got != "" {
		t.Errorf("a shell that completes paths itself is told %q", got)
	}
}

func TestEveryCommandAndFlagIsCompleted(t *testing.T) {
	predictors := map[string]string{
		"PATH": "path", "FILE": "path", "FOLDER": "path", "JSON|@FILE": "path", "SCOPE": "scope", "NOUN": "noun",
	}
	seen := 0
	var look func(node *kong.Node, line string)
	look = func(node *kong.Node, line string) {
		commands, flags := wordsFor(t, line), wordsFor(t, line+"-")
		for _, child := range node.Children {
			if !slices.Contains(commands, child.Name) {
				t.Errorf("%q %q is not completed", line, child.Name)
			}
			look(child, line+child.Name+" ")
		}
		for _, group := range node.AllFlags(true) {
			for _, flag := range group {
				seen++
				if !slices.Contains(flags, "--"+flag.Name) {
					t.Errorf("%q --%s is not completed", line, flag.Name)
				}
				if got, want := flag.Tag.Get("predictor"), predictors[flag.PlaceHolder]; got != want {
					t.Errorf("%q --%s=%s is completed by %q, not by %q", line, flag.Name, flag.PlaceHolder, got, want)
				}
			}
		}
		for _, argument := range node.Positional {
			if got, want := argument.Tag.Get("predictor"), predictors[strings.ToUpper(argument.Name)]; got != want {
				t.Errorf("%q <%s> is completed by %q, not by %q", line, argument.Name, got, want)
			}
		}
	}
	look(new(program).parser().Model.Node, "")
	if seen < 300 {
		t.Errorf("%d flags were looked at", seen)
	}
}

// What completion prints is taken over by its shell, which then has the program itself complete a line.
func TestShellsCompleteLines(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// A shell in a terminal of its own completes what is typed, and runs it as words of told.
	const typed = `zmodload zsh/zpty; zpty shell "$@"; zpty -w shell "$(cat)"; while zpty -r shell x; do :; done`
	const told = `told() { shift; echo "$@" >>~/told; }`
	for name, shell := range map[string]struct{ command, before, complete string }{
		"bash": {"bash --norc --noprofile -i", `eval "$(backoffice completion bash)"; ` + told, "\x1b*\x01told \n"},
		"zsh": {
			"zsh -f -i",
			`autoload -U compinit && compinit -D -u; eval "$(backoffice completion zsh)"; bindkey ^X complete-word
			zstyle ":completion:*" completer _all_matches _complete; zstyle ":completion:*" insert true; ` + told,
			"\x18\x01told \n",
		},
		"fish": {"fish --no-config", `
			backoffice completion fish | source
			function told
				set found (complete -C $argv | string trim -r -c / | string join ' ')
				echo (string replace -r '^\S+ (.*?)\S*$' '$1' $argv)$found >>~/told
			end`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, dir := t.TempDir(), t.TempDir()
			if err := os.Symlink(self, filepath.Join(home, "backoffice")); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(dir, "a folder"), 0o700); err != nil {
				t.Fatal(err)
			}
			var input strings.Builder
			input.WriteString(shell.before + "\n")
			for _, line := range []string{
				"backoffice imp", "~/backoffice credentials r", "backoffice query --format ", "backoffice import a",
				"backoffice version --j",
			} {
				if shell.complete == "" {
					line = "told '" + line + "'\n"
				}
				input.WriteString(line + shell.complete)
			}
			args := strings.Fields(shell.command)
			if shell.complete != "" {
				input.WriteString("exit\n")
				args = append([]string{"zsh", "-f", "-c", typed, "-"}, args...)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			run := exec.CommandContext(ctx, args[0], args[1:]...)
			run.Dir, run.Stdin, run.WaitDelay = dir, strings.NewReader(input.String()), time.Second
			run.Env = append(os.Environ(),
				"TEST_BACKOFFICE_PROGRAM=1", "HOME="+home, "PATH="+home+":"+os.Getenv("PATH"))
			out, err := run.CombinedOutput()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
			got, err := os.ReadFile(filepath.Join(home, "told"))
			const want = "import\ncredentials revoke rotate\nquery --format csv jsonl xlsx\n" +
				"import a folder\nversion --json\n"
			if err != nil || string(got) != want {
				t.Errorf("%v: %q, not %q: %s", err, got, want, out)
			}
		})
	}
}
