package rig

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The test is the command as well, whose folder is to go with it.
func TestMain(m *testing.M) {
	if os.Getenv("BACKOFFICE_RIG_TEST") != "" {
		folder, binary := "", "none"
		if _, err := Ground(&folder, &binary, "rig-test"); err != nil {
			panic(err)
		}
		fmt.Println(folder)
		select {}
	}
	os.Exit(m.Run())
}

func TestTheFolderOfACommandGoesWithItHoweverItEnds(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in := t.TempDir()
	run := func(with syscall.Signal) (folder string) {
		command := exec.Command(self)
		command.Env = append(os.Environ(), "BACKOFFICE_RIG_TEST=1", "TMPDIR="+in)
		out, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fscanln(out, &folder); err != nil || !strings.HasPrefix(folder, in) {
			t.Fatal(folder, err)
		}
		if err := command.Process.Signal(with); err != nil {
			t.Fatal(err)
		}
		_ = command.Wait()
		return folder
	}
	for _, with := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if folder := run(with); exists(folder) {
			t.Errorf("after %v its folder is left", with)
		}
	}
	killed := run(syscall.SIGKILL)
	if !exists(killed) {
		t.Fatal("a command that is killed cannot have removed its folder")
	}
	living := filepath.Join(in, fmt.Sprintf("rig-test-%d-x", os.Getpid()))
	if err := os.Mkdir(living, 0o700); err != nil {
		t.Fatal(err)
	}
	run(syscall.SIGTERM)
	if exists(killed) || !exists(living) {
		t.Errorf("the next command leaves the folder of one that was killed: %v; of one that lives: %v", exists(killed), exists(living))
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
