package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	_ "example.org/backoffice/store/sqlite" // the driver
	"example.org/backoffice/store/storetest"
)

// office is what an operator has: the files of an archive in a root of their own, with no other program, library or
// file of the system, as in the image.
type office struct {
	root, address string
	command       []string // of the server
	settings      []string
	server        *exec.Cmd
	credential    [2]string
}

const (
	officeHome  = "/var/lib/backoffice"
	officeStore = officeHome + "/data/backoffice.db"
)

// installed unpacks an archive as its README says.
func installed(t *testing.T, files map[string]file) *office {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := &office{root: t.TempDir(), address: listener.Addr().String()}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	start := regexp.MustCompile(`(?m)^ExecStart=(.*)$`).FindSubmatch(files["deploy/backoffice.service"].content)
	o.command = strings.Fields(string(start[1]))
	o.put(t, o.command[0], files["backoffice"].content)
	o.settings = append(settingsOf(files["deploy/backoffice.env"].content), "BACKOFFICE_LISTEN="+o.address)
	for _, folder := range []string{officeHome, "/tmp", "/backups"} {
		if err := os.MkdirAll(o.at(folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { o.stop(t) })
	return o
}

func settingsOf(file []byte) (settings []string) {
	for line := range strings.Lines(string(file)) {
		if strings.HasPrefix(line, "BACKOFFICE_") {
			settings = append(settings, strings.TrimSpace(line))
		}
	}
	return settings
}

// at is where a path of the office is on this machine.
func (o *office) at(path string) string { return filepath.Join(o.root, path) }

func (o *office) put(t *testing.T, path string, content []byte) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(o.at(path)), 0o700)
	if err == nil {
		err = os.WriteFile(o.at(path), content, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// alone is a command that finds nothing but the office.
func (o *office) alone(args ...string) *exec.Cmd {
	command := exec.Command(o.command[0], args...)
	command.Dir, command.Env = officeHome, o.settings
	command.SysProcAttr = &syscall.SysProcAttr{Chroot: o.root}
	if os.Geteuid() != 0 {
		mapped := func(id int) []syscall.SysProcIDMap { return []syscall.SysProcIDMap{{HostID: id, Size: 1}} }
		command.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		command.SysProcAttr.UidMappings, command.SysProcAttr.GidMappings = mapped(os.Getuid()), mapped(os.Getgid())
	}
	return command
}

func (o *office) run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := o.alone(args...).CombinedOutput()
	if err != nil {
		t.Fatalf("backoffice %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	if said := regexp.MustCompile(`x-client-id: +(\S+)\nx-client-secret: (\S+)`).FindSubmatch(out); said != nil {
		o.credential = [2]string{string(said[1]), string(said[2])}
	}
	return string(out)
}

// start starts the server as its unit does, and waits until the README's URL answers.
func (o *office) start(t *testing.T) {
	t.Helper()
	var log bytes.Buffer
	o.server = o.alone(o.command[1:]...)
	o.server.Stdout, o.server.Stderr = &log, &log
	if err := o.server.Start(); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		answer, err := http.Get("http://" + o.address + "/readyz") //nolint:noctx // it is waited for a minute
		if err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK {
			return
		}
		if time.Now().After(until) {
			o.stop(t)
			t.Fatalf("the server is not ready: %v\n%s", err, &log)
		}
	}
}

func (o *office) stop(t *testing.T) {
	t.Helper()
	if o.server == nil {
		return
	}
	_ = o.server.Process.Signal(syscall.SIGTERM)
	if err := o.server.Wait(); err != nil {
		t.Errorf("the server: %v", err)
	}
	o.server = nil
}

// customers counts those that a frontend app is told of.
func (o *office) customers(t *testing.T) (count int) {
	t.Helper()
	query := strings.NewReader(`{"query": "{ customers { totalCount } }"}`)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+o.address+"/graphql", query)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"Content-Type": {"application/json"}, "X-Client-Id": {o.credential[0]}, "X-Client-Secret": {o.credential[1]}}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	var told struct {
		Data struct{ Customers *struct{ TotalCount int } }
	}
	if err != nil || json.Unmarshal(body, &told) != nil || told.Data.Customers == nil {
		t.Fatalf("%s %v", body, err)
	}
	return told.Data.Customers.TotalCount
}

// commandsOf are the commands under a heading of a page, as the README's function office takes them.
func commandsOf(t *testing.T, page []byte, heading string) (commands [][]string) {
	t.Helper()
	_, section, _ := strings.Cut(string(page), "\n## "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		line, _, _ = strings.Cut(line, " #")
		if words := strings.Fields(line); len(words) > 1 && (words[0] == "office" || strings.Contains(line, "systemctl")) {
			commands = append(commands, words)
		}
	}
	if len(commands) == 0 {
		t.Fatalf("%s has no commands", heading)
	}
	return commands
}

// works takes an office through its README, from the archive alone: installed, filled, served, backed up and restored.
func works(t *testing.T, files map[string]file) {
	t.Helper()
	o := installed(t, files)
	if err := os.CopyFS(o.at("/srv/data"), os.DirFS("../../testdata/office")); err != nil {
		t.Fatal(err)
	}
	for _, words := range commandsOf(t, files["README.md"].content, "First start") {
		if words[0] == "office" {
			o.run(t, words[1:]...)
		} else {
			o.start(t)
		}
	}
	lines, err := os.ReadFile("../../testdata/office/customers.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	imported := bytes.Count(lines, []byte("\n"))
	if got := o.customers(t); got != imported {
		t.Errorf("%d customers, and %d were imported", got, imported)
	}
	for _, words := range commandsOf(t, files["README.md"].content, "Back up, restore, upgrade") {
		if words[1] == "restore" {
			o.put(t, "/srv/more/customers.ndjson", []byte(`{"_id": "late", "type": "Company", "name": "Late"}`+"\n"))
			o.run(t, "import", "/srv/more")
			if got := o.customers(t); got != imported+1 {
				t.Errorf("%d customers, and %d were imported and one more", got, imported)
			}
			o.stop(t)
		}
		o.run(t, words[1:]...)
	}
	o.run(t, "check")
	o.start(t)
	if got := o.customers(t); got != imported {
		t.Errorf("%d customers are restored of %d", got, imported)
	}
}

// upgrades starts the program on a store as an older release has left it.
func upgrades(t *testing.T, files map[string]file) {
	t.Helper()
	o := installed(t, files)
	older := t.TempDir()
	database := filepath.Join(older, "backoffice.db")
	first := storetest.AtVersion(t, goose.DialectSQLite3, "sqlite", "file:"+database, 1)
	storetest.FillVersion1(t, first)
	if _, err := first.ExecContext(t.Context(), "DELETE FROM consultations"); err != nil { // no chain has that one
		t.Fatal(err)
	}
	if err := storetest.AtVersion(t, goose.DialectSQLite3, "sqlite", "file:"+database, 20).Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(database)
	if err != nil {
		t.Fatal(err)
	}
	keyset, err := os.ReadFile("../../testdata/keyset.json")
	if err != nil {
		t.Fatal(err)
	}
	o.put(t, officeHome+"/data/keyset.json", keyset)
	o.put(t, officeStore, content)
	if said := o.run(t, "doctor"); !strings.Contains(said, "schema: version 20, but") {
		t.Errorf("doctor announces no new schema: %s", said)
	}
	if now, err := os.ReadFile(o.at(officeStore)); err != nil || !bytes.Equal(now, content) {
		t.Errorf("doctor has changed the store: %v", err)
	}
	o.start(t)
	o.run(t, "credentials", "create", "--name", "portal")
	if got := o.customers(t); got != 1 {
		t.Errorf("%d customers", got)
	}
	o.stop(t)
	o.run(t, "check")
}
