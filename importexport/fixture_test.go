package importexport

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/privacy"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// env is an empty store with its files and keys.
type env struct {
	store backoffice.Store
	files *files.Folder
	keys  *privacy.Keyset
	dir   string // of the files
}

func newEnv(t testing.TB) *env {
	t.Helper()
	store, err := sqlite.Open(t.Context(), sqlitetest.URL(t), sqlite.Options{})
	must(t, err)
	t.Cleanup(func() { _ = store.Close() })
	return envOver(t, store)
}

// newPostgresEnv is newEnv on the other engine.
func newPostgresEnv(t testing.TB) *env {
	t.Helper()
	url := pgtest.Migrated(t, postgres.Migrate)
	store, err := postgres.Open(t.Context(), url, postgres.Options{})
	must(t, err)
	t.Cleanup(func() { _ = store.Close() })
	return envOver(t, store)
}

func envOver(t testing.TB, store backoffice.Store) *env {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "files")
	folder, err := files.OpenFolder(dir)
	must(t, err)
	t.Cleanup(func() { _ = folder.Close() })
	keys, err := privacy.NewKeyset()
	must(t, err)
	return &env{store, folder, keys, dir}
}

func (h *env) load(ctx context.Context, folder string) ([]Loaded, error) {
	return (&Importer{Store: h.store, Files: h.files, Keys: h.keys, AllowDeletions: 1000}).Import(ctx, folder)
}

// mustLoad loads a folder and returns what was done, by file.
func (h *env) mustLoad(t testing.TB, folder string) map[string]Loaded {
	t.Helper()
	all, err := h.load(t.Context(), folder)
	must(t, err)
	byFile := map[string]Loaded{}
	for _, loaded := range all {
		byFile[loaded.File] = loaded
	}
	return byFile
}

func (h *env) dump(t testing.TB, numbers bool) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "export")
	var purpose *string
	if numbers {
		purpose = new(string)
		*purpose = "yearly copy"
	}
	exporter := &Exporter{Store: h.store, Files: h.files, Vault: privacy.NewVault(h.keys, h.store)}
	_, err := exporter.Export(t.Context(), folder, purpose)
	must(t, err)
	return folder
}

// changes counts the entries of the change log.
func (h *env) changes(t testing.TB) []*backoffice.Change {
	t.Helper()
	var all []*backoffice.Change
	for {
		after := int64(0)
		if len(all) > 0 {
			after = all[len(all)-1].Sequence
		}
		page, err := h.store.Changes(t.Context(), after, 1000)
		must(t, err)
		if len(page) == 0 {
			return all
		}
		all = append(all, page...)
	}
}

// keys counts what is kept in the file store.
func (h *env) storedFiles(t testing.TB) int {
	t.Helper()
	n := 0
	must(t, h.files.List(t.Context(), "", func(string) error { n++; return nil }))
	return n
}

// one reads a record, nil when it is not there.
func one[T any, C comparable](t testing.TB, rows backoffice.Reader[*T, C], id string) *T {
	t.Helper()
	found, err := backoffice.ReadByID(t.Context(), rows, []string{id}, 0)
	must(t, err)
	return found[id]
}

// folderOf writes the files of an archive, or of the office when none are given, into a folder.
func folderOf(t testing.TB, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, filepath.FromSlash(file.Name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, file.Data, 0o644))
	}
	return dir
}

func office(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/office.txtar")
	must(t, err)
	return folderOf(t, string(text))
}

// with replaces the lines of one file of a folder.
func with(t testing.TB, folder, name string, lines ...string) string {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(folder, name), []byte(strings.Join(lines, "\n")+"\n"), 0o644))
	return folder
}

// only makes a folder of one file.
func only(t testing.TB, name string, lines ...string) string {
	t.Helper()
	return with(t, t.TempDir(), name, lines...)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
