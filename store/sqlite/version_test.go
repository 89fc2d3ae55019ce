package sqlite_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

func TestTheVersionOfTheDataIsAnotherOneAfterEachCommitOfAnybodyAndAfterNothingElse(t *testing.T) {
	t.Parallel()
	url := sqlitetest.URL(t)
	var stores [2]*sqlite.Store
	for i := range stores {
		opened, err := sqlite.Open(t.Context(), url, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = opened.Close() })
		stores[i] = opened
	}
	put := func(store *sqlite.Store, fails error) {
		t.Helper()
		err := store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
			if err := tx.Labels().Upsert(ctx, []*backoffice.Label{{ID: "label", Name: "x"}}); err != nil {
				return err
			}
			return fails
		})
		if !errors.Is(err, fails) {
			t.Fatal(err)
		}
	}
	var before [2]int64
	for _, step := range []struct {
		name    string
		do      func()
		another bool
	}{
		{"the first poll", func() {}, true},
		{"nothing", func() {}, false},
		{"a read", func() { _, _ = backoffice.ReadByID(t.Context(), stores[0].Labels(), []string{"label"}, 0) }, false},
		{"a write of the store itself", func() { put(stores[0], nil) }, true},
		{"a write of another one", func() { put(stores[1], nil) }, true},
		{"a write that fails", func() { put(stores[0], errors.New("no")) }, false},
		{"a write by somebody else's SQL", func() { sqlitetest.Execute(t, strings.TrimPrefix(url, "sqlite:"), "UPDATE labels SET name = 'y'") }, true},
		{"nothing again", func() {}, false},
	} {
		step.do()
		for i, store := range stores {
			now := store.Version(t)
			if now == 0 || (now != before[i]) != step.another {
				t.Errorf("after %s, store %d says %d, and said %d before", step.name, i, now, before[i])
			}
			before[i] = now
		}
	}
}
