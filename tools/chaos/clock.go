package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"example.org/backoffice/tools/rig"
)

// The clock of a machine is everybody's on it, a time namespace has none of its own for the time of day, and a library
// that is loaded before others does not reach a program in Go, which asks the kernel itself. So the gateway whose
// clock is another's is the same program, linked with a time.Now that adds what the environment says. Nothing else of
// it differs, and what is shipped has nothing of it.

// clockVariable says by how much the clock of a program that buildWithClock built is ahead.
const clockVariable = "BACKOFFICE_CHAOS_CLOCK"

// aheadEdits keep the lines of time.go and declare nothing, so that all other packages fit to what they give.
var aheadEdits = [][2]string{
	{"import (\n", "import ( \"syscall\"\n"},
	{"runtimeNow()\n\tif mono == 0 {", "runtimeNow(); if text, is := syscall.Getenv(\"" + clockVariable +
		"\"); is { by, _ := ParseDuration(text); sec += int64(by / Second) }\n\tif mono == 0 {"},
}

// buildWithClock builds the program with a clock that can be set. Only package time is compiled: a build would compile
// all that stands on it again, which is nearly everything.
func buildWithClock(folder, binary string) error {
	root, err := rig.Root()
	if err != nil {
		return err
	}
	said, err := output("go", "list", "-C", root, "-trimpath", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}={{.Dir}}", "example.org/backoffice")
	if err != nil {
		return err
	}
	compiled := filepath.Join(folder, "time.a")
	var packages strings.Builder
	var program, library string
	for line := range strings.Lines(said) {
		parts := strings.SplitN(strings.TrimSpace(line), "=", 3)
		switch path := parts[0]; path {
		case "example.org/backoffice":
			program = parts[1]
		case "time":
			parts[1], library = compiled, filepath.Join(parts[2], "time.go")
		}
		if parts[1] != "" {
			packages.WriteString("packagefile " + parts[0] + "=" + parts[1] + "\n")
		}
	}
	source, err := os.ReadFile(library)
	if err != nil {
		return err
	}
	for _, edit := range aheadEdits {
		if strings.Count(string(source), edit[0]) != 1 {
			return errors.New("this version of Go reads the clock otherwise: see clock.go")
		}
		source = []byte(strings.Replace(string(source), edit[0], edit[1], 1))
	}
	overlay, err := rig.Replacing(folder, map[string]string{library: string(source)})
	if err != nil {
		return err
	}
	if _, err := output("go", "build", "-trimpath", "-overlay", overlay, "-o", compiled, "time"); err != nil {
		return err
	}
	list := filepath.Join(folder, "packages")
	if err := os.WriteFile(list, []byte(packages.String()), 0o600); err != nil {
		return err
	}
	_, err = output("go", "tool", "link", "-importcfg", list, "-o", binary, program)
	return err
}

// output runs a command of Go's to its end.
func output(name string, arguments ...string) (string, error) {
	command := exec.Command(name, arguments...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0") // as a release is
	var problems strings.Builder
	command.Stderr = &problems
	said, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", command, err, problems.String())
	}
	return string(said), nil
}

// apart lets a second gateway serve, whose clock is another.
func apart(by time.Duration) func(*environment) error {
	return func(s *environment) error {
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
