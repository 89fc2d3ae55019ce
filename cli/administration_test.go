package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/alecthomas/kong"
)

// commandsOf are all commands below a node, as they are written.
func commandsOf(node *kong.Node, before string) (names []string) {
	for _, child := range node.Children {
		if child.Type != kong.CommandNode {
			continue
		}
		name := strings.TrimSpace(before + " " + child.Name)
		if below := commandsOf(child, name); below != nil {
			names = append(names, below...)
		} else {
			names = append(names, name)
		}
	}
	return names
}

// unsaid are the commands of which a table does not say when they are noted, and what it speaks of that is no command.
func unsaid(table map[string]noting) (missing, stray []string) {
	commands := allCommands()
	for _, name := range commands {
		if _, said := table[name]; !said {
			missing = append(missing, name)
		}
	}
	for name := range table {
		if !slices.Contains(commands, name) {
			stray = append(stray, name)
		}
	}
	return missing, stray
}

func TestOfEachCommandItIsSaidWhenItIsNoted(t *testing.T) {
	t.Parallel()
	if missing, stray := unsaid(noted); missing != nil || stray != nil {
		t.Errorf("of %q it is not said, and %q are no commands", missing, stray)
	}
	broken := map[string]noting{"no such": never}
	for name, when := range noted {
		if name != "credentials revoke" && name != "backup" {
			broken[name] = when
		}
	}
	missing, stray := unsaid(broken)
	if slices.Sort(missing); !slices.Equal(missing, []string{"backup", "credentials revoke"}) || !slices.Equal(stray, []string{"no such"}) {
		t.Errorf("a broken table lacks %q and has %q", missing, stray)
	}
}

// act is a line of changes list --administration.
type act struct {
	Action, Noun, ObjectID, Operator, ClientID string
	Fields                                     []string
}

// acts are what administrators did since they were last asked for.
func (s *shell) acts(t *testing.T, after *int64) (all []act) {
	t.Helper()
	for line := range strings.Lines(s.must(t, "changes", "list", "--administration", "--after", strconv.FormatInt(*after, 10), "--format=jsonl")) {
		var one struct {
			act
			Sequence int64
		}
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		*after = one.Sequence
		all = append(all, one.act)
	}
	return all
}

// proofs are the commands that were run and whose entries were read back.
type proofs struct {
	mu sync.Mutex
	of map[string]bool
}

// lack are the commands that a table says are noted and of which there is no proof.
func (p *proofs) lack(table map[string]noting) (names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, when := range table {
		if when != never && !p.of[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// witness runs commands over a shell's store and reads back what is noted of them.
type witness struct {
	*shell
	after  int64 // the entry that was read last
	proved *proofs
}

// allCommands are the commands of the program.
var allCommands = sync.OnceValue(func() []string { return commandsOf((&program{}).parser().Model.Node, "") })

// written is a command line as its entry has it: the command's words, and the names of the flags that follow them.
func written(args []string) (action string, flags []string) {
	line := strings.Join(args, " ") + " "
	for _, name := range allCommands() {
		if strings.HasPrefix(line, name+" ") && len(name) > len(action) {
			action = name
		}
	}
	for _, arg := range args {
		if flag, is := strings.CutPrefix(arg, "--"); is {
			flag, _, _ = strings.Cut(flag, "=")
			flags = append(flags, flag)
		}
	}
	slices.Sort(flags)
	return action, slices.Compact(flags)
}

// faultOf is what is wrong with what was noted of one command line about something; "" for nothing.
func faultOf(all []act, about string, args []string) string {
	action, flags := written(args)
	if len(all) != 1 {
		return fmt.Sprintf("%s is noted %d times: %+v", action, len(all), all)
	}
	a := all[0]
	if a.Action != action || a.ObjectID != about || !slices.Equal(a.Fields, flags) || a.Operator != administrator() || !strings.Contains(a.Operator, "@") || a.ClientID != "" || a.Noun != "administration" {
		return fmt.Sprintf("%s of %q with %q is noted as %+v", action, about, flags, a)
	}
	return ""
}

// noted reads back the only entry since the last one, which has to be that of a command line.
func (w *witness) noted(t *testing.T, about string, args ...string) {
	t.Helper()
	if fault := faultOf(w.acts(t, &w.after), about, args); fault != "" {
		t.Fatal(fault)
	}
	action, _ := written(args)
	w.proved.mu.Lock()
	defer w.proved.mu.Unlock()
	w.proved.of[action] = true
}

// does runs a command that has to work and be noted, once.
func (w *witness) does(t *testing.T, about string, args ...string) (out string) {
	t.Helper()
	out = w.must(t, args...)
	w.noted(t, about, args...)
	return out
}

// doesWith is does in a process of its own, with more in its environment.
func (w *witness) doesWith(t *testing.T, environment []string, about string, args ...string) {
	t.Helper()
	if code, said := w.program(t, environment, args...); code != exitDone {
		t.Fatalf("%q ends with %d: %s", args, code, said)
	}
	w.noted(t, about, args...)
}

// nothing says that nothing was noted since the last entry.
func (w *witness) nothing(t *testing.T, why string) {
	t.Helper()
	if all := w.acts(t, &w.after); all != nil {
		t.Errorf("%s is noted as %+v", why, all)
	}
}

func TestEveryCommandOfAnAdministratorIsNotedOnceWithWhoDidItAndAbout(t *testing.T) {
	t.Parallel()
	proved := &proofs{of: map[string]bool{}}
	t.Run("run", func(t *testing.T) {
		for of, prove := range map[string]func(*testing.T, *witness){
			"credentials": credentialsAreNoted, "records": recordsAreNoted, "webhooks": webhooksAreNoted, "documents": documentsAreNoted, "keys": keysAreNoted,
			"wrapping": wrappingIsNoted, "files": filesAreNoted, "trash": trashIsNoted, "backup": backupsAreNoted, "pull": pullsAreNoted, "demo": demosAreNoted,
			"promotion": promotionsAreNoted,
		} {
			t.Run(of, func(t *testing.T) {
				t.Parallel()
				prove(t, &witness{shell: newShell(t), proved: proved})
			})
		}
	})
	if lack := proved.lack(noted); lack != nil {
		t.Errorf("no test runs and reads back %q", lack)
	}
}

func TestACommandWithoutAProofAndAFalseEntryAreFound(t *testing.T) {
	t.Parallel()
	table := map[string]noting{"doctor": never, "pull": withWrite, "demo": withWrite, "restore": afterwards, "keys retire": beforehand}
	if lack := (&proofs{of: map[string]bool{"pull": true}}).lack(table); !slices.Equal(lack, []string{"demo", "keys retire", "restore"}) {
		t.Errorf("without proof are %q", lack)
	}
	line := []string{"keys", "rotate", "--wait", "0s"}
	right := act{Action: "keys rotate", Noun: "administration", Operator: administrator(), Fields: []string{"wait"}}
	if fault := faultOf([]act{right}, "", line); fault != "" {
		t.Error(fault)
	}
	for name, broken := range map[string]func(*act){
		"another's action": func(a *act) { a.Action = "keys" }, "another object": func(a *act) { a.ObjectID = "x" }, "no flags": func(a *act) { a.Fields = nil },
		"nobody's": func(a *act) { a.Operator = "" }, "a caller's": func(a *act) { a.ClientID = "x" }, "a record's": func(a *act) { a.Noun = "customer" },
	} {
		wrong := right
		if broken(&wrong); faultOf([]act{wrong}, "", line) == "" {
			t.Errorf("an entry with %s passes", name)
		}
	}
	if faultOf(nil, "", line) == "" || faultOf([]act{right, right}, "", line) == "" {
		t.Error("none or two pass for one")
	}
}
