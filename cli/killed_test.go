//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
)

// process is a command of the program as a process of its own, with a folder for temporary files.
func (s *shell) process(t *testing.T, temp string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, append(s.settings(), args...)...)
	c.Env = append(os.Environ(), "TEST_BACKOFFICE_PROGRAM=1", "TMPDIR="+temp)
	return c
}

// leftIn counts the files of folders, and those that hold a registration number of the test.
func leftIn(folders ...string) (files, numbers int) {
	for _, at := range folders {
		_ = filepath.WalkDir(at, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.Contains(path, "whole") {
				return nil
			}
			files++
			if text, _ := os.ReadFile(path); bytes.Contains(text, []byte("850730")) {
				numbers++
			}
			return nil
		})
	}
	return files, numbers
}

// waitForFiles waits until folders have a file.
func waitForFiles(folders ...string) {
	for range 4000 {
		if files, _ := leftIn(folders...); files > 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestWhatAKilledCommandHeldInClearIsGoneWithTheNext(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	var lines strings.Builder
	for i := range 3_000 {
		number := 850730_001 + i%900
		fmt.Fprintf(&lines, `{"_id":"c-%04d","type":"Private Person","firstName":"An","lastName":"Maes","registrationNumber":"%09d%02d"}`+"\n", i, number, 97-number%97)
	}
	folder, temp, beside := s.folder(t, "customers.ndjson", lines.String()), t.TempDir(), t.TempDir()
	s.must(t, "import", folder)
	start := func(args ...string) *exec.Cmd { return s.process(t, temp, args...) }
	left := func() (files, numbers int) { return leftIn(temp, beside) }
	for name, args := range map[string][]string{
		"dry run": {"import", "--dry-run", folder},
		"export":  {"export", "--registration-numbers", "--purpose", "a test", filepath.Join(beside, "PLACE")},
		"backup":  {"backup", filepath.Join(beside, "PLACE")},
	} {
		at := func(place string) (placed []string) {
			for _, arg := range args {
				placed = append(placed, strings.Replace(arg, "PLACE", place+strings.ReplaceAll(name, " ", ""), 1))
			}
			return placed
		}
		killed := start(at("killed")...)
		if err := killed.Start(); err != nil {
			t.Fatal(err)
		}
		waitForFiles(temp, beside)
		_ = killed.Process.Kill()
		_ = killed.Wait()
		if files, _ := left(); files == 0 {
			t.Errorf("%s: nothing was left by the killed one, so that nothing is tried", name)
		}
		if out, err := start(at("whole")...).CombinedOutput(); err != nil {
			t.Fatalf("%s: the next one ends with %v: %s", name, err, out)
		}
		if files, numbers := left(); files > 0 || numbers > 0 {
			t.Errorf("%s: %d files are left, %d of them with registration numbers in clear", name, files, numbers)
		}
	}
}

func TestAKilledImportOfAWorkbookAndAKilledPullLeaveNoNumberInClear(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	rows := [][]any{{"_id", "type", "firstName", "lastName", "registrationNumber"}}
	var lines, documents strings.Builder
	folder := t.TempDir()
	for i := range 3_000 {
		number := 850730_001 + i%900
		text := fmt.Sprintf("%09d%02d", number, 97-number%97)
		rows = append(rows, []any{fmt.Sprintf("c-%04d", i), "Private Person", "An", "Maes", text})
		fmt.Fprintf(&lines, `{"_id":"c-%04d","type":"Private Person","firstName":"An","lastName":"Maes","registrationNumber":%q}`+"\n", i, text)
		if i < 300 {
			fmt.Fprintf(&documents, `{"_id":"d-%04d","name":"card.txt","customer":"c-%04d","file":"card-%d.txt"}`+"\n", i, i, i)
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("card-%d.txt", i)), []byte("card of "+text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, row := range rows {
		if err := book.SetSheetRow("Sheet1", fmt.Sprint("A", i+1), &row); err != nil {
			t.Fatal(err)
		}
	}
	sheets := t.TempDir()
	if err := book.SaveAs(filepath.Join(sheets, "customers.xlsx")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"customers.ndjson": lines.String(), "documents.ndjson": documents.String()} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	of := newShell(t)
	of.must(t, "import", folder)
	id, secret := of.credential(t, "privacy.read")
	serving := of.start(t, exec.Command("env"))
	for name, args := range map[string][]string{
		"import": {"import", sheets},
		"pull": {"pull", "--from", "http://" + serving.address, "--client-id", id, "--client-secret-file", secret,
			"--registration-numbers", "--purpose", "a test"},
	} {
		s, temp, tried := newShell(t), t.TempDir(), 0
		for _, after := range []int{0, 0, 0, 200, 500, 900, 1400} {
			killed := s.process(t, temp, args...)
			if err := killed.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(after) * time.Millisecond)
			if after == 0 && name == "pull" {
				waitForFiles(temp)
			}
			_ = killed.Process.Kill()
			_ = killed.Wait()
			files, _ := leftIn(temp)
			tried += files
		}
		if tried == 0 && name == "pull" {
			t.Error("nothing was left by the killed pulls, so that nothing is tried")
		}
		if out, err := s.process(t, temp, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: the next one ends with %v: %s", name, err, out)
		}
		if files, _ := leftIn(temp); files > 0 {
			t.Errorf("%s: %d temporary files are left", name, files)
		}
		for _, suffix := range []string{"", "-wal"} {
			if text, _ := os.ReadFile(s.path("backoffice.db" + suffix)); bytes.Contains(text, []byte("850730")) {
				t.Errorf("%s: a number is in clear in the database%s", name, suffix)
			}
		}
	}
}
