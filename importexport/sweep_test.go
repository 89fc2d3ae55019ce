package importexport

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
)

// sweeping is a files store in which another server sweeps after every file that is written, with a clock that is
// hours off.
type sweeping struct {
	*files.Folder
	t     *testing.T
	dir   string
	store backoffice.Store
}

func (s *sweeping) Put(ctx context.Context, key string, r io.Reader, contentType string) (backoffice.File, error) {
	file, err := s.Folder.Put(ctx, key, r, contentType)
	if err == nil {
		s.sweep(ctx, file.Key)
	}
	return file, err
}

// sweep takes all that it may, of files that look old.
func (s *sweeping) sweep(ctx context.Context, key string) {
	past := time.Now().Add(-3 * time.Hour)
	must(s.t, os.Chtimes(filepath.Join(s.dir, filepath.FromSlash(key)), past, past))
	_, err := files.Sweep(ctx, s.store, s.Folder, true)
	must(s.t, err)
}

func TestASweepLeavesTheFilesOfAnImportThatGoesOnAlone(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(testing.TB) *env{"SQLite": newEnv, "PostgreSQL": newPostgresEnv} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := make(t)
			h.mustLoad(t, office(t))
			must(t, files.Claim(t.Context(), h.store, h.files))
			const count = 40
			folder := t.TempDir()
			var lines []string
			for i := range count {
				must(t, os.WriteFile(filepath.Join(folder, fmt.Sprint(i)), fmt.Append(nil, "content ", i), 0o600))
				lines = append(lines, fmt.Sprintf(`{"_id":"swept-%d","name":"x","customer":"company","file":"%d"}`, i, i))
			}
			swept := &sweeping{h.files, t, h.dir, h.store}
			all, err := (&Importer{Store: h.store, Files: swept, Keys: h.keys}).Import(t.Context(), with(t, folder, "documents.ndjson", lines...))
			if err != nil || all[0].Created != count {
				t.Fatalf("%+v, %v", all, err)
			}
			for i := range count {
				document := one(t, h.store.Documents(), fmt.Sprint("swept-", i))
				if missing, err := h.files.Missing(t.Context(), []string{document.File.Key}); err != nil || len(missing) > 0 {
					t.Errorf("the file of document %d is gone (%v)", i, err)
				}
			}
		})
	}
}

// losing loses the last file that is written.
type losing struct{ *files.Folder }

func (l losing) Missing(ctx context.Context, keys []string) ([]string, error) {
	if err := l.Delete(ctx, keys[len(keys)-1]); err != nil {
		return nil, err
	}
	return l.Folder.Missing(ctx, keys)
}

func TestAnImportWhoseFilesAreGoneLoadsNothing(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	stored := h.storedFiles(t)
	folder := t.TempDir()
	must(t, os.WriteFile(filepath.Join(folder, "a"), []byte("content"), 0o600))
	with(t, folder, "documents.ndjson", `{"_id":"lost","name":"x","customer":"company","file":"a"}`)
	all, err := (&Importer{Store: h.store, Files: losing{h.files}, Keys: h.keys}).Import(t.Context(), folder)
	if backoffice.KindOf(err) != backoffice.Unavailable || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	if one(t, h.store.Documents(), "lost") != nil || h.storedFiles(t) != stored {
		t.Error("something of it was loaded or left")
	}
}

func TestALineThatIsRejectedStoresNoFile(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, office(t))
		stored := h.storedFiles(t)
		folder := t.TempDir()
		must(t, os.WriteFile(filepath.Join(folder, "a"), []byte("content"), 0o600))
		for created, lines := range [][]string{
			{`{"_id":"bad","customer":"company","file":"a"}`},
			{`{"_id":"bad","customer":"company","file":"a"}`, `{"_id":"good","name":"x","customer":"company","file":"a"}`},
		} {
			importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Rejects: t.TempDir()}
			all, err := importer.Import(t.Context(), with(t, folder, "documents.ndjson", lines...))
			must(t, err)
			if all[0].Created != created || all[0].Rejected != 1 || h.storedFiles(t) != stored+created {
				t.Errorf("it did %+v and stored %d files", all[0], h.storedFiles(t)-stored)
			}
		}
		if missing, err := h.files.Missing(t.Context(), []string{one(t, h.store.Documents(), "good").File.Key}); err != nil || len(missing) > 0 {
			t.Errorf("the file of the good line is gone (%v)", err)
		}
	})
}
