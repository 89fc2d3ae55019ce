package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
	"example.org/backoffice/store/storetest"
)

// image is what a crash leaves of a database.
type image struct {
	file, log []byte // no log when nil
	labels    int
}

// imageOf copies the files of an open database.
func imageOf(t interface{ Fatal(...any) }, path string, labels int) image {
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(path + "-wal")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return image{file, log, labels}
}

// reopen writes a file and a log beside each other, opens the two and counts the labels.
func reopen(t interface{ Fatal(...any) }, dir string, file, log []byte) (labels int, err error) {
	path := filepath.Join(dir, "backoffice.db")
	for name, content := range map[string][]byte{path: file, path + "-wal": log} {
		if content != nil {
			if err := os.WriteFile(name, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	opened, err := sqlite.Open(context.Background(), "sqlite:"+path, sqlite.Options{Readers: 1})
	if err != nil {
		if again := imageOf(t, path, 0); string(again.file) != string(file) || string(again.log) != string(log) {
			t.Fatal("what was refused was touched")
		}
		return 0, err
	}
	defer func() { _ = opened.Close() }()
	if problems, err := opened.Integrity(context.Background()); err != nil || len(problems) > 0 {
		t.Fatal("what was opened is damaged: ", problems, err)
	}
	counts, err := backoffice.ReadCounts(context.Background(), opened.Labels(), backoffice.Root, backoffice.LabelCriteria{}, nil)
	return counts[""], err
}

func TestALogIsOnlyReplayedOnTheFileThatItIsOf(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	refused, accepted := 0, 0
	sequences := rapid.SliceOfN(rapid.SampledFrom([]string{"write", "write", "many", "checkpoint", "restart", "reopen", "backup", "image", "image"}), 5, 12)
	for seed := range 8 { // each writes and opens files that are made durable, so there are not more
		steps := sequences.Example(seed)
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "backoffice.db")
		var opened *sqlite.Store
		open := func() {
			if opened, err = sqlite.Open(context.Background(), "sqlite:"+path, sqlite.Options{Readers: 1}); err != nil {
				t.Fatal(err)
			}
		}
		open()
		labels, backups := 0, 0
		images := []image{}
		for _, step := range steps {
			switch step {
			case "write", "many":
				n := map[string]int{"write": 1, "many": 200}[step]
				err = opened.Write(context.Background(), func(ctx context.Context, tx backoffice.Tx) error {
					for range n {
						labels++
						id := fmt.Sprint("label-", labels)
						if err := tx.Labels().Insert(ctx, &backoffice.Label{ID: id, Name: id}); err != nil {
							return err
						}
					}
					return nil
				})
			case "checkpoint":
				sqlitetest.Execute(t, path, "PRAGMA wal_checkpoint(PASSIVE)")
			case "restart":
				sqlitetest.Execute(t, path, "PRAGMA wal_checkpoint(RESTART)")
			case "reopen":
				err = opened.Close()
				open()
			case "backup":
				backups++
				copied := filepath.Join(dir, fmt.Sprint("copy-", backups))
				if err = opened.Backup(context.Background(), copied); err == nil {
					images = append(images, imageOf(t, copied, labels))
				}
			case "image":
				images = append(images, imageOf(t, path, labels))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		images = append(images, imageOf(t, path, labels))
		_ = opened.Close()
		for i, file := range images {
			for j, log := range images {
				if len(log.log) == 0 {
					continue
				}
				target, _ := os.MkdirTemp(dir, "")
				found, err := reopen(t, target, file.file, log.log)
				foreign := new(sqlite.ForeignLogError)
				switch {
				case i == j && err != nil:
					t.Fatalf("%v: a database is refused with its own log: %v", steps, err)
				case errors.As(err, &foreign):
					refused++
				case err != nil:
					t.Fatalf("%v: file %d with log %d: %v", steps, i, j, err)
				case found != log.labels && found != file.labels:
					t.Fatalf("%v: file %d with log %d has %d labels, not %d", steps, i, j, found, log.labels)
				default:
					accepted++
				}
			}
		}
	}
	if refused == 0 || accepted == 0 {
		t.Errorf("%d were refused, %d accepted", refused, accepted)
	}
}

func TestADatabaseInUseIsKnownForIt(t *testing.T) {
	t.Parallel()
	path := filled(t)
	if used, err := sqlite.InUse(path); err != nil || used {
		t.Errorf("a closed one: %t %v", used, err)
	}
	opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	if used, err := sqlite.InUse(path); err != nil || !used {
		t.Errorf("an open one: %t %v", used, err)
	}
}
