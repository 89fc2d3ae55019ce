package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// process is a server that an ordinary user runs in a folder of its own, where its log is.
type process struct {
	script  string // of a shell: it runs the server until its standard input ends, at the latest when the process of the tests does
	program string // the server's, or the folder of it: what the script is told, with the folder
	folder  string
	alive   io.Closer
	shell   *exec.Cmd
}

// newProcess makes the folder in another one; "" is the usual one for what is temporary.
func newProcess(in, script, program string) (*process, error) {
	folder, err := os.MkdirTemp(in, "pgtest-")
	if err != nil {
		return nil, err
	}
	_, err = ordinaryUser(folder)
	return &process{script: script, program: program, folder: folder}, err
}

// inMemory is a folder in memory if there is one with room for what tests keep, and otherwise the usual one. A database
// is some 400 files, and making and removing those on a disk costs more than most tests do with them.
func inMemory() string {
	const folder, room = "/dev/shm", 3 << 30
	var is syscall.Statfs_t
	if err := syscall.Statfs(folder, &is); err != nil || is.Bavail*uint64(is.Bsize) < room {
		return ""
	}
	return folder
}

// command is one that the owner of the folder runs in it.
func (p *process) command(program string, arguments ...string) (*exec.Cmd, error) {
	owner, err := ordinaryUser(p.folder)
	command := exec.Command(program, arguments...)
	command.Dir, command.SysProcAttr = p.folder, owner
	return command, err
}

// run runs one of PostgreSQL's programs to its end.
func (p *process) run(program string, arguments ...string) error {
	command, err := p.command(filepath.Join(p.program, program), arguments...)
	if err != nil {
		return err
	}
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, output)
	}
	return nil
}

func (p *process) data() string { return filepath.Join(p.folder, "data") }

func (p *process) initdb() error {
	return p.run("initdb", "-D", p.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
}

// start starts the server and waits until it answers at a URL.
func (p *process) start(url string) error {
	shell, err := p.command("/bin/sh", "-c", p.script, "pgtest", p.program, p.folder)
	if err != nil {
		return err
	}
	if p.alive, err = shell.StdinPipe(); err != nil { // never written to
		return err
	}
	if err := shell.Start(); err != nil {
		return err
	}
	p.shell = shell
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, url)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(p.folder, "log"))
			return fmt.Errorf("the server did not start: %w: %s", err, log)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// stop ends the server as its script does. Again: nothing.
func (p *process) stop() {
	if p.shell == nil {
		return
	}
	_ = p.alive.Close()
	_ = p.shell.Wait()
	p.shell = nil
}

// ordinaryUser gives the folder to a user under whom a server may run: this one, unless it is root.
func ordinaryUser(folder string) (*syscall.SysProcAttr, error) {
	attributes := &syscall.SysProcAttr{Setsid: true} // a signal to the tests leaves the end to the script
	if os.Geteuid() != 0 {
		return attributes, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		known, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(known.Uid)
		gid, _ := strconv.Atoi(known.Gid)
		attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return attributes, os.Chown(folder, uid, gid)
	}
	return nil, errors.New("PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody")
}
