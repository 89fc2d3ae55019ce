package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"golang.org/x/sys/unix"
)

func readOnly(t *testing.T, folder string) {
	t.Helper()
	err := unix.Mount(folder, folder, "", unix.MS_BIND, "")
	if err == nil {
		t.Cleanup(func() { _ = unix.Unmount(folder, 0) })
		err = unix.Mount("", folder, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, "")
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestARestoreExchangesTheFilesWithinADiskThatIsMountedForThem(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	if err := os.MkdirAll(s.path("files"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("backoffice", s.path("files"), "tmpfs", 0, "size=16m"); err != nil {
		t.Skipf("disks cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(s.path("files"), 0); err != nil {
			t.Error(err)
		}
	})
	s.must(t, "import", "../testdata/office")
	before := exported(t, s)
	backup := filepath.Join(s.dir, "backup")
	s.must(t, "backup", backup)
	readOnly(t, backup)
	s.must(t, "years", "start", "2040", "--force")
	out := s.must(t, "restore", backup)
	kept := regexp.MustCompile(`kept: (\S+/files/\.replaced-\S+)\n`).FindStringSubmatch(out)
	if kept == nil {
		t.Fatalf("it tells %q", out)
	}
	if exported(t, s) != before {
		t.Error("what was restored is not what was backed up")
	}
	s.must(t, "check")
	s.must(t, "files", "sweep")
	database, _ := filepath.Glob(s.path("backoffice.db.replaced-*"))
	var outs, errs screen
	if code := run(t.Context(), []string{"--database=sqlite:" + database[0], "--files=file:" + kept[1], "--keyset=" + s.path("keyset.json"), "check"}, &outs, &errs); code != exitDone {
		t.Errorf("the replaced pair is not whole: %s", errs.String())
	}
	if left, _ := filepath.Glob(s.path("files/.restoring-*")); len(left) > 0 {
		t.Errorf("left is %q", left)
	}
}
