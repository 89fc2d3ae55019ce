package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
)

func TestOnlyTheStoreOfADemoIsAttacked(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t, postgres.Migrate)
	taken, err := net.Listen("tcp", "127.0.0.1:0") // so that no server would start
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s := &soak{database: url, folder: filepath.Join(t.TempDir(), "none"), address: taken.Addr().String(), duration: time.Second}
	if _, err := s.run(); err == nil || !strings.Contains(err.Error(), "no demo's data") {
		t.Errorf("a store without a demo's data: %v", err)
	}
	if _, err := os.Stat(s.folder); !os.IsNotExist(err) {
		t.Errorf("the program was built: %v", err)
	}
	store, err := postgres.Open(t.Context(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	err = store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		return tx.Labels().Insert(ctx, &backoffice.Label{ID: lastOfDemo, Name: "Onboarding", CreatedAt: 1})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.checkDemo(t.Context()); err != nil {
		t.Errorf("a demo's store: %v", err)
	}
	if source, err := os.ReadFile("../../demo/fill.go"); err != nil || !strings.Contains(string(source), `"`+lastOfDemo+`"`) {
		t.Errorf("a demo has no %s: %v", lastOfDemo, err)
	}
}
