package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/gateway"
)

// everything is all files of a folder with their content, those of a store's log but for the index, which is made anew.
func everything(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			content, _ := os.ReadFile(path)
			all[path] = string(content)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func differences(before, after map[string]string) (names []string) {
	for name, content := range before {
		if after[name] != content {
			names = append(names, name)
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// failing renames until the nth time, which fails as a disk that is mounted at the name would.
func failing(nth int, count *int) func(from, to string) error {
	return func(from, to string) error {
		if *count++; *count == nth {
			return &os.LinkError{Op: "rename", Old: from, New: to, Err: errors.New("device or resource busy")}
		}
		return renameNew(from, to)
	}
}

// restoreBy runs a restore that renames in its own way.
func (s *shell) restoreBy(t *testing.T, backup string, rename func(from, to string) error) (out string, err error) {
	t.Helper()
	given := &settings{Settings: gateway.Settings{
		Database: "sqlite:" + s.path("backoffice.db"), Files: "file:" + s.path("files"), Keyset: s.path("keyset.json"), Statement: time.Minute,
	}}
	var outs, errs bytes.Buffer
	err = (&restoreCommand{Path: backup, rename: rename}).Run(t.Context(), given, terminal{&outs, &errs})
	return outs.String(), err
}

func TestARestoreExchangesEverythingOrNothingWhicheverRenameFails(t *testing.T) {
	t.Parallel()
	for _, within := range []bool{false, true} {
		t.Run(fmt.Sprintf("within the folder %t", within), func(t *testing.T) {
			t.Parallel()
			s, backup := backedUp(t)
			s.crash(t)
			if within { // a disk's own, which stays where it is
				if err := os.MkdirAll(s.path("files/lost+found"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			before := everything(t, s.path(""))
			for nth := 1; ; nth++ {
				count := 0
				out, err := s.restoreBy(t, backup, failing(nth, &count))
				if count < nth { // all went well
					if err != nil || nth < 5 || within && nth < 10 {
						t.Fatalf("after %d renames: %v", count, err)
					}
					if strings.Contains(out, "files/.replaced-") != within {
						t.Errorf("it tells %q", out)
					}
					break
				}
				if err == nil || !strings.Contains(err.Error(), "nothing was restored, and everything is at its place") || out != "" {
					t.Errorf("when rename %d fails: %q, %v", nth, out, err)
				}
				after := everything(t, s.path(""))
				delete(after, s.path("backoffice.db-shm")) // whoever reads a database with a log makes its index
				if changed := differences(before, after); len(changed) > 0 {
					t.Fatalf("when rename %d fails, these are not as they were: %q", nth, changed)
				}
			}
			s.must(t, "check")
		})
	}
}

func TestARestoreThatCannotMoveBackSaysWhereThingsAre(t *testing.T) {
	t.Parallel()
	s, backup := backedUp(t)
	count := 0
	_, err := s.restoreBy(t, backup, func(from, to string) error {
		if count++; count > 1 {
			return errors.New("the disk is gone")
		}
		return renameNew(from, to)
	})
	if err == nil || !strings.Contains(err.Error(), s.path("backoffice.db")+" is now "+s.path("backoffice.db")+".replaced-") {
		t.Errorf("it ends with %v", err)
	}
}

func TestNoRestoreTakesANameThatSomethingHas(t *testing.T) {
	t.Parallel()
	s, _ := backedUp(t)
	const moment = "20260102T030405Z"
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	stamp := func() string {
		t.Helper()
		p, err := newPlace(s.path("backoffice.db"), s.path("files"))
		if err != nil {
			t.Fatal(err)
		}
		file, err := p.claim(at)
		if err != nil {
			t.Fatal(err)
		}
		defer p.clear()
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		return p.stamp
	}
	if got := stamp(); got != moment {
		t.Errorf("the first has %s", got)
	}
	for i, taken := range []string{"backoffice.db.replaced-", "backoffice.db.restoring-", "files.replaced-", "files.restoring-"} {
		name := moment
		if i > 0 {
			name += fmt.Sprintf("-%d", i+1)
		}
		if err := os.WriteFile(s.path(taken+name), []byte("kept"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, want := stamp(), fmt.Sprintf("%s-%d", moment, i+2); got != want {
			t.Errorf("beside %s%s it has %s", taken, name, got)
		}
	}
	if err := os.WriteFile(s.path("files/.replaced-"+moment+"-5"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := stamp(); got != moment+"-6" {
		t.Errorf("beside a name in the folder it has %s", got)
	}
	for _, rename := range []func(from, to string) error{renameNew, renameUnlessThere} {
		if err := rename(s.path("keyset.json"), s.path("backoffice.db")); !errors.Is(err, os.ErrExist) {
			t.Errorf("a name that is taken gives %v", err)
		}
	}
}

func TestRestoresInOneSecondKeepEveryStoreThatWasThere(t *testing.T) {
	t.Parallel()
	s, backup := backedUp(t)
	s.must(t, "years", "start", "2040", "--force") // what the backup does not have
	kept := regexp.MustCompile(`kept: (\S+backoffice\.db\.replaced-\S+)\n`)
	seen := map[string]bool{}
	var first string
	for range 5 {
		name := kept.FindStringSubmatch(s.must(t, "restore", backup))[1]
		if seen[name] {
			t.Errorf("%s was kept twice", name)
		}
		if seen[name] = true; first == "" {
			first = name
		}
	}
	var listed, errs bytes.Buffer
	args := []string{"--database=sqlite:" + first, "--files=file:" + strings.Replace(first, "backoffice.db", "files", 1), "--keyset=" + s.path("keyset.json"), "changes", "list"}
	if code := run(t.Context(), args, &listed, &errs); code != exitDone || !strings.Contains(listed.String(), "years start") {
		t.Errorf("what was there first is not whole: %s", errs.String())
	}
}

func TestARestoreFollowsLinksToTheDisksWhereTheStoreIs(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	backup, disk := filepath.Join(s.dir, "backup"), t.TempDir()
	s.must(t, "backup", backup)
	for _, name := range []string{"backoffice.db", "files"} {
		if err := errors.Join(os.Rename(s.path(name), filepath.Join(disk, name)), os.Symlink(filepath.Join(disk, name), s.path(name))); err != nil {
			t.Fatal(err)
		}
	}
	s.must(t, "restore", backup)
	for _, name := range []string{"backoffice.db", "files"} {
		if info, err := os.Lstat(s.path(name)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more (%v)", name, err)
		}
		if kept, _ := filepath.Glob(filepath.Join(disk, name+".replaced-*")); len(kept) != 1 {
			t.Errorf("on the disk there are %q", kept)
		}
	}
	s.must(t, "check")
}

func TestARestoreIntoAnEmptyPlaceTellsOfWhatAnInterruptedOneHasLeft(t *testing.T) {
	t.Parallel()
	s, backup := backedUp(t)
	// As a kill leaves it in the middle: what was there is aside, and what was to come is beside.
	left := s.path("backoffice.db.restoring-20260102T030405Z")
	if err := errors.Join(os.Rename(s.path("backoffice.db"), s.path("backoffice.db.replaced-20260102T030405Z")), os.Rename(s.path("files"), s.path("files.replaced-20260102T030405Z")),
		os.WriteFile(left, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if code, _, err := s.run(t, "serve", "--listen=127.0.0.1:0"); code != exitFailure || !strings.Contains(err, left) || !strings.Contains(err, "backoffice restore") {
		t.Errorf("a start ends with %d, %q", code, err)
	}
	if out := s.must(t, "restore", backup); !strings.Contains(out, "interrupted has left this, which is of no use: "+left+"\n") || strings.Contains(out, "kept") {
		t.Errorf("it tells %q", out)
	}
	s.must(t, "check")
}
