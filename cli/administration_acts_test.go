package cli

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/backoffice/privacy/kms/kmstest"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

func credentialsAreNoted(t *testing.T, w *witness) {
	w.does(t, "", "migrate")
	line := []string{"credentials", "create", "--json", "--name", "secret name", "--scope", "pti.write"}
	made := pairOf(t, w.must(t, line...))
	w.noted(t, made.ClientID, line...)
	w.must(t, "credentials", "list")
	w.must(t, "doctor")
	w.nothing(t, "looking")
	w.does(t, made.ClientID, "credentials", "rotate", made.ClientID)
	w.does(t, made.ClientID, "credentials", "scopes", made.ClientID, "--add", "privacy.read")
	w.does(t, made.ClientID, "credentials", "networks", made.ClientID, "--add", "127.0.0.0/8")
	w.does(t, made.ClientID, "credentials", "extend", made.ClientID, "--no-expiry")
	w.does(t, made.ClientID, "credentials", "revoke", made.ClientID)
	if code, _, _ := w.run(t, "credentials", "revoke", "nobody"); code != exitFailure {
		t.Error("nobody was revoked")
	}
	w.nothing(t, "what failed")
	w.tellsNothingOf(t, "secret name", made.ClientSecret)
}

// tellsNothingOf says that the change log holds none of these values.
func (w *witness) tellsNothingOf(t *testing.T, values ...string) {
	t.Helper()
	log := w.must(t, "changes", "list", "--format=jsonl")
	for i, value := range values {
		if strings.Contains(log, value) {
			t.Errorf("the log holds value %d", i)
		}
	}
}

func recordsAreNoted(t *testing.T, w *witness) {
	labels := w.folder(t, "labels.ndjson", `{"_id":"l-1","name":"VIP"}`+"\n"+`{"_id":"l-2","name":"New"}`+"\n")
	w.does(t, "", "import", labels)
	w.must(t, "import", labels)
	w.nothing(t, "an import that changed nothing")
	w.does(t, "2030", "years", "start", "2030")
	w.does(t, "", "export", filepath.Join(t.TempDir(), "export"), "--registration-numbers", "--purpose", "secret purpose")
	w.does(t, "", "query", filepath.Join(w.folder(t, "q.graphql", "{ customers { nodes { id } } }"), "q.graphql"))
	w.does(t, "", "cache", "drop")
	w.does(t, "", "compact")
	w.tellsNothingOf(t, "secret purpose", "nodes")
}

func webhooksAreNoted(t *testing.T, w *witness) {
	w.must(t, "migrate")
	w.acts(t, &w.after)
	receiver := newInbox(t)
	line := []string{"webhooks", "create", "--url", receiver.URL + "/changes", "--json"}
	made := hookOf(t, w.must(t, line...))
	receiver.secret = made.Secret
	w.noted(t, made.ID, line...)
	w.doesWith(t, []string{"SSL_CERT_FILE=" + receiver.certificate}, made.ID, "webhooks", "ping", made.ID, "--webhook-network=127.0.0.0/8")
	w.does(t, made.ID, "webhooks", "rewind", made.ID, "--to", history(t, w.shell)+".0")
	w.does(t, made.ID, "webhooks", "disable", made.ID)
	w.does(t, made.ID, "webhooks", "rotate", made.ID)
	w.must(t, "webhooks", "list")
	w.nothing(t, "looking at webhooks")
	w.does(t, made.ID, "webhooks", "delete", made.ID)
	w.tellsNothingOf(t, strings.TrimPrefix(receiver.URL, "https://"), made.Secret)
	if receiver.mu.Lock(); receiver.wrong != nil {
		t.Errorf("the receiver says %q", receiver.wrong)
	}
	receiver.mu.Unlock()
}

func documentsAreNoted(t *testing.T, w *witness) {
	w.does(t, "", "import", "../testdata/office")
	w.does(t, "tr-2", "documents", "generate") // which is the only one without
	w.must(t, "documents", "generate")
	w.nothing(t, "generating no document")
	w.does(t, "portal", "documents", "trust", w.folder(t, "q.graphql", "query Q { viewer { name } }\n"), "--set", "portal")
	w.does(t, "agents", "documents", "trust", w.folder(t, "a.graphql", "# Who asks.\nquery Me { viewer { name } }\n"), "--set", "agents", "--tool", "Me")
	w.does(t, "Me", "tools", "remove", "Me")
	w.does(t, "portal", "documents", "remove", "--set", "portal")
}

func keysAreNoted(t *testing.T, w *witness) {
	w.does(t, "", "import", "../testdata/office")
	old := w.keysStatus(t)[0]["key"].(string)
	w.does(t, "", "keys", "rotate", "--wait", "0s")
	w.does(t, "", "keys", "reseal")
	// As if it had been closed long ago, so that no replica can need it.
	sqlitetest.Execute(t, w.path("backoffice.db"), "UPDATE keyset_keys SET closed_at = 1 WHERE state = 'closed'")
	w.does(t, old, "keys", "retire", old, "--drop-cursors")
	if rows := w.keysStatus(t); len(rows) != 1 || rows[0]["key"] == old {
		t.Errorf("left are %v", rows)
	}
	w.does(t, "", "keys", "signing")
	w.does(t, "", "evidence", "sample", "--sample", "1", "--seed", "1")
	w.nothing(t, "looking at keys")
}

func wrappingIsNoted(t *testing.T, w *witness) {
	w.does(t, "", "import", "../testdata/office")
	engine := kmstest.New(t)
	of, vault := engine.URI("office"), vaultAt(t, engine)
	w.doesWith(t, vault, "", "keys", "wrap", "--by", of)
	w.doesWith(t, append(vault, "BACKOFFICE_KEYSET_KMS="+of), "", "keys", "unwrap")
	w.tellsNothingOf(t, of)
}

func filesAreNoted(t *testing.T, w *witness) {
	w.does(t, "", "import", "../testdata/office")
	key := w.orphan(t)
	w.does(t, "", "files", "sweep", "--yes")
	w.must(t, "files", "list")
	w.nothing(t, "looking at the quarantine")
	w.does(t, "", "files", "restore", key)
	w.tellsNothingOf(t, key)
}

func trashIsNoted(t *testing.T, w *witness) {
	w.does(t, "", "import", "../testdata/office")
	id, secret := w.credential(t, "customers.write")
	w.acts(t, &w.after)
	server := w.start(t, exec.Command("env"), "--trash", "30d")
	server.remove(t, id, secret, "/customers/acme")
	w.nothing(t, "a caller's deletion")
	w.does(t, "", "trash", "restore", "acme")
	server.remove(t, id, secret, "/customers/acme")
	w.does(t, "", "trash", "empty", "--all")
}

func backupsAreNoted(t *testing.T, w *witness) {
	w.does(t, "", "import", "../testdata/office")
	folder := filepath.Join(t.TempDir(), "backup")
	w.does(t, "", "backup", folder)
	kept := w.after // the backup has all up to its own act
	w.does(t, "2027", "years", "start", "2027")
	w.must(t, "restore", folder)
	w.after = kept
	w.noted(t, "", "restore", folder)
}

func pullsAreNoted(t *testing.T, w *witness) {
	_, _, pull := origin(t, "../testdata/office")
	w.does(t, "", pull...)
	w.must(t, pull...)
	w.nothing(t, "a pull that changed nothing")
	w.does(t, "", "pull", "--release")
	w.tellsNothingOf(t, strings.TrimPrefix(pull[2], "http://"))
}

func demosAreNoted(t *testing.T, w *witness) {
	w.demo(t, func([]string) { w.noted(t, "", "demo", "--listen=127.0.0.1:0", "--customers=60") })
}
