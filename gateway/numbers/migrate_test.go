package numbers

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/store/postgres/pgtest"
)

func TestMigrateMakesKeysForANewDatabaseAlone(t *testing.T) {
	t.Parallel()
	nothing := func(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "backoffice.db") }
	for engine, fresh := range map[string]func(testing.TB) string{"SQLite": nothing, "PostgreSQL": pgtest.Schema} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			settings := gatewaytest.Settings(t, fresh(t))
			settings.Keyset = filepath.Join(t.TempDir(), "data", "keyset.json")
			var keys []byte
			for range 2 {
				if err := settings.Migrate(t.Context()); err != nil {
					t.Fatal(err)
				}
				now, err := os.ReadFile(settings.Keyset)
				if err != nil || keys != nil && !bytes.Equal(now, keys) {
					t.Fatalf("other keys, or none: %v", err)
				}
				keys = now
			}
			b, err := settings.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			settings.Keyset = filepath.Join(t.TempDir(), "keyset.json")
			if err := settings.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := settings.Open(t.Context()); err == nil || !strings.Contains(err.Error(), "keyset") {
				t.Errorf("without its keys it opens: %v", err)
			}
			if _, err := os.Stat(settings.Keyset); err == nil {
				t.Error("keys were made for a database that has its own")
			}
		})
	}
}
