package postgres_test

import (
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/storetest"
)

// levels are where an administrator can switch off that a commit waits for the disk.
var levels = map[string]struct{ off, on string }{
	"the server":   {"ALTER SYSTEM SET synchronous_commit = off", "ALTER SYSTEM RESET synchronous_commit"},
	"the role":     {"ALTER ROLE postgres SET synchronous_commit = off", "ALTER ROLE postgres RESET synchronous_commit"},
	"the database": {"ALTER DATABASE backoffice SET synchronous_commit = off", "ALTER DATABASE backoffice RESET synchronous_commit"},
}

func TestWhatWasAcknowledgedOutlivesACrashWhoeverSwitchedSynchronousCommitOff(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	node := pgtest.NewNode(t)
	// Nothing but a commit that waits for the disk brings the log there within ten seconds.
	node.Execute(t, "postgres", "ALTER SYSTEM SET wal_writer_delay = '10s'")
	node.Execute(t, "postgres", "ALTER SYSTEM SET wal_writer_flush_after = 0")
	url := node.URL("backoffice")
	if err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	for level, set := range levels {
		node.Execute(t, "postgres", set.off)
		node.Execute(t, "postgres", "SELECT pg_reload_conf()")
		node.Stop()
		node.Start(t)
		opened, err := postgres.Open(t.Context(), url, postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		made, err := label(t.Context(), opened, "writer", "made while off for "+level)
		if err != nil {
			t.Fatal(err)
		}
		entry := &backoffice.Consultation{ID: backoffice.NewID(), At: 1, ClientID: "reader", ClientName: "reader", Operation: backoffice.AllPrivacyOperations[0], Number: 1, MAC: []byte("mac")}
		var opening backoffice.ConsultationHead
		if err := opened.OpenConsultationChain(t.Context(), func(chain int64) (chainHead, registerHead backoffice.ConsultationHead) {
			opening = backoffice.ConsultationHead{Chain: chain, MAC: []byte("opened")}
			return opening, backoffice.ConsultationHead{Chain: 0, Count: chain, MAC: []byte("register")}
		}); err != nil {
			t.Fatal(err)
		}
		entry.Chain = opening.Chain
		moved := backoffice.ConsultationHead{Chain: opening.Chain, Count: 1, Last: []byte("mac"), MAC: []byte("moved")}
		if err := opened.AppendConsultations(t.Context(), opening, moved, []*backoffice.Consultation{entry}); err != nil {
			t.Fatal(err)
		}
		node.Crash(t)
		node.Start(t)
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
		if opened, err = postgres.Open(t.Context(), url, postgres.Options{}); err != nil {
			t.Fatal(err)
		}
		found, err := backoffice.ReadByID(t.Context(), opened.Labels(), []string{made.ID}, 0)
		if err != nil || found[made.ID] == nil {
			t.Errorf("off for %s: an acknowledged write is gone (%v)", level, err)
		}
		entries, err := opened.ListConsultations(t.Context(), backoffice.ConsultationPosition{}, 100)
		if err != nil || len(entries) == 0 || entries[len(entries)-1].ID != entry.ID {
			t.Errorf("off for %s: an acknowledged entry of the register is gone (%v)", level, err)
		}
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
		node.Execute(t, "postgres", set.on)
	}
}

func TestAWriteWaitsForStandbysAsTheAdministratorSaid(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	base := migrated(t)
	for said, want := range map[string]string{"off": "on", "on": "on", "local": "local", "remote_write": "remote_write", "remote_apply": "remote_apply"} {
		opened := openAt(t, base+"&synchronous_commit="+said, postgres.Options{MaxConns: 2})
		if got := opened.InWrite(t, "SELECT current_setting('synchronous_commit')"); len(got) != 1 || got[0] != want {
			t.Errorf("synchronous_commit = %s: a write has %v, want %s", said, got, want)
		}
	}
}
