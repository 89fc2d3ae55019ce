package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"example.org/backoffice/scripts/rig"
)

// The clock of a machine is everybody's on it, a time namespace has none of its own for the time of day, and a library
// that is loaded before others does not reach a program in Go, which asks the kernel itself. So the gateway whose
// clock is another's is the same program, built with a time.Now that adds what the environment says. Nothing else of
// it differs, and what is shipped has nothing of it.

// clockVariable says by how much the clock of a program that buildWithClock built is ahead.
const clockVariable = "BACKOFFICE_CHAOS_CLOCK"

const (
	nowText     = "\tsec, nsec, mono := runtimeNow()\n\tif mono == 0 {"
	aheadText   = "\tsec, nsec, mono := runtimeNow()\n\tsec += ahead\n\tif mono == 0 {"
	aheadSource = `package time

import "syscall"

// ahead is by how many seconds the clock is ahead of the machine's.
var ahead = func() int64 {
	text, _ := syscall.Getenv("` + clockVariable + `")
	by, _ := ParseDuration(text)
	return int64(by / Second)
}()
`
)

// buildWithClock builds the program with a clock that can be set.
func buildWithClock(folder, binary string) error {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	library := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	source, err := os.ReadFile(filepath.Join(library, "time.go"))
	if err != nil {
		return err
	}
	if strings.Count(string(source), nowText) != 1 {
		return errors.New("this version of Go reads the clock otherwise: see clock.go")
	}
	return rig.BuildReplacing(binary, folder, map[string]string{
		filepath.Join(library, "time.go"):  strings.Replace(string(source), nowText, aheadText, 1),
		filepath.Join(library, "ahead.go"): aheadSource,
	})
}

// apart lets a second gateway serve, whose clock is another.
func apart(by time.Duration) func(*stand) error {
	return func(s *stand) error {
		office := *s.office
		office.Binary = s.withClock
		if err := s.second.Start(&office, []string{clockVariable + "=" + by.String()}); err != nil {
			return err
		}
		if _, err := s.second.Ready(time.Minute); err != nil {
			return err
		}
		s.both.Store(true)
		time.Sleep(3 * time.Second)
		s.both.Store(false)
		time.Sleep(200 * time.Millisecond) // until what it was asked is answered
		return s.second.Stop(20 * time.Second)
	}
}
