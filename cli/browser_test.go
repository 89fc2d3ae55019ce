//go:build linux

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestADemoOpensTheBrowserAtThePageAndGivesItNoSecret(t *testing.T) {
	t.Parallel()
	s, bin := newShell(t), t.TempDir()
	opened := filepath.Join(bin, "opened")
	script := "#!/bin/sh\necho \"$@\" > " + opened + ".part && mv " + opened + ".part " + opened + "\n"
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), self, append(s.settings(), "demo", "--open", "--listen=127.0.0.1:0", "--metrics=", "--customers=5")...)
	command.Env = append(os.Environ(), "TEST_BACKOFFICE_PROGRAM=1", "PATH="+bin+":"+os.Getenv("PATH"))
	out := &screen{}
	command.Stdout = out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = command.Process.Kill(); _ = command.Wait() }()
	for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		address, err := os.ReadFile(opened)
		if err == nil && strings.Contains(out.String(), "GraphiQL: "+strings.TrimSpace(string(address))+"\n") {
			if strings.Contains(string(address), "client") {
				t.Errorf("%s is opened", address)
			}
			return
		}
		if time.Now().After(until) {
			t.Fatalf("%q is opened, and printed is %s", address, out.String())
		}
	}
}
