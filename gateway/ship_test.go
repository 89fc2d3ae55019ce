package gateway

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/ship"
)

// openShipped opens an office in a folder, which is shipped to another one.
func openShipped(t *testing.T, data, place string) *Backend {
	t.Helper()
	settings := Settings{Database: "sqlite:" + filepath.Join(data, "backoffice.db"),
		Files: "file:" + filepath.Join(data, "files"), Keyset: filepath.Join(data, "keyset.json")}
	settings.Ship = "file:" + place
	b, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAVerificationThatFailsIsRepeatedAfterAnHour(t *testing.T) {
	t.Parallel()
	place, data := t.TempDir(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		b := openShipped(t, data, place)
		defer b.Close()
		var said bytes.Buffer
		c := Config{Log: slog.New(slog.NewTextHandler(&said, nil))}
		c.Ship.Most = 1 << 30
		shipper, err := b.shipper(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		var running sync.WaitGroup
		defer running.Wait()
		shipping, stopShipping := context.WithCancel(t.Context())
		running.Go(func() { shipper.Run(shipping) })
		time.Sleep(time.Minute)
		operator := &backoffice.Principal{ClientID: "operator", Name: "operator", Scopes: backoffice.AllScopes}
		if _, err := b.Service().CreateLabel(t.Context(), operator, backoffice.LabelDraft{Name: "last"}, backoffice.Optional[string]{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		stopShipping()
		running.Wait()
		objects, err := filepath.Glob(filepath.Join(place, "generations", "*", "*.ltx"))
		if err != nil || len(objects) < 2 {
			t.Fatal(err, objects)
		}
		for _, later := range objects[1:] { // than the snapshot
			if err := os.Rename(later, later+".away"); err != nil {
				t.Fatal(err)
			}
		}
		watching, stopWatching := context.WithCancel(t.Context())
		running.Go(func() { watchShipping(watching, shipper, c.Log) })
		defer stopWatching()
		time.Sleep(150 * time.Minute)
		synctest.Wait()
		if n := strings.Count(said.String(), "cannot be restored"); n != 3 {
			t.Errorf("it was tried %d times in 150 minutes, not 3: %s", n, said.String())
		}
		if at, _, err := backoffice.LastDone(t.Context(), b.Store, backoffice.DoneShipVerify); err != nil || at != 0 {
			t.Errorf("it is noted as good, at %v (%v)", at, err)
		}
		for _, later := range objects[1:] {
			if err := os.Rename(later+".away", later); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour)
		if at, _, err := backoffice.LastDone(t.Context(), b.Store, backoffice.DoneShipVerify); err != nil || at == 0 {
			t.Errorf("it is not verified in the end: %v, %s", err, said.String())
		}
	})
}

func TestWhatTheServerItselfHasLostIsNotMissingFromWhatWasShipped(t *testing.T) {
	t.Parallel()
	data, place := t.TempDir(), t.TempDir()
	b := openShipped(t, data, place)
	defer b.Close()
	operator := &backoffice.Principal{ClientID: "operator", Name: "operator", Scopes: backoffice.AllScopes}
	customer, err := b.Service().CreateCustomer(t.Context(), operator,
		backoffice.CustomerFields{Type: backoffice.Value(backoffice.Company)}, backoffice.Optional[string]{})
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for range 2 {
		draft := backoffice.DocumentDraft{CustomerID: customer.ID, Name: "a.pdf",
			Content: strings.NewReader("%PDF-1.4"), Max: 100}
		made, err := b.Service().CreateDocument(t.Context(), operator, draft, backoffice.Optional[string]{})
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, made.File.Key)
	}
	if err := b.Files.Delete(t.Context(), keys[0]); err != nil {
		t.Fatal(err)
	}
	c := Config{Log: slog.New(slog.DiscardHandler)}
	shipper, err := b.shipper(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	shipAll(t, shipper.Store, b.Files, ship.Files{From: shipper.To, Key: shipper.Key, KeyID: shipper.KeyID})
	if found, err := verifyShipped(t.Context(), shipper, 0); err != nil || found.Files != 2 {
		t.Errorf("a verification finds %v (%v)", found, err)
	}
	if at, _, err := backoffice.LastDone(t.Context(), b.Store, backoffice.DoneShipVerify); err != nil || at == 0 {
		t.Errorf("it is not noted as good, %v", err)
	}
	if err := os.Remove(filepath.Join(place, "files", keys[1])); err != nil {
		t.Fatal(err)
	}
	if _, err := verifyShipped(t.Context(), shipper, 0); err == nil || err.Error() != "1 of 2 stored files were not shipped" {
		t.Errorf("without the other one it ends with %v", err)
	}
}
