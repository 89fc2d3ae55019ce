//go:build unix

package files_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/backoffice/files"
)

// TestMain is also the program of TestWhatAKilledRunLeavesIsRemovedAndNamed, which needs processes with a temporary
// folder of theirs.
func TestMain(m *testing.M) {
	switch os.Getenv("BACKOFFICE_TEMP_TEST") {
	case "hold":
		path, _, err := files.NewTemp()
		if err == nil {
			err = os.WriteFile(filepath.Join(path, "backoffice.db"), []byte("numbers"), 0o600)
		}
		fmt.Println(path, err)
		_, _ = os.Stdin.Read(make([]byte, 1))
	case "clear":
		files.ClearTemp()
	default:
		os.Exit(m.Run())
	}
}

func TestWhatAKilledRunLeavesIsRemovedAndNamed(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	start := func(what string) *exec.Cmd {
		program := exec.CommandContext(t.Context(), os.Args[0])
		program.Env = append(os.Environ(), "TMPDIR="+temp, "BACKOFFICE_TEMP_TEST="+what)
		return program
	}
	hold := func() (path string, kill func()) {
		program := start("hold")
		in, err := program.StdinPipe() // open for as long as it runs
		if err != nil {
			t.Fatal(err)
		}
		out, err := program.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(out).ReadString('\n')
		path, failed, _ := strings.Cut(strings.TrimSpace(line), " ")
		if failed != "<nil>" {
			t.Fatal(line)
		}
		return path, func() {
			_ = program.Process.Kill()
			_ = program.Wait()
			_ = in.Close()
		}
	}
	killed, kill := hold()
	kill()
	living, end := hold() // names and removes what the other has left
	defer end()
	if _, err := os.Stat(killed); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", killed, err)
	}
	said, err := start("clear").CombinedOutput()
	if err != nil || len(said) > 0 {
		t.Errorf("%v %s", err, said)
	}
	if content, err := os.ReadFile(filepath.Join(living, "backoffice.db")); err != nil || string(content) != "numbers" {
		t.Errorf("a living run lost its folder: %v", err)
	}
	end()
	said, err = start("clear").CombinedOutput()
	if err != nil || !strings.Contains(string(said), living) {
		t.Errorf("%v %s", err, said)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("%v is left: %v", left, err)
	}
}
