package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/storetest"
)

// follows asks for what comes after a place.
func follows(t *testing.T, at backoffice.Store, history string, after int64) (*backoffice.ChangePage, error) {
	t.Helper()
	q := backoffice.ChangeQuery{History: history, After: after, First: 100, Kinds: backoffice.ChangesVisibleTo(nil, nil)}
	page, err := backoffice.ReadChangePage(t.Context(), at, q)
	if err != nil && backoffice.KindOf(err) != backoffice.CursorExpired {
		t.Fatalf("%v (%v)", err, cause(err))
	}
	return page, err
}

// goesOn fails the test unless exactly the places up to a number are good, and those tell all that came after them.
func goesOn(t *testing.T, at backoffice.Store, history string, upTo, known, latest int64) {
	t.Helper()
	for after := range known + 1 {
		page, err := follows(t, at, history, after)
		if (err == nil) != (after <= upTo) || err == nil && len(page.Changes) != int(latest-after) {
			t.Errorf("after %d of %d, of which %d are left: %d changes, %v", after, known, upTo, len(page.Changes), err)
		}
	}
}

func writeLabels(t *testing.T, at backoffice.Store, n int) {
	t.Helper()
	for range n {
		if _, err := label(t.Context(), at, "writer", "label "+backoffice.NewID()); err != nil {
			t.Fatalf("%v (%v)", err, cause(err))
		}
	}
}

func TestAPlaceOfAnEntryThatAPromotionLostIsRefusedByAServerThatNeverKnewIt(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	pair := pgtest.NewPair(t)
	if err := postgres.Migrate(t.Context(), pair.Primary.URL("backoffice")); err != nil {
		t.Fatal(err)
	}
	old := openAt(t, pair.Primary.URL("backoffice"), postgres.Options{})
	writeLabels(t, old, 3)
	start, _ := follows(t, old, "", 0)
	for _, first := range start.Changes {
		if first.History != start.History {
			t.Errorf("%+v", first)
		}
	}
	reached(t, pair.Standby, 3)
	pair.Standby.Stop()
	writeLabels(t, old, 3)
	pair.Primary.Crash(t)
	pair.Standby.Start(t)
	pair.Standby.Promote(t)
	lone := openAt(t, pair.Standby.URL("backoffice"), postgres.Options{}) // which never knew the lost ones
	goesOn(t, lone, start.History, 3, 6, 3)
	writeLabels(t, lone, 8)
	goesOn(t, lone, start.History, 3, 6, 11)
	now, _ := follows(t, lone, "", 0)
	if now.History == start.History {
		t.Error("the promoted server goes on in the same history")
	}
	goesOn(t, lone, now.History, 11, 13, 11)
	if err := lone.RenewHistory(t.Context(), "", "restore", backoffice.InstantOf(time.Now())); err != nil {
		t.Fatal(err)
	}
	goesOn(t, lone, start.History, -1, 6, 0)
	goesOn(t, lone, now.History, -1, 12, 0)
}

// reached waits until a replica has so many entries of the log.
func reached(t *testing.T, replica *pgtest.Node, want int64) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), replica.URL("backoffice"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	eventually(t, 30*time.Second, "the standby has the entries", func() bool {
		var has int64
		return conn.QueryRow(t.Context(), "SELECT count(*) FROM changes").Scan(&has) == nil && has >= want
	})
}

func TestPlacesOutliveEachServerOnWhichTheirEntryIs(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	store, conn := open(t)
	writeLabels(t, store, 2)
	var histories []string
	for range 3 { // as if another server had taken over
		page, _ := follows(t, store, "", 0)
		histories = append(histories, page.History)
		if _, err := conn.Exec(t.Context(), "UPDATE change_horizon SET server = 'another'"); err != nil {
			t.Fatal(err)
		}
		writeLabels(t, store, 2)
	}
	for i, history := range histories {
		goesOn(t, store, history, int64(2*(i+1)), 8, 8)
	}
	undone := store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		if err := tx.LogChanges(ctx, &backoffice.Change{Noun: backoffice.NounLabel, ObjectID: "x", Done: backoffice.Created}); err != nil {
			return err
		}
		return backoffice.Errorf(backoffice.BadInput, "undone")
	})
	if undone == nil {
		t.Error("nothing was undone")
	}
	if page, err := follows(t, store, histories[0], 2); err != nil || page.History == histories[2] {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestARoleWithoutRightsOverTheClusterWritesTheLog(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	pair := pgtest.NewNode(t)
	pair.Execute(t, "postgres", "CREATE ROLE office LOGIN; ALTER DATABASE backoffice OWNER TO office; ALTER DATABASE backoffice SET role = office")
	pair.Execute(t, "backoffice", "SET ROLE NONE; REVOKE EXECUTE ON FUNCTION pg_control_system() FROM public")
	url := pair.URL("backoffice")
	if err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	store := openAt(t, url, postgres.Options{})
	writeLabels(t, store, 2)
	page, _ := follows(t, store, "", 0)
	goesOn(t, store, page.History, 2, 3, 2)
}
