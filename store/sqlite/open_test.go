package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pressly/goose/v3"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
	"example.org/backoffice/store/storetest"
)

// filled makes a database with an office in it and closes it.
func filled(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "backoffice.db")
	opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	storetest.Fill(t, opened)
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// refusedToOpen opens a database that can't be used and returns the sentence.
func refusedToOpen(t *testing.T, url string) error {
	t.Helper()
	opened, err := sqlite.Open(t.Context(), url, sqlite.Options{})
	if err == nil {
		_ = opened.Close()
		t.Fatalf("%s was opened", url)
	}
	return err
}

func TestADatabaseOutlivesItsProgram(t *testing.T) {
	t.Parallel()
	path := filled(t)
	opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	counts, err := backoffice.ReadCounts(t.Context(), opened.Customers(), backoffice.Root, backoffice.CustomerCriteria{}, nil)
	if err != nil || counts[""] != 90 {
		t.Errorf("%v %v", counts, err)
	}
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s is not its owner's alone: %v %v", name, info, err)
		}
	}
}

func TestADamagedDatabaseIsRefusedWithASentenceThatSaysWhatToDo(t *testing.T) {
	t.Parallel()
	damage := map[string]func(t *testing.T, path string){
		"its end is missing": func(t *testing.T, path string) {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(path, info.Size()/2); err != nil {
				t.Fatal(err)
			}
		},
		"it is not an SQLite database": func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"its first page is damaged":     func(t *testing.T, path string) { sqlitetest.Overwrite(t, path, 16, []byte{7, 7}) },
		"some of its pages are damaged": func(t *testing.T, path string) { sqlitetest.Overwrite(t, path, 100, make([]byte, 64)) },
		"it belongs to another program": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			sqlitetest.Execute(t, path, "CREATE TABLE notes (text TEXT)")
		},
	}
	for what, do := range damage {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			path := filled(t)
			do(t, path)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			sentence := refusedToOpen(t, "sqlite:"+path)
			var damaged *sqlite.DamagedError
			if !errors.As(sentence, &damaged) || damaged.What != what || !strings.Contains(sentence.Error(), "backup") {
				t.Errorf("the sentence is: %v", sentence)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
				t.Error("the refused file was changed")
			}
		})
	}
}

func TestANewerDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	path := filled(t)
	sqlitetest.Execute(t, path, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)")
	var schema *store.SchemaError
	if err := refusedToOpen(t, "sqlite:"+path); !errors.As(err, &schema) || schema.Have != 99 || !strings.Contains(err.Error(), "newer backoffice") {
		t.Errorf("the sentence is: %v", err)
	}
}

func TestAURLThatCannotBeOpenedIsRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for url, part := range map[string]string{
		"postgres://host/db":           "sqlite:PATH",
		"sqlite:":                      "sqlite:PATH",
		"sqlite::memory:":              "sqlite:PATH",
		"sqlite:" + folder:             "cannot be written",
		"sqlite:" + file + "/some.db":  "folder of the database",
		"sqlite:/proc/nowhere/some.db": "folder of the database",
	} {
		if err := refusedToOpen(t, url); !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestAPathMayHoldAnyCharacter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a folder", "100%? of #1.db")
	opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestABackupIsAWholeDatabaseWhileOthersWrite(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	opened, err := sqlite.Open(t.Context(), "sqlite:"+filepath.Join(folder, "backoffice.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	storetest.Fill(t, opened)
	stop, writing := make(chan struct{}), make(chan error)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				writing <- nil
				return
			default:
			}
			// Two labels at a time: a copy with an odd number would have half a transaction.
			err := opened.Write(context.Background(), func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Labels().Insert(ctx, &backoffice.Label{ID: fmt.Sprint("a-", i), Name: fmt.Sprint("a ", i)}, &backoffice.Label{ID: fmt.Sprint("b-", i), Name: fmt.Sprint("b ", i)})
			})
			if err != nil {
				writing <- err
				return
			}
		}
	}()
	copied := filepath.Join(folder, "copy.db")
	if err := opened.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	close(stop)
	if err := <-writing; err != nil {
		t.Fatal(err)
	}
	if err := opened.Backup(t.Context(), copied); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a file was overwritten: %v", err)
	}
	again, err := sqlite.Open(t.Context(), "sqlite:"+copied, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	counts, err := backoffice.ReadCounts(t.Context(), again.Labels(), backoffice.Root, backoffice.LabelCriteria{}, nil)
	if err != nil || counts[""] < 6 || counts[""]%2 != 0 {
		t.Errorf("the copy has %v labels (%v)", counts, err)
	}
	// The copy's rows are numbered anew; the index of trigrams still finds them.
	found, err := backoffice.ReadCounts(t.Context(), again.Customers(), backoffice.Root, backoffice.CustomerCriteria{Search: "bakkerij"}, nil)
	if err != nil || found[""] == 0 {
		t.Errorf("a search in the copy finds %v (%v)", found, err)
	}
}

// writeUntilKilled is what the test binary does when it is started with a database in its environment: it inserts
// labels for ever, and names each one when it is acknowledged.
func writeUntilKilled(path string) {
	opened, err := sqlite.Open(context.Background(), "sqlite:"+path, sqlite.Options{})
	if err != nil {
		panic(err)
	}
	for i := 0; ; i++ {
		id := fmt.Sprintf("l-%d-%d", os.Getpid(), i)
		err := opened.Write(context.Background(), func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Labels().Insert(ctx, &backoffice.Label{ID: id, Name: id})
		})
		if err != nil {
			panic(err)
		}
		fmt.Println(id)
	}
}

func TestMain(m *testing.M) {
	if path := os.Getenv(storetest.UntilKilled); path != "" {
		writeUntilKilled(path)
	}
	os.Exit(m.Run())
}

func TestWhatWasAcknowledgedIsThereAfterTheProcessIsKilled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "backoffice.db")
	acknowledged := map[string]bool{}
	for kill := range 4 {
		storetest.Kill(t, path, 20+7*kill, func(_ int, line string) { acknowledged[line] = true })
	}
	opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	var ids []string
	for id := range acknowledged {
		ids = append(ids, id)
	}
	found, err := backoffice.ReadByID(t.Context(), opened.Labels(), ids, 0)
	if err != nil || len(found) != len(ids) {
		t.Errorf("of %d acknowledged labels %d are there (%v)", len(ids), len(found), err)
	}
}

func TestProgramsThatOpenAnOlderDatabaseAtOnceAllHaveIt(t *testing.T) {
	t.Parallel()
	for _, version := range []int64{0, 38} {
		path := filepath.Join(t.TempDir(), "backoffice.db")
		if version > 0 {
			if err := storetest.AtVersion(t, goose.DialectSQLite3, "sqlite", "file:"+path, version).Close(); err != nil {
				t.Fatal(err)
			}
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{})
				if err != nil {
					t.Errorf("from version %d: %v", version, err)
					return
				}
				if err := opened.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}

func TestTwoProgramsWriteToOneDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "backoffice.db")
	var programs [2]*sqlite.Store
	for i := range programs {
		opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = opened.Close() }()
		programs[i] = opened
	}
	var both sync.WaitGroup
	for p, program := range programs {
		both.Go(func() {
			for i := range 50 {
				err := program.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
					id := fmt.Sprintf("l-%d-%d", p, i)
					if err := tx.Labels().Insert(ctx, &backoffice.Label{ID: id, Name: id}); err != nil {
						return err
					}
					return tx.LogChanges(ctx, &backoffice.Change{Action: "createLabel", Noun: backoffice.NounLabel, ObjectID: id})
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	both.Wait()
	for _, program := range programs {
		counts, err := backoffice.ReadCounts(t.Context(), program.Labels(), backoffice.Root, backoffice.LabelCriteria{}, nil)
		if err != nil || counts[""] != 100 {
			t.Errorf("%v %v", counts, err)
		}
		changes, err := program.Changes(t.Context(), 0, 200)
		if err != nil || len(changes) != 100 || changes[99].Sequence != 100 {
			t.Errorf("%d changes (%v)", len(changes), err)
		}
	}
}
