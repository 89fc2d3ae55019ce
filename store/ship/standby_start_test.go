package ship

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/backoffice/store/sqlite"
)

func TestAStandByThatWasKilledInItsFirstStartTakesOneSnapshotAlone(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	s, _ := o.ships(t)
	o.away(t, s)
	standBy := &StandBy{Place: o.from(t), Path: filepath.Join(t.TempDir(), "standby.db")}
	begin := func() {
		t.Helper()
		if err := standBy.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	begin()
	write := func(text string) { // waits for the lock while the store ships
		t.Helper()
		withDatabase(t, o.path, func(db *sql.DB) {
			if _, err := db.Exec(text); err != nil {
				t.Fatal(err)
			}
		})
	}
	write("CREATE TABLE large (content BLOB)")
	withDatabase(t, standBy.Path, func(db *sql.DB) { // the log of the one that was killed
		_, err := db.Exec("CREATE TABLE other (a)")
		log, unread := os.ReadFile(standBy.Path + "-wal")
		if err := errors.Join(err, unread, os.WriteFile(standBy.Path+".following-wal", log, 0o600)); err != nil || len(log) == 0 {
			t.Fatal(err)
		}
	})
	if err := os.Remove(standBy.Path); err != nil {
		t.Fatal(err)
	}
	write("INSERT INTO large VALUES (randomblob(999999))")
	o.away(t, s)
	begin()
	if digest(t, standBy.Path) != digest(t, o.path) {
		t.Error("it is not as the store")
	}
	if problems, err := sqlite.Integrity(t.Context(), standBy.Path); err != nil || len(problems) > 0 {
		t.Error(err, problems)
	}
}

func TestAStandByLeavesALogWithoutItsDatabaseAsItIs(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	s, _ := o.ships(t)
	o.away(t, s)
	o.label(t, "last")
	log, err := os.ReadFile(o.path + "-wal") // of the server that crashed here
	if err != nil || len(log) == 0 {
		t.Fatal(err)
	}
	standBy := &StandBy{Place: o.from(t), Path: filepath.Join(t.TempDir(), "backoffice.db")}
	for _, database := range []bool{false, true} { // none, and one that was cut to nothing
		if err := os.WriteFile(standBy.Path+"-wal", log, 0o600); err != nil {
			t.Fatal(err)
		}
		if database {
			if err := os.WriteFile(standBy.Path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := standBy.Begin(t.Context()); err == nil || !strings.Contains(err.Error(), "put its database back") {
			t.Errorf("it begins with %v", err)
		}
		if left, err := os.ReadFile(standBy.Path + "-wal"); err != nil || !bytes.Equal(left, log) {
			t.Errorf("the log is not as it was, %v", err)
		}
	}
	if err := os.Truncate(standBy.Path+"-wal", 0); err != nil {
		t.Fatal(err)
	}
	if err := standBy.Begin(t.Context()); err != nil {
		t.Errorf("beside an empty log it begins with %v", err)
	}
}

func TestAStandByIsNotCurrentWhereThePlaceIsNotMounted(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	s, stop := o.ships(t)
	o.away(t, s)
	stop()
	standBy := &StandBy{Place: o.from(t), Path: filepath.Join(t.TempDir(), "standby.db")}
	if err := standBy.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	at := standBy.at.Load()
	isAway := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if err := standBy.Next(t.Context()); err == nil || !strings.Contains(err.Error(), "its disk is not mounted") {
			t.Errorf("it ends with %v", err)
		}
		if standBy.at.Load() != at {
			t.Error("it counts as current")
		}
	}
	isAway(os.Rename(o.place, o.place+".unmounted"))
	isAway(os.Mkdir(o.place, 0o700))
	if err := errors.Join(os.Remove(o.place), os.Rename(o.place+".unmounted", o.place)); err != nil {
		t.Fatal(err)
	}
	if err := standBy.Next(t.Context()); err != nil || standBy.at.Load() == at {
		t.Errorf("once it is mounted again, it ends with %v", err)
	}
}
