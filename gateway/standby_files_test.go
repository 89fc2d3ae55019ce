package gateway

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/files/s3test"
	"example.org/backoffice/privacy"
	"example.org/backoffice/store/ship"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// filed is an office with stored files, in its own place, and all that was shipped of them.
func filed(t *testing.T, stored string, documents int) (records *sqlite.Store, own files.Store, place ship.Files) {
	t.Helper()
	data := t.TempDir()
	settings := Settings{Database: "sqlite:" + filepath.Join(data, "backoffice.db"), Files: stored,
		Keyset: filepath.Join(data, "keyset.json")}
	b, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	operator := &backoffice.Principal{ClientID: "operator", Name: "operator", Scopes: backoffice.AllScopes}
	customer, err := b.Service().CreateCustomer(t.Context(), operator,
		backoffice.CustomerFields{Type: backoffice.Value(backoffice.Company)}, backoffice.Optional[string]{})
	if err != nil {
		t.Fatal(err)
	}
	key, err := privacy.KeysetFile{Path: filepath.Join(data, "ship.json")}.CreateShipping()
	if err != nil {
		t.Fatal(err)
	}
	to, err := files.OpenObjects("file:" + t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for range documents {
		draft := backoffice.DocumentDraft{CustomerID: customer.ID, Name: "a.pdf",
			Content: strings.NewReader("%PDF-1.4"), Max: 100}
		if _, err := b.Service().CreateDocument(t.Context(), operator, draft, backoffice.Optional[string]{}); err != nil {
			t.Fatal(err)
		}
	}
	return b.Store.(*sqlite.Store), b.Files, ship.Files{From: to, Key: key, KeyID: key.ID}
}

func stored(t *testing.T, all files.Store) (n int) {
	t.Helper()
	if err := all.List(t.Context(), "", func(string) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAStandByDeletesNothingInTheBucketOfItsServer(t *testing.T) {
	t.Parallel()
	records, bucket, place := filed(t, s3test.Start(t, "office").URL(""), 1)
	standBy := &shippedFiles{Store: bucket, from: place, records: records, copied: map[string]bool{}}
	if err := standBy.copyNew(t.Context()); err != nil {
		t.Fatal(err)
	}
	sqlitetest.Execute(t, records.Path(), "DELETE FROM documents") // as after a restore to before it
	if err := standBy.forget(t.Context()); err != nil || stored(t, bucket) != 1 {
		t.Errorf("%d files are left of 1, %v", stored(t, bucket), err)
	}
}

func TestAStandByForgetsFilesThatNoRecordNames(t *testing.T) {
	t.Parallel()
	records, folder, place := filed(t, "file:"+filepath.Join(t.TempDir(), "files"), 5)
	standBy := &shippedFiles{Store: folder, from: place, records: records, copied: map[string]bool{}}
	if err := standBy.copyNew(t.Context()); err != nil {
		t.Fatal(err)
	}
	sqlitetest.Execute(t, records.Path(), "DELETE FROM documents WHERE id <> (SELECT max(id) FROM documents)")
	if err := standBy.forget(t.Context()); err != nil || stored(t, folder) != 1 {
		t.Errorf("%d files are left of 1, %v", stored(t, folder), err)
	}
}

func TestAStandByCopiesFilesOfAPlaceThatWasAway(t *testing.T) {
	t.Parallel()
	records, server, place := filed(t, "file:"+filepath.Join(t.TempDir(), "files"), 2)
	folder, err := files.OpenFolder(filepath.Join(t.TempDir(), "files"))
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	standBy := &shippedFiles{Store: folder, from: place, records: records, copied: map[string]bool{}}
	for range 2 { // nothing is there, as where a disk is not mounted
		if err := standBy.copyNew(t.Context()); err == nil || standBy.through != 0 || len(standBy.lacking) > 0 {
			t.Errorf("it ends with %v, and lacks %v", err, standBy.lacking)
		}
	}
	shipAll(t, records, server, place)
	if err := standBy.copyNew(t.Context()); err != nil || stored(t, folder) != 2 {
		t.Errorf("%d of 2 files are copied, %v", stored(t, folder), err)
	}
}

// shipAll ships an office until all is away.
func shipAll(t *testing.T, records *sqlite.Store, server files.Store, to ship.Files) {
	t.Helper()
	s := &ship.Shipper{Store: records, Files: server, To: to.From, Key: to.Key, KeyID: to.KeyID, Most: 1 << 30,
		Log: slog.New(slog.DiscardHandler)}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	for s.Last() < 1 {
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	running.Wait()
}
