package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// misfits are what a file of deploy/ says that this program does not know: command lines, and variables of the
// environment.
func misfits(commands, variables []string) (found []string) {
	parser := new(program).parser()
	for _, command := range commands {
		if _, err := parser.Parse(strings.Fields(command)); err != nil {
			found = append(found, fmt.Sprintf("%s: %v", command, err))
		}
	}
	return append(found, unknownVariables(parser.Model, variables)...)
}

func all(text, expression string) (found []string) {
	for _, match := range regexp.MustCompile("(?m)"+expression).FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	return found
}

func TestTheUnitAndTheImageAreWrittenForThisProgram(t *testing.T) {
	t.Parallel()
	for name, least := range map[string]int{"backoffice.service": 2, "backoffice.env": 10, "Dockerfile": 6} {
		content, err := os.ReadFile("../deploy/" + name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(content)
		commands := append(all(text, `^ExecStart=/usr/local/bin/backoffice (.*)$`), all(text, `^#   (?:(?:docker run|sudo) .*\bbackoffice|office) (\w.*?)(?: +#.*)?$`)...)
		commands = append(commands, all(text, `^CMD \["(.*)"\]$`)...)
		variables := all(text, `\b(BACKOFFICE_[A-Z_]+)=`)
		for _, wrong := range misfits(commands, variables) {
			t.Errorf("%s: %s", name, wrong)
		}
		if len(commands)+len(variables) < least {
			t.Errorf("%s: only %q and %q were looked at", name, commands, variables)
		}
	}
	if wrong := misfits([]string{"serve --listne=x"}, []string{"BACKOFFICE_LISTNE"}); len(wrong) != 2 {
		t.Errorf("of a file that is wrong: %q", wrong)
	}
}

func TestTheExamplesOfSettingsAreTheSameForTheShellAndForSystemd(t *testing.T) {
	t.Parallel()
	examples, err := os.ReadFile("../deploy/backoffice.env")
	if err != nil {
		t.Fatal(err)
	}
	values := regexp.MustCompile(`(?m)^#(BACKOFFICE_[A-Z_]+)=(.*)$`).FindAllStringSubmatch(string(examples), -1)
	set := regexp.MustCompile(`(?m)^#(BACKOFFICE_)`).ReplaceAllString(string(examples), "$1")
	for _, example := range values {
		value, quoted := strings.CutPrefix(strings.TrimSuffix(example[2], "'"), "'")
		if !quoted || strings.ContainsAny(value, `'\`) { // systemd takes the rest as it is between these quotes, and so does sh
			t.Errorf("%s is not quoted with '…'", example[0])
		}
		command := exec.Command("sh", "-c", "set -a && . /dev/stdin && exec printenv "+example[1])
		command.Stdin = strings.NewReader(strings.ReplaceAll(set, value, value+"&a=b; c")) // what a value may have
		if out, err := command.Output(); err != nil || string(out) != value+"&a=b; c\n" {
			t.Errorf("%s is %q for a shell, %v", example[1], out, err)
		}
	}
	if len(values) < 10 {
		t.Errorf("only %d examples", len(values))
	}
}

func TestAServerIsNotKilledBeforeItHasStopped(t *testing.T) {
	t.Parallel()
	p := new(program)
	if _, err := p.parser().Parse([]string{"serve"}); err != nil {
		t.Fatal(err)
	}
	const receipt, shipping = 10 * time.Second, 10 * time.Second // privacy's writeTimeout and store/ship's lastTime
	least := p.Serve.Server.StopTime + receipt + shipping
	for name, expression := range map[string]string{
		"deploy/backoffice.service": `^TimeoutStopSec=(\d+)$`, "deploy/Dockerfile": `^#   docker run --stop-timeout (\d+) -p `,
		"docs/operating.md": "`--stop-timeout (\\d+)`",
	} {
		content, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		found := all(string(content), expression)
		if len(found) != 1 {
			t.Fatalf("%s: %q", name, found)
		}
		if seconds, err := strconv.Atoi(found[0]); err != nil || time.Duration(seconds)*time.Second < least {
			t.Errorf("%s: %s seconds, %v, and a stop takes up to %v", name, found[0], err, least)
		}
	}
}

func TestTheUnitMayWriteWhereThePagesPutReceiptsAndCopies(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		content, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	unit := read("deploy/backoffice.service")
	written := append(all(unit, `^ReadWritePaths=-(\S+)$`), all(unit, `^#ReadWritePaths=-(\S+)$`)...)
	named := slices.Concat(all(read("deploy/backoffice.env"), `RECEIPTS='(/[^']*)'`),
		all(read("docs/privacy.md"), `--receipts (/\S+)`), all(read("docs/backups.md"), `serve --ship file:(/\S+)`))
	for _, folder := range named {
		if !slices.Contains(written, folder) {
			t.Errorf("the unit cannot write to %s", folder)
		}
	}
	if len(named) < 4 || !strings.Contains(unit, "\nReadWritePaths=-/mnt/receipts\n") {
		t.Errorf("only %q are named", named)
	}
}

func TestTheImageIsBuiltAsARelease(t *testing.T) {
	t.Parallel()
	image, err := os.ReadFile("../deploy/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	flags := all(string(makefile), `^\t\$\(GO\) build (.*) -o `)
	if got := all(string(image), `go build (.*) -o `); len(got) != 1 || len(flags) != 1 || got[0] != flags[0] {
		t.Errorf("%q, not %q", got, flags)
	}
	if got, least := all(string(image), `golang:(\d+\.\d+)\.\d+-`), all(string(module), `^go (\d+\.\d+)`); len(got) != 1 || got[0] != least[0] {
		t.Errorf("Go %q, not %q", got, least)
	}
}

func TestTheMeasurementOfPartitionsDropsOnlyTheSchemaItMade(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("../deploy/partitions.sql")
	if err != nil {
		t.Fatal(err)
	}
	stops, made, dropped := strings.Index(string(script), `\set ON_ERROR_STOP on`),
		strings.Index(string(script), "CREATE SCHEMA partitions;"), strings.Index(string(script), "DROP ")
	if stops < 0 || made < stops || dropped < made {
		t.Errorf("it stops at errors at %d, makes its schema at %d and drops one at %d", stops, made, dropped)
	}
}

func TestSystemdTakesTheUnitAndFindsItHardened(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("no systemd here")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile("../deploy/backoffice.service")
	if err != nil {
		t.Fatal(err)
	}
	check := func(text string) error {
		unit := filepath.Join(t.TempDir(), "backoffice.service")
		text = strings.Replace(text, "/usr/local/bin/backoffice", self, 1)
		if err := os.WriteFile(unit, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("systemd-analyze", "verify", "--man=no", unit).CombinedOutput(); err != nil || strings.Contains(string(out), unit) {
			return fmt.Errorf("%w: %s", err, out)
		}
		if out, err := exec.Command("systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", unit).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
	if err := check(string(content)); err != nil {
		t.Error(err)
	}
	for old, wrong := range map[string]string{"ProtectSystem=": "ProtectSystems=", "TimeoutStopSec=45": "TimeoutStopSec=soon"} {
		if check(strings.Replace(string(content), old, wrong, 1)) == nil {
			t.Errorf("%s is not noticed", wrong)
		}
	}
	if check(regexp.MustCompile(`(?m)^(Protect|Restrict|SystemCall|Private).*\n`).ReplaceAllString(string(content), "")) == nil {
		t.Error("a unit without hardening is not noticed")
	}
}
