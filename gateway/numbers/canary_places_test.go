package numbers

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
)

// Where no registration number may be, with what lies there.

// bytes are the database as it lies on the disk, or all that its tables hold.
func (c *cage) bytes(t testing.TB) (all []byte) {
	t.Helper()
	if path, embedded := strings.CutPrefix(c.database, "sqlite:"); embedded {
		for _, behind := range []string{"", "-wal"} {
			content, err := os.ReadFile(path + behind)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, content...)
		}
		return all
	}
	conn, err := pgx.Connect(t.Context(), c.database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	rows, err := conn.Query(t.Context(), "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 20 {
		t.Fatal(len(tables), err)
	}
	for _, table := range tables {
		rows, err := conn.Query(t.Context(), "SELECT t::text FROM "+pgx.Identifier{table}.Sanitize()+" t")
		if err != nil {
			t.Fatal(err)
		}
		texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.Join(texts, "\n")...)
	}
	return all
}

// places are all the places where no number may be, with what they hold.
func (c *cage) places(t testing.TB) map[string][]byte {
	t.Helper()
	places := map[string][]byte{"the database": c.bytes(t)}
	places["the metrics"] = []byte(c.Whole.Metrics(t))
	c.log.Mu.Lock()
	places["the log"] = bytes.Clone(c.log.Text.Bytes())
	c.log.Mu.Unlock()
	places["the files"] = filesBelow(t, c.files)
	if c.node != nil {
		c.node.Execute(t, "postgres", "CHECKPOINT") // what the server has in memory alone is on its disk then
		places["the disk of PostgreSQL, its write-ahead log and temporary files included"] = filesBelow(t, c.node.Data(), c.others...)
		said := c.said(t)
		places["the log of PostgreSQL"] = append(said[:c.mistakes[0]:c.mistakes[0]], said[c.mistakes[1]:]...)
	}
	return places
}

// filesBelow are the files of a folder with their names, but for some folders in it. One that goes meanwhile is gone.
func filesBelow(t testing.TB, folder string, not ...string) (all []byte) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case slices.Contains(not, path):
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		content, err := os.ReadFile(path)
		all = append(append(all, path+"\n"...), bytes.TrimRight(content, "\x00")...) // room that a database has made for later
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// talkative gives databases of a server that writes down each statement with all its values.
func talkative(t testing.TB, node *pgtest.Node) func(testing.TB) string {
	t.Helper()
	for _, setting := range []string{"log_statement = 'all'", "log_min_error_statement = 'debug5'", "log_parameter_max_length = -1", "log_parameter_max_length_on_error = -1", "wal_level = 'logical'"} {
		node.Execute(t, "postgres", "ALTER SYSTEM SET "+setting)
	}
	node.Stop()
	node.Start(t)
	n := 0
	return func(t testing.TB) string {
		t.Helper()
		n++
		name := fmt.Sprint("office", n)
		node.Execute(t, "postgres", "CREATE DATABASE "+name)
		if err := postgres.Migrate(t.Context(), node.URL(name)); err != nil {
			t.Fatal(err)
		}
		return node.URL(name)
	}
}
