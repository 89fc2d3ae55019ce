package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
	commands := commandsOf((&program{}).parser().Model.Node, "")
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

func TestWhatAnAdministratorDoesIsNotedOnceWithWhoDidItAndAbout(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	var after int64
	did := func(action, about string, flags ...string) {
		t.Helper()
		all := s.acts(t, &after)
		if len(all) != 1 || all[0].Action != action || about != "*" && all[0].ObjectID != about || !slices.Equal(all[0].Fields, flags) {
			t.Fatalf("%s of %q is noted as %+v", action, about, all)
		}
		if a := all[0]; a.Operator != administrator() || !strings.Contains(a.Operator, "@") || a.ClientID != "" || a.Noun != "administration" {
			t.Errorf("it is noted as %+v", a)
		}
	}
	nothing := func(why string) {
		t.Helper()
		if all := s.acts(t, &after); all != nil {
			t.Errorf("%s is noted as %+v", why, all)
		}
	}
	s.must(t, "migrate")
	did("migrate", "")

	made := pairOf(t, s.must(t, "credentials", "create", "--json", "--name", "secret name", "--scope", "pti.write"))
	did("credentials create", made.ClientID, "json", "name", "scope")
	s.must(t, "credentials", "list")
	s.must(t, "doctor")
	nothing("looking")
	s.must(t, "credentials", "rotate", made.ClientID)
	did("credentials rotate", made.ClientID)
	s.must(t, "credentials", "scopes", made.ClientID, "--add", "privacy.read")
	did("credentials scopes", made.ClientID, "add")
	s.must(t, "credentials", "extend", made.ClientID, "--no-expiry")
	did("credentials extend", made.ClientID, "no-expiry")
	if code, _, _ := s.run(t, "credentials", "revoke", "nobody"); code != exitFailure {
		t.Error("nobody was revoked")
	}
	nothing("what failed")

	s.must(t, "years", "start", "2030")
	did("years start", "2030")
	labels := s.folder(t, "labels.ndjson", `{"_id":"l-1","name":"VIP"}`+"\n"+`{"_id":"l-2","name":"New"}`+"\n")
	s.must(t, "import", labels)
	did("import", "")
	s.must(t, "import", labels)
	nothing("an import that changed nothing")
	s.must(t, "export", filepath.Join(t.TempDir(), "export"), "--registration-numbers", "--purpose", "audit")
	did("export", "", "purpose", "registration-numbers")

	hook := s.must(t, "webhooks", "create", "--url", "https://receiver.example/changes", "--json")
	var webhook struct{ ID string }
	if err := json.Unmarshal([]byte(hook), &webhook); err != nil {
		t.Fatal(err)
	}
	did("webhooks create", webhook.ID, "json", "url")
	for _, args := range [][]string{{"rewind", webhook.ID, "--to", "0"}, {"disable", webhook.ID}, {"rotate", webhook.ID}, {"delete", webhook.ID}} {
		s.must(t, append([]string{"webhooks"}, args...)...)
		did("webhooks "+args[0], webhook.ID, map[string][]string{"rewind": {"to"}}[args[0]]...)
	}

	queries := s.folder(t, "q.graphql", "query Q { viewer { name } }\n")
	s.must(t, "documents", "trust", queries, "--set", "portal")
	did("documents trust", "portal", "set")
	s.must(t, "documents", "remove", "--set", "portal")
	did("documents remove", "portal", "set")
	s.must(t, "documents", "generate")
	nothing("generating no document")

	s.must(t, "keys", "rotate", "--wait", "0s")
	did("keys rotate", "", "wait")
	s.must(t, "keys", "reseal")
	did("keys reseal", "")
	s.must(t, "cache", "drop")
	did("cache drop", "")
	s.must(t, "files", "sweep")
	did("files sweep", "")
	s.must(t, "trash", "empty", "--all")
	did("trash empty", "", "all")
	s.must(t, "compact")
	did("compact", "")
	query := filepath.Join(t.TempDir(), "q.graphql")
	if err := os.WriteFile(query, []byte("{ customers { nodes { id } } }"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.must(t, "query", query)
	did("query", "")
	backup := filepath.Join(t.TempDir(), "backup")
	s.must(t, "backup", backup)
	did("backup", "")
	s.must(t, "credentials", "revoke", made.ClientID)
	did("credentials revoke", made.ClientID)
	s.must(t, "restore", backup)
	before := after - 1 // the backup has all up to its own act
	if all := s.acts(t, &before); len(all) != 1 || all[0].Action != "restore" {
		t.Errorf("the restored store tells of %+v", all)
	}
	if log := s.must(t, "changes", "list", "--format=jsonl"); strings.Contains(log, "secret name") || strings.Contains(log, "receiver.example") {
		t.Error("the log holds a value")
	}
}
