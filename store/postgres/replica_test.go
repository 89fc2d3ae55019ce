package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/storetest"
)

// eventually repeats an attempt until it succeeds, for at most the time that the issue grants.
func eventually(t *testing.T, within time.Duration, what string, attempt func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for !attempt() {
		if time.Since(began) > within {
			t.Fatalf("not within %v: %s", within, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return time.Since(began)
}

func openPair(t *testing.T, options postgres.Options) (*pgtest.Pair, *postgres.Store) {
	t.Helper()
	pair := pgtest.NewPair(t)
	url := pair.Primary.URL("backoffice")
	if err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	options.Replicas = []string{pair.Standby.URL("backoffice")}
	return pair, openAt(t, url, options)
}

func openAt(t *testing.T, url string, options postgres.Options) *postgres.Store {
	t.Helper()
	opened, err := postgres.Open(t.Context(), url, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	return opened
}

// label writes a label with its line in the change log, as the APIs do for a pair.
func label(ctx context.Context, at backoffice.Store, client, name string) (*backoffice.Label, error) {
	made := &backoffice.Label{ID: backoffice.NewID(), Name: name, Color: "#112233", CreatedAt: backoffice.InstantOf(time.Now())}
	return made, at.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error {
		if err := tx.Labels().Insert(ctx, made); err != nil {
			return err
		}
		return tx.LogChanges(ctx, &backoffice.Change{At: made.CreatedAt, ClientID: client, Action: "create", Noun: backoffice.NounLabel, ObjectID: made.ID})
	})
}

func sees(t *testing.T, at backoffice.Store, client, id string) bool {
	t.Helper()
	found, err := backoffice.ReadByID(storetest.WithSessionOf(t.Context(), &backoffice.Principal{ClientID: client}), at.Labels(), []string{id}, 0)
	if err != nil {
		t.Fatalf("reading: %v (%v)", err, cause(err))
	}
	return found[id] != nil
}

func cause(err error) error {
	if known, ok := err.(*backoffice.Error); ok {
		return known.Cause
	}
	return err
}

func TestReadsGoToAReplicaAndCallersSeeTheirOwnWritesThroughAnyGateway(t *testing.T) {
	t.Parallel()
	pair, here := openPair(t, postgres.Options{})
	there := openAt(t, pair.Primary.URL("backoffice"), postgres.Options{Replicas: []string{pair.Standby.URL("backoffice")}})
	first, err := label(t.Context(), here, "writer", "first")
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, 5*time.Second, "the replica answers", func() bool {
		if !sees(t, here, "reader", first.ID) {
			t.Fatal("a read missed what was durable long before")
		}
		return here.OnReplica(storetest.WithSessionOf(t.Context(), &backoffice.Principal{ClientID: "reader"})) && there.OnReplica(storetest.WithSessionOf(t.Context(), &backoffice.Principal{ClientID: "reader"}))
	})
	for i := range 50 {
		made, err := label(storetest.WithSessionOf(t.Context(), &backoffice.Principal{ClientID: "writer"}), here, "writer", fmt.Sprint("label ", i))
		if err != nil {
			t.Fatal(err)
		}
		if !sees(t, here, "writer", made.ID) || !sees(t, there, "writer", made.ID) {
			t.Fatal("a caller did not see its own write")
		}
	}

	// A replica that stands still is no place for who wrote, on either gateway; for others it is one as long as it is
	// recent.
	pair.Standby.Execute(t, "backoffice", "SELECT pg_wal_replay_pause()")
	late, err := label(t.Context(), here, "writer", "late")
	if err != nil {
		t.Fatal(err)
	}
	for _, gateway := range []*postgres.Store{here, there} {
		if gateway.OnReplica(storetest.WithSessionOf(t.Context(), &backoffice.Principal{ClientID: "writer"})) || !sees(t, gateway, "writer", late.ID) {
			t.Fatal("the writer was sent to a replica without its write")
		}
		if !gateway.OnReplica(storetest.WithSessionOf(t.Context(), &backoffice.Principal{ClientID: "reader"})) {
			t.Fatal("a replica that is behind for a moment was kept from those who wrote nothing")
		}
	}
	eventually(t, 5*time.Second, "everybody sees the write", func() bool {
		return sees(t, here, "reader", late.ID) && sees(t, there, "reader", late.ID)
	})
	pair.Standby.Execute(t, "backoffice", "SELECT pg_wal_replay_resume()")
	eventually(t, 20*time.Second, "the replica is taken back", func() bool {
		return sees(t, here, "writer", late.ID) && here.OnReplica(storetest.WithSessionOf(t.Context(), &backoffice.Principal{ClientID: "writer"}))
	})
}

func TestAReplicaThatIsGoneIsLeftOutAndTakenBack(t *testing.T) {
	t.Parallel()
	pair, opened := openPair(t, postgres.Options{})
	made, err := label(t.Context(), opened, "writer", "one")
	if err != nil {
		t.Fatal(err)
	}
	onReplica := func() bool {
		return sees(t, opened, "reader", made.ID) && opened.OnReplica(storetest.WithSessionOf(t.Context(), &backoffice.Principal{ClientID: "reader"}))
	}
	eventually(t, 5*time.Second, "the replica answers", onReplica)
	pair.Standby.Stop()
	for range 100 {
		if !sees(t, opened, "reader", made.ID) {
			t.Fatal("a read failed while a replica was gone")
		}
	}
	if opened.OnReplica(storetest.WithSessionOf(t.Context(), &backoffice.Principal{ClientID: "reader"})) {
		t.Fatal("a replica that is gone is not left out")
	}
	pair.Standby.Start(t)
	eventually(t, 5*time.Second, "the replica is taken back", onReplica)
}

func TestWritesGoOnAfterTheReplicaBecameThePrimaryAndNothingAcknowledgedIsLost(t *testing.T) {
	t.Parallel()
	pair := pgtest.NewPair(t)
	if err := postgres.Migrate(t.Context(), pair.Primary.URL("backoffice")); err != nil {
		t.Fatal(err)
	}
	pair.Primary.Execute(t, "postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'")
	pair.Primary.Execute(t, "postgres", "SELECT pg_reload_conf()")
	both := "postgres://postgres@/backoffice?sslmode=disable&target_session_attrs=read-write&host=" + pair.Primary.Socket() + "," + pair.Standby.Socket() + "&port=5432,5432"
	opened := openAt(t, both, postgres.Options{})
	var acknowledged []string
	for i := range 20 {
		made, err := label(t.Context(), opened, "writer", fmt.Sprint("before ", i))
		if err != nil {
			t.Fatal(err)
		}
		acknowledged = append(acknowledged, made.ID)
	}
	stopped := make(chan struct{})
	go func() { pair.Primary.Stop(); close(stopped) }()
	for i := 0; ; i++ { // until the first refusal
		made, err := label(t.Context(), opened, "writer", fmt.Sprint("during ", i))
		if err != nil {
			if kind := backoffice.KindOf(err); kind != backoffice.Unavailable {
				t.Fatalf("a write was refused with kind %v: %v", kind, cause(err))
			}
			break
		}
		acknowledged = append(acknowledged, made.ID)
	}
	<-stopped
	pair.Standby.Promote(t)
	took := eventually(t, 10*time.Second, "a write succeeds again", func() bool {
		_, err := label(t.Context(), opened, "writer", "after "+backoffice.NewID())
		return err == nil
	})
	t.Logf("the first write after the promotion took %v", took)
	found, err := backoffice.ReadByID(t.Context(), opened.Labels(), acknowledged, 0)
	if err != nil || len(found) != len(acknowledged) {
		t.Fatalf("%d of %d acknowledged writes are there: %v", len(found), len(acknowledged), err)
	}
}

func TestOneCallersShareOfAReplicaKeepsNobodyElseFromIt(t *testing.T) {
	t.Parallel()
	_, opened := openPair(t, postgres.Options{MaxConns: 4})
	made, err := label(t.Context(), opened, "writer", "first")
	if err != nil {
		t.Fatal(err)
	}
	as := func(client string) context.Context {
		return storetest.WithSessionOf(t.Context(), &backoffice.Principal{ClientID: client})
	}
	eventually(t, 5*time.Second, "the replica answers", func() bool {
		return sees(t, opened, "busy", made.ID) && opened.OnReplica(as("busy"))
	})
	for range 4 {
		reading, end := backoffice.BeginSnapshot(as("busy"), opened)
		defer end()
		if _, err := backoffice.ReadByID(reading, opened.Labels(), []string{made.ID}, 0); err != nil {
			t.Fatal(err)
		}
	}
	if !opened.OnReplica(as("other")) {
		t.Error("nobody reads from the replica since one caller had no more of it")
	}
}

func TestACommitThatItsStandbyDidNotConfirmIsNotAcknowledged(t *testing.T) {
	t.Parallel()
	pair := pgtest.NewPair(t)
	if err := postgres.Migrate(t.Context(), pair.Primary.URL("backoffice")); err != nil {
		t.Fatal(err)
	}
	pair.Primary.Execute(t, "postgres", "ALTER ROLE postgres SET client_min_messages = error")
	opened := openAt(t, pair.Primary.URL("backoffice"), postgres.Options{StatementTimeout: 700 * time.Millisecond})
	pair.Primary.Execute(t, "postgres", "ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
	pair.Primary.Execute(t, "postgres", "SELECT pg_reload_conf()")
	var err error
	for n := 0; err == nil && n < 100; n++ { // until the server has read its settings again
		_, err = label(t.Context(), opened, "writer", fmt.Sprint("unconfirmed ", n))
	}
	if backoffice.KindOf(err) != backoffice.Unavailable || !strings.Contains(err.Error(), "may have succeeded") {
		t.Fatalf("the write was answered with %v (%v)", err, cause(err))
	}
}

func TestAMigrationAndAnExaminationFindTheServerThatAcceptsWrites(t *testing.T) {
	t.Parallel()
	pair := pgtest.NewPair(t)
	hosts := pair.Standby.Socket() + "," + pair.Primary.Socket()
	both := "postgres://postgres@/backoffice?sslmode=disable&host=" + hosts + "&port=5432,5432"
	if err := postgres.Migrate(t.Context(), both); err != nil {
		t.Fatal(err)
	}
	_, fine, found := examined(t, both, pair.Standby.URL("backoffice"))
	delete(found, "durability") // the server of the tests is a fast one
	if len(found) > 0 || !slices.Contains(fine, "replica 1") {
		t.Errorf("%v is fine, and not %v", fine, found)
	}
	if ready, _, found := examined(t, pair.Standby.URL("backoffice")); ready || !strings.Contains(found["database"].Found, "accepts writes") {
		t.Errorf("%t %v", ready, found)
	}
}
