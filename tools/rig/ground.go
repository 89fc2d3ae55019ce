package rig

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Ground makes the folder in which a command keeps everything, and builds the program into it, where the two are
// empty. release removes a folder that was made here under a temporary name; so does a signal that ends the command,
// and, after one that was killed, the next command of its name.
func Ground(folder, binary *string, name string) (release func(), err error) {
	release = func() {}
	if *folder == "" {
		sweep(os.TempDir(), name)
		if *folder, err = os.MkdirTemp("", fmt.Sprintf("%s-%d-", name, os.Getpid())); err != nil {
			return release, err
		}
		release = removing(*folder)
	}
	if err := os.MkdirAll(*folder, 0o700); err != nil {
		return release, err
	}
	if err := os.Chmod(*folder, 0o755); err != nil { //nolint:gosec // PostgreSQL runs as another user below it
		return release, err
	}
	if *binary == "" {
		*binary = filepath.Join(*folder, "backoffice")
		if err := Build(*binary); err != nil {
			return release, err
		}
	}
	return release, nil
}

// Root is the folder of the program's module.
func Root() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "example.org/backoffice").Output()
	return strings.TrimSpace(string(out)), err
}

// Build builds the program in its own module, not as a dependency of the tools.
func Build(binary string, flags ...string) error {
	root, err := Root()
	if err != nil {
		return err
	}
	if binary, err = filepath.Abs(binary); err != nil {
		return err
	}
	build := exec.Command("go", append(append([]string{"build", "-C", root}, flags...), "-o", binary, ".")...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as a release is
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the program: %w\n%s", err, out)
	}
	return nil
}

// BuildReplacing builds the program with files in place of those at their paths, there or not. It keeps them in a
// folder.
func BuildReplacing(binary, folder string, files map[string]string) error {
	overlay, err := Replacing(folder, files)
	if err != nil {
		return err
	}
	return Build(binary, "-overlay", overlay)
}

// Replacing writes what go build's flag -overlay asks for, and returns where.
func Replacing(folder string, files map[string]string) (overlay string, err error) {
	folder, err = filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	replaced := map[string]string{}
	for path, text := range files {
		replaced[path] = filepath.Join(folder, "replaced-"+filepath.Base(path))
		if err := os.WriteFile(replaced[path], []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	content, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return "", err
	}
	return path, nil
}

// removing removes a folder once, when it is called or a signal ends the command.
func removing(folder string) func() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	remove := sync.OnceFunc(func() {
		signal.Stop(signals)
		_ = removeAll(folder)
	})
	go func() {
		if with, ok := (<-signals).(syscall.Signal); ok {
			endChildren()
			remove()
			os.Exit(128 + int(with))
		}
	}()
	return remove
}

// endChildren ends what was started, which would go on writing into the folder.
func endChildren() {
	var children []byte
	threads, _ := filepath.Glob("/proc/self/task/*/children")
	for _, thread := range threads { // each has those that it started
		of, _ := os.ReadFile(thread)
		children = append(append(children, ' '), of...)
	}
	for _, child := range strings.Fields(string(children)) {
		if pid, err := strconv.Atoi(child); err == nil {
			_ = syscall.Kill(pid, syscall.SIGCONT)
			_ = syscall.Kill(pid, syscall.SIGQUIT) // PostgreSQL ends its own children by it
		}
	}
}

// removeAll removes a folder into which what is just ending may still write.
func removeAll(folder string) (err error) {
	for range 50 {
		if err = os.RemoveAll(folder); err == nil || !errors.Is(err, syscall.ENOTEMPTY) {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

// sweep removes the folders of commands of a name that are no more.
func sweep(in, name string) {
	left, _ := filepath.Glob(filepath.Join(in, name+"-*-*"))
	for _, folder := range left {
		of, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(folder), name+"-"), "-")
		pid, err := strconv.Atoi(of)
		if err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = removeAll(folder)
		}
	}
}
