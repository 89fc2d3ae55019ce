//go:build unix

package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/store/postgres/pgtest"
)

// documentedPGBackRest returns the arguments of the commands of docs/postgresql.md that begin with pgbackrest, in order.
func documentedPGBackRest(t *testing.T) (commands [][]string) {
	t.Helper()
	page, err := os.ReadFile("../docs/postgresql.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(page)) {
		line, _, _ = strings.Cut(line, "#")
		if words := strings.Fields(line); len(words) > 1 && words[0] == "pgbackrest" {
			commands = append(commands, words[1:])
		}
	}
	if len(commands) != 3 {
		t.Fatalf("the page has %d commands of pgBackRest", len(commands))
	}
	return commands
}

func TestAnOfficeOnPostgreSQLIsRestoredByPgBackRestAsItWasBeforeAMistake(t *testing.T) {
	t.Parallel()
	documented := documentedPGBackRest(t)
	node := pgtest.NewNode(t)
	archive := node.Archive(t)
	s := newShell(t)
	s.database = node.URL("backoffice")
	s.must(t, "migrate")
	s.must(t, "import", "../testdata/office")
	archive.Run(t, documented[0]...)
	archive.Run(t, documented[1]...)
	s.must(t, "years", "start", "2040", "--force") // it is only in the log
	before, mistake, of := exported(t, s), last(t, s)+1, history(t, s)
	s.must(t, "import", s.folder(t, "labels.ndjson", `{"_id":"nonsense","name":"Nonsense"}`+"\n"))
	if last(t, s) < mistake {
		t.Fatal("the mistake is not in the change log")
	}
	s.must(t, "years", "start", "2041", "--force")
	node.Execute(t, "postgres", "SELECT pg_switch_wal()")

	restore, xmin := documented[2], xminOf(t, s.database, mistake)
	for i := range restore {
		restore[i] = strings.ReplaceAll(restore[i], "XMIN", xmin)
	}
	node.Stop()
	archive.Run(t, restore...)
	node.Start(t)
	for recovers(t, node.URL("backoffice")) { // a server that recovers answers reads
		time.Sleep(20 * time.Millisecond)
	}
	s.must(t, "cache", "drop")
	if exported(t, s) != before {
		t.Error("what was restored is not the office before the mistake")
	}
	if history(t, s) == of {
		t.Error("the change log goes on as if nothing had been lost")
	}
	if out := s.must(t, "check"); !strings.HasPrefix(out, "All is whole") {
		t.Errorf("check tells %q", out)
	}
	s.must(t, "years", "start", "2042", "--force")
}

// xminOf asks for the transaction of a change as docs/postgresql.md does.
func xminOf(t *testing.T, database string, change int) (xmin string) {
	t.Helper()
	const query = "SELECT xmin FROM changes WHERE sequence = "
	page, err := os.ReadFile("../docs/postgresql.md")
	if err != nil || !strings.Contains(string(page), query+"12345") {
		t.Fatal("the page asks otherwise", err)
	}
	ask(t, database, fmt.Sprint("SELECT xmin::text FROM (", query, strconv.Itoa(change), ") AS one"), &xmin)
	return xmin
}

func recovers(t *testing.T, database string) (does bool) {
	t.Helper()
	ask(t, database, "SELECT pg_is_in_recovery()", &does)
	return does
}

func ask(t *testing.T, database, query string, answer any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err == nil {
		err = errors.Join(conn.QueryRow(t.Context(), query).Scan(answer), conn.Close(t.Context()))
	}
	if err != nil {
		t.Fatal(err)
	}
}
