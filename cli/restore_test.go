package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/files/s3test"
	"example.org/backoffice/gateway"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

func (s *shell) path(name string) string { return filepath.Join(s.dir, "data", name) }

// crash leaves the store as a killed process does: with a log that was not written back.
func (s *shell) crash(t *testing.T) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), "sqlite:"+s.path("backoffice.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.must(t, "years", "start", "2040", "--force")
	left := map[string][]byte{}
	for _, suffix := range []string{"", "-wal"} {
		if left[suffix], err = os.ReadFile(s.path("backoffice.db" + suffix)); err != nil || len(left[suffix]) == 0 {
			t.Fatal("no log is left", err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for suffix, content := range left {
		if err := os.WriteFile(s.path("backoffice.db"+suffix), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func exported(t *testing.T, s *shell) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "export")
	s.must(t, "export", folder)
	var all bytes.Buffer
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			content, _ := os.ReadFile(path)
			all.WriteString(filepath.Base(path) + "\n")
			all.Write(content)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// history is the name of the history of the store's change log.
func history(t *testing.T, s *shell) string {
	t.Helper()
	of := gateway.Settings{Database: cmp.Or(s.database, "sqlite:"+s.path("backoffice.db")), Statement: time.Minute}
	store, err := of.OpenRecords(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	page, err := backoffice.ReadChangePage(t.Context(), store, backoffice.ChangeQuery{After: backoffice.FromOldest})
	if err != nil {
		t.Fatal(err)
	}
	return page.History
}

func TestARestoreAfterACrashGivesTheBackupAndKeepsWhatWasThere(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	before := exported(t, s)
	backup := filepath.Join(s.dir, "backup")
	lost := history(t, s)
	s.must(t, "backup", backup)
	s.crash(t)
	out := s.must(t, "restore", backup)
	if after := exported(t, s); after != before {
		t.Error("what was restored is not what was backed up")
	}
	if out := s.must(t, "check"); !strings.HasPrefix(out, "All is whole") {
		t.Errorf("check tells %q", out)
	}
	if history(t, s) == lost {
		t.Error("the change log is told as that of before, whose last entries are gone")
	}
	kept := regexp.MustCompile(`kept: (\S+backoffice\.db\.replaced-\S+Z)\n`).FindStringSubmatch(out)
	if kept == nil {
		t.Fatalf("it tells %q", out)
	}
	// The replaced pair is as it was left, log and all.
	replaced := []string{"--database=sqlite:" + kept[1], "--files=file:" + strings.Replace(kept[1], "backoffice.db", "files", 1), "--keyset=" + s.path("keyset.json")}
	var listed, errs bytes.Buffer
	if code := run(t.Context(), append(replaced, "changes", "list"), &listed, &errs); code != exitDone || !strings.Contains(listed.String(), "years start") {
		t.Errorf("the replaced store ends with %d, %s", code, errs.String())
	}
	if code := run(t.Context(), append(replaced, "check"), &listed, &errs); code != exitDone {
		t.Errorf("the replaced pair is not whole: %s", errs.String())
	}
}

func TestABackupThatIsPutBesideTheLogOfACrashByHandIsRefused(t *testing.T) {
	t.Parallel()
	s, backup := backedUp(t)
	s.crash(t)
	copied, err := os.ReadFile(filepath.Join(backup, "backoffice.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.path("backoffice.db"), copied, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"serve", "check", "migrate"} {
		args := []string{command}
		if command == "serve" {
			args = append(args, "--listen=127.0.0.1:0")
		}
		if code, _, err := s.run(t, args...); code != exitFailure || !strings.Contains(err, "backoffice restore") {
			t.Errorf("%s ends with %d, %q", command, code, err)
		}
	}
	if now, err := os.ReadFile(s.path("backoffice.db")); err != nil || !bytes.Equal(now, copied) {
		t.Errorf("the file was touched (%v)", err)
	}
}

func TestARestoreWithoutTheKeysetSaysThatTheNextStartWantsIt(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	backup := filepath.Join(s.dir, "backup")
	s.must(t, "backup", backup)
	if _, _, said := s.run(t, "restore", backup); strings.Contains(said, "no keyset") {
		t.Error("with its keyset it says", said)
	}
	if err := os.Remove(s.path("keyset.json")); err != nil {
		t.Fatal(err)
	}
	if code, _, said := s.run(t, "restore", backup); code != exitDone || !strings.Contains(said, "There is no keyset at "+s.path("keyset.json")) {
		t.Errorf("it ends with %d and says %q", code, said)
	}
}

func TestTheRegisterOfARestoredStoreSaysWhichEntriesAreLost(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	read := func(folder string) {
		t.Helper()
		s.must(t, "export", filepath.Join(s.dir, folder), "--registration-numbers", "--purpose", "a test")
	}
	backup := filepath.Join(s.dir, "backup")
	s.must(t, "backup", backup)
	for range 2 { // of a register without entries, and of one that has the entry of a restore
		read("lost" + filepath.Base(t.TempDir()))
		s.must(t, "restore", backup)
	}
	read("kept")
	out := s.must(t, "consultations", "verify")
	if strings.Count(out, "The store was restored at ") != 1 || !strings.Contains(out, "The register is whole") {
		t.Errorf("verify says %q", out)
	}
	s.must(t, "backup", backup+"2")
	read("lost")
	s.must(t, "restore", backup+"2")
	lost := regexp.MustCompile(`entries from 2\S+ to 2\S+Z are lost`)
	customer := strings.Split(strings.TrimSpace(s.must(t, "consultations", "list", "--format", "csv")), "\n")
	for _, command := range [][]string{{"verify"}, {"report", strings.Split(customer[len(customer)-2], ",")[6]}} {
		if out := s.must(t, append([]string{"consultations"}, command...)...); len(lost.FindAllString(out, -1)) != 1 {
			t.Errorf("%s says %q", command[0], out)
		}
	}
	if out := s.must(t, "check"); !strings.HasPrefix(out, "All is whole") || len(lost.FindAllString(out, -1)) != 1 {
		t.Errorf("check says %q", out)
	}
}

func TestARestoreIsRefusedWhenItCouldDoHarm(t *testing.T) {
	t.Parallel()
	s, other := newShell(t), newShell(t)
	s.must(t, "import", "../testdata/office")
	other.must(t, "import", "../testdata/office")
	backup, foreign := filepath.Join(s.dir, "backup"), filepath.Join(other.dir, "backup")
	s.must(t, "backup", backup)
	other.must(t, "backup", foreign)
	open, err := sqlite.Open(t.Context(), "sqlite:"+s.path("backoffice.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	refuse := func(folder, why string) {
		t.Helper()
		if code, out, err := s.run(t, "restore", folder); code != exitFailure || out != "" || !strings.Contains(err, why) {
			t.Errorf("it ends with %d, %q and %q, want %q", code, out, err, why)
		}
	}
	refuse(backup, "stop it")
	if err := open.Close(); err != nil {
		t.Fatal(err)
	}
	refuse(t.TempDir(), "is no backup")
	refuse(foreign, "keyset")
	stored := filepath.Join(backup, "files")
	if err := os.Rename(stored, stored+".away"); err != nil {
		t.Fatal(err)
	}
	refuse(backup, "is no whole backup")
	if err := os.Rename(stored+".away", stored); err != nil {
		t.Fatal(err)
	}
	sqlitetest.DamagePages(t, filepath.Join(backup, "backoffice.db"))
	refuse(backup, "damaged")
	if entries, _ := os.ReadDir(filepath.Join(s.dir, "data")); len(entries) != 3 {
		t.Errorf("left is %v", entries)
	}
	s.must(t, "check")
}

func TestABackupOfADamagedStoreFails(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	sqlitetest.DamagePages(t, s.path("backoffice.db"))
	backup := filepath.Join(s.dir, "backup")
	if code, out, err := s.run(t, "backup", backup); code != exitFailure || out != "" || !strings.Contains(err, "damaged") {
		t.Errorf("it ends with %d, %q and %q", code, out, err)
	}
	if _, err := os.Stat(backup); err == nil {
		t.Error("it left a backup")
	}
	if code, _, _ := s.run(t, "check"); code != exitFailure {
		t.Errorf("check ends with %d", code)
	}
}

func TestABackupGoesOnOverAMissingFileAndNamesIt(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	var keys []string
	for _, name := range s.storedFiles(t) {
		if !strings.HasPrefix(name, ".") {
			keys = append(keys, name)
		}
	}
	if err := os.Remove(filepath.Join(s.dir, "data", "files", keys[0])); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "data", "files", keys[1]), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(s.dir, "backup")
	code, out, err := s.run(t, "backup", backup)
	if code != exitPartial || !strings.Contains(out, "holds the store") || strings.Count(err, "is missing\n") != 1 || strings.Count(err, "is damaged") != 1 {
		t.Errorf("it ends with %d, %q and %q", code, out, err)
	}
	if code, out, err := s.run(t, "check"); code != exitFailure || strings.Count(out, "files: the file of the ") != 2 || !strings.Contains(err, "2 problems") {
		t.Errorf("check ends with %d, %q and %q", code, out, err)
	}
	if !strings.Contains(out, fmt.Sprintf(" and %d files.", len(keys)-2)) {
		t.Errorf("of %d it tells %q", len(keys), out)
	}
	now := everything(t, s.path(""))
	if code, out, err := s.run(t, "restore", backup); code != exitFailure || out != "" || !strings.Contains(err, fmt.Sprintf("2 of the backup's %d stored files are missing or damaged, and nothing was replaced", len(keys))) {
		t.Errorf("restore ends with %d, %q, %q", code, out, err)
	}
	if changed := differences(now, everything(t, s.path(""))); len(changed) > 0 {
		t.Errorf("a restore that was refused has changed %q", changed)
	}
	if code, out, err := s.run(t, "restore", "--incomplete", backup); code != exitPartial || !strings.Contains(out, fmt.Sprintf(" and %d files.", len(keys)-2)) || strings.Count(err, "is missing\n")+strings.Count(err, "is damaged") != 2 {
		t.Errorf("restore ends with %d, %q, %q", code, out, err)
	}
	if folder, err := files.OpenFolder(filepath.Join(backup, "files")); err == nil {
		defer folder.Close()
		if owner, err := folder.Owner(t.Context()); err != nil || owner == "" {
			t.Errorf("the backup's files belong to %q (%v)", owner, err)
		}
	}
}

func TestARestoreIntoABucketReplacesADamagedFileThere(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	bucket := s3test.Start(t, "office").URL("")
	of := "--files=" + bucket
	s.must(t, of, "import", "../testdata/office")
	backup := filepath.Join(s.dir, "backup")
	s.must(t, of, "backup", backup)
	stored, err := files.Open(t.Context(), bucket)
	if err != nil {
		t.Fatal(err)
	}
	defer stored.Close()
	var keys []string
	if err := stored.List(t.Context(), "", func(key string) error { keys = append(keys, key); return nil }); err != nil || len(keys) == 0 {
		t.Fatal(keys, err)
	}
	if _, err := stored.Put(t.Context(), keys[0], strings.NewReader("damaged"), ""); err != nil {
		t.Fatal(err)
	}
	if code, out, err := s.run(t, of, "check"); code != exitFailure || !strings.Contains(out, "is damaged") {
		t.Fatalf("check ends with %d, %q, %q", code, out, err)
	}
	s.must(t, of, "restore", backup)
	s.must(t, of, "check")
}

func TestACheckNoticesACounterThatIsWrong(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	sqlitetest.Execute(t, s.path("backoffice.db"), "UPDATE row_counts SET n = n + 1 WHERE noun = 'customer'")
	if code, out, _ := s.run(t, "check"); code != exitFailure || !strings.Contains(out, "counters: the count of customers is 8, but there are 7") {
		t.Errorf("check ends with %d, %q", code, out)
	}
}

// executeSQL runs statements on a database beside the program.

func TestACopyOfACrashedStoreIsRestoredOnlyWithWhatItsLogHolds(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	s.crash(t)
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(filepath.Join(s.dir, "data"))); err != nil {
		t.Fatal(err)
	}
	for folder, why := range map[string]string{copied: "run backoffice check on the copy", filepath.Join(s.dir, "data"): "is the store itself"} {
		if code, _, err := s.run(t, "restore", folder); code != exitFailure || !strings.Contains(err, why) {
			t.Errorf("it ends with %d and %q, want %q", code, err, why)
		}
	}
	var out, errs bytes.Buffer
	of := []string{"--database=sqlite:" + filepath.Join(copied, "backoffice.db"), "--files=file:" + filepath.Join(copied, "files"), "--keyset=" + s.path("keyset.json")}
	if code := run(t.Context(), append(of, "check"), &out, &errs); code != exitDone {
		t.Fatalf("check of the copy ends with %d, %s", code, errs.String())
	}
	s.must(t, "restore", copied)
	if got := exported(t, s); !strings.Contains(got, `"2040"`) {
		t.Errorf("what the log held is lost: %s", got)
	}
}
