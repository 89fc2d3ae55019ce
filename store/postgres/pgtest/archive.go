package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Archive is where pgBackRest keeps a node's backups and log.
type Archive struct {
	node              *Node
	program, settings string
}

const archiveSettings = `[global]
repo1-path=%[1]s/archive
lock-path=%[1]s
log-path=%[1]s
start-fast=y
log-level-file=off
[office]
pg1-path=%[1]s/data
pg1-socket-path=%[1]s
pg1-user=postgres
`

// Archive has the node's log archived from now on. Without pgBackRest the test is skipped, or fails where CI is set.
func (n *Node) Archive(t testing.TB) *Archive {
	t.Helper()
	program, err := exec.LookPath("pgbackrest")
	if err != nil {
		missing(t, "pgBackRest is not installed here (Debian: apt-get install pgbackrest)")
	}
	a := &Archive{n, program, filepath.Join(n.folder, "pgbackrest.conf")}
	if err := os.WriteFile(a.settings, fmt.Appendf(nil, archiveSettings, n.folder), 0o644); err != nil {
		t.Fatal(err)
	}
	n.Execute(t, "postgres", "ALTER SYSTEM SET archive_mode = on")
	n.Execute(t, "postgres", fmt.Sprintf("ALTER SYSTEM SET archive_command = '%s --config=%s --stanza=office archive-push %%p'",
		a.program, a.settings))
	n.Stop()
	n.Start(t)
	return a
}

// Run runs pgBackRest as the owner of the node.
func (a *Archive) Run(t testing.TB, arguments ...string) {
	t.Helper()
	command, err := a.node.command(a.program, append([]string{"--config=" + a.settings}, arguments...)...)
	if err != nil {
		t.Fatal(err)
	}
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("pgbackrest %v: %v: %s", arguments, err, output)
	}
}
