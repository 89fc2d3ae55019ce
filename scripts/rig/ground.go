package rig

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Ground makes the folder in which a command keeps everything, and builds the program into it, where the two are empty. release removes a
// folder that was made here under a temporary name.
func Ground(folder, binary *string, pattern string) (release func(), err error) {
	release = func() {}
	if *folder == "" {
		if *folder, err = os.MkdirTemp("", pattern); err != nil {
			return release, err
		}
		release = func() { _ = os.RemoveAll(*folder) }
	}
	if err := os.MkdirAll(*folder, 0o700); err != nil {
		return release, err
	}
	if err := os.Chmod(*folder, 0o755); err != nil { //nolint:gosec // PostgreSQL runs as another user below it
		return release, err
	}
	if *binary == "" {
		*binary = filepath.Join(*folder, "backoffice")
		if out, err := exec.Command("go", "build", "-o", *binary, ".").CombinedOutput(); err != nil {
			return release, fmt.Errorf("building the server: %w\n%s", err, out)
		}
	}
	return release, nil
}
