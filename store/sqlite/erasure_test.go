package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/storetest"
)

// person has a name of three letters that nobody else's has, so that its trace is found in whatever part of the file,
// be it an index of trigrams: two letters of one stand together in any of them.
func person(i int) (c *backoffice.Customer, trace []byte) {
	name := string([]rune{rune(0x4E00 + i), rune(0x6000 + i), rune(0x8000 + i)})
	c = &backoffice.Customer{
		ID: fmt.Sprintf("person-%06d", i), Type: backoffice.PrivatePerson, FirstName: backoffice.Text(name), LastName: "Peeters",
		Email: backoffice.Text(name + "@example.be"), CustomerCode: backoffice.Text(name),
		Address:      backoffice.Address{Street: backoffice.Text(name)},
		Registration: backoffice.SealedOf([]byte(name), []byte(name)), Version: 1,
	}
	c.DisplayName = backoffice.DisplayNameOf(c)
	return c, []byte(string([]rune(name)[1:]))
}

func TestNothingOfAnErasedPersonStaysInTheFile(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	const people, each = 1_500, 500
	path := filepath.Join(t.TempDir(), "backoffice.db")
	opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	write := func(do func(ctx context.Context, customers backoffice.Writer[*backoffice.Customer, backoffice.CustomerCriteria]) error) {
		t.Helper()
		err := opened.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error { return do(ctx, tx.Customers()) })
		if err != nil {
			t.Fatal(err)
		}
	}
	for from := 0; from < people; from += each {
		write(func(ctx context.Context, customers backoffice.Writer[*backoffice.Customer, backoffice.CustomerCriteria]) error {
			for i := from; i < from+each; i++ {
				c, _ := person(i)
				if err := customers.Insert(ctx, c); err != nil {
					return err
				}
			}
			return nil
		})
	}
	stays := func(i int) bool { return i%3 == 0 }
	for i := range people {
		if stays(i) || i >= 300 && i < people-300 && i%3 == 1 {
			continue
		}
		write(func(ctx context.Context, customers backoffice.Writer[*backoffice.Customer, backoffice.CustomerCriteria]) error {
			c, _ := person(i)
			_, err := customers.Delete(ctx, c.ID)
			return err
		})
	}
	var many []string
	for i := range people {
		if c, _ := person(i); !stays(i) {
			many = append(many, c.ID)
		}
	}
	err = opened.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		tx.KeepDeleted(backoffice.Keeping{Period: time.Hour}) // these go by way of the trash
		_, err := tx.Customers().Delete(ctx, many...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if erased, _, err := opened.EmptyTrash(t.Context(), many...); err != nil || len(erased) != 300 {
		t.Fatalf("%d were in the trash (%v)", len(erased), err)
	}
	_ = opened.Close() // another process knows what this one erased
	if opened, err = sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{}); err != nil {
		t.Fatal(err)
	}

	gone, leave := context.WithCancel(t.Context())
	leave()
	if done, _, err := opened.CompactErased(gone); done || err == nil {
		t.Fatalf("compacted for nobody: %v", err)
	}
	if done, large, err := opened.CompactErased(t.Context()); !done || large || err != nil {
		t.Fatalf("done %v, large %v: %v", done, large, err)
	}
	checkpoint(t, path)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lost, left int
	for i := range people {
		_, trace := person(i)
		switch found := bytes.Contains(file, trace); {
		case stays(i) && !found:
			lost++
		case !stays(i) && found:
			left++
		}
	}
	if lost > 0 || left > 0 {
		t.Errorf("%d of the erased people are still in the file, and %d others are gone", left, lost)
	}
	if done, _, err := opened.CompactErased(t.Context()); done || err != nil {
		t.Errorf("compacted again for nothing: %v", err)
	}
	found, err := backoffice.ReadCounts(t.Context(), opened.Customers(), backoffice.Root, backoffice.CustomerCriteria{Search: "peeters"}, nil)
	if err != nil || found[backoffice.NoParent] != people/3 {
		t.Errorf("the search finds %v (%v)", found, err)
	}
}

// checkpoint brings everything from the log into the file.
func checkpoint(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var busy, pages, moved int
	if err := db.QueryRowContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved); err != nil || busy != 0 {
		t.Fatalf("busy %d: %v", busy, err)
	}
}

func TestADatabaseOfAnEarlierVersionLosesWhatWasErasedBefore(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "backoffice.db")
	db := storetest.AtVersion(t, goose.DialectSQLite3, "sqlite", "file:"+path, 2)
	const erased = "Verhaegen"
	for range 300 {
		for _, text := range []string{
			"INSERT INTO labels (id, name, created_at) VALUES (hex(randomblob(8)), '" + erased + " ' || hex(randomblob(200)), 1)",
			"INSERT INTO users (id, first_name, last_name, email, version, search_text) VALUES (hex(randomblob(8)), 'An', '" + erased + "', 'an@example.be', 1, '" + erased + "')",
		} {
			if _, err := db.ExecContext(t.Context(), text); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, table := range []string{"labels", "users"} {
		if _, err := db.ExecContext(t.Context(), "DELETE FROM "+table); err != nil {
			t.Fatal(err)
		}
	}
	if before, err := os.ReadFile(path); err != nil || !bytes.Contains(before, []byte(erased)) {
		t.Fatalf("the test erases nothing that stays (%v)", err)
	}
	opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	checkpoint(t, path)
	if after, err := os.ReadFile(path); err != nil || bytes.Contains(after, []byte(erased)) {
		t.Errorf("the name is still in the file (%v)", err)
	}
}
