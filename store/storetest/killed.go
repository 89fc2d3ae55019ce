package storetest

import (
	"bufio"
	"os"
	"os/exec"
	"testing"
)

// UntilKilled is in the environment of a test binary that is started to write: the database that it writes to until it
// is killed.
const UntilKilled = "WRITE_UNTIL_KILLED"

// Kill starts this test binary as a program that writes to a database and says what was acknowledged, a line each. It
// hands the lines over, kills the program after so many, and hands over what it said before that.
func Kill(t testing.TB, database string, lines int, said func(pid int, line string)) {
	t.Helper()
	program := exec.CommandContext(t.Context(), os.Args[0])
	program.Env = append(os.Environ(), UntilKilled+"="+database)
	output, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	acknowledged := bufio.NewScanner(output)
	for range lines {
		if !acknowledged.Scan() {
			t.Fatal("the writer ended by itself")
		}
		said(program.Process.Pid, acknowledged.Text())
	}
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for acknowledged.Scan() {
		said(program.Process.Pid, acknowledged.Text())
	}
	_ = program.Wait()
}
