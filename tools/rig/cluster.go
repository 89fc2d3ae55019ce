package rig

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// Cluster is a PostgreSQL server in a folder of its own. It keeps what it has acknowledged, so that it may be killed.
type Cluster struct {
	folder, programs string
	settings         []string
	port             int
	as               *syscall.SysProcAttr
	command          *exec.Cmd
	ended            chan struct{}
}

// NewCluster starts one over the data in a folder, with more settings. It makes the data when they are not there, with
// more flags for initdb. Folders that these name have to be inside the folder.
func NewCluster(folder string, settings []string, flags ...string) (*Cluster, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	program, err := exec.LookPath("initdb")
	if err != nil {
		program = "/usr/lib/postgresql/15/bin/initdb"
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		return nil, errors.New("PostgreSQL is not installed (Debian: apt-get install postgresql)")
	}
	c := &Cluster{folder: folder, programs: filepath.Dir(program)}
	for _, setting := range append([]string{"listen_addresses=127.0.0.1", "jit=off", "log_min_messages=fatal"}, settings...) {
		c.settings = append(c.settings, "-c", setting)
	}
	if c.as, err = notRoot(folder); err != nil {
		return nil, err
	}
	if c.port, err = FreePort(); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(c.data(), "PG_VERSION")); err != nil {
		initdb := exec.Command(program, "-D", c.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
		initdb.Args = append(initdb.Args, flags...)
		initdb.Dir, initdb.SysProcAttr = folder, c.as
		if out, err := initdb.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("initdb: %w: %s", err, out)
		}
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	return c, nil
}

// notRoot is whom PostgreSQL runs as, which owns all in the folder: it refuses root.
func notRoot(folder string) (*syscall.SysProcAttr, error) {
	as := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGQUIT}
	switch {
	case os.Geteuid() != 0:
		return as, nil
	case os.Getenv(isolated) == "mapped": // root of nothing but the disks; to PostgreSQL it is somebody
		as.Cloneflags = syscall.CLONE_NEWUSER
		as.UidMappings = []syscall.SysProcIDMap{{ContainerID: 1000, HostID: 0, Size: 1}}
		as.GidMappings = []syscall.SysProcIDMap{{ContainerID: 1000, HostID: 0, Size: 1}}
		return as, nil
	}
	owner, err := user.Lookup("postgres")
	if err != nil {
		return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres")
	}
	uid, _ := strconv.Atoi(owner.Uid)
	gid, _ := strconv.Atoi(owner.Gid)
	as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	if out, err := exec.Command("chown", "--recursive", fmt.Sprint(uid, ":", gid), folder).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("PostgreSQL cannot own %s: %w: %s", folder, err, out)
	}
	return as, nil
}

func (c *Cluster) data() string { return filepath.Join(c.folder, "data") }

// PID is its first process.
func (c *Cluster) PID() int { return c.command.Process.Pid }

// Address is where it listens.
func (c *Cluster) Address() string { return fmt.Sprint("127.0.0.1:", c.port) }

// URL leads to a database of it, through whatever listens at the address.
func (c *Cluster) URL(address, database string) string {
	return "postgres://postgres@" + address + "/" + database + "?sslmode=disable"
}

// Start starts it again, and waits until it answers.
func (c *Cluster) Start() error {
	log, err := os.OpenFile(filepath.Join(c.folder, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	c.command = exec.Command(filepath.Join(c.programs, "postgres"), "-D", c.data(), "-k", c.folder, "-p", strconv.Itoa(c.port))
	c.command.Args = append(c.command.Args, c.settings...)
	c.command.Dir, c.command.SysProcAttr, c.command.Stdout, c.command.Stderr = c.folder, c.as, log, log
	if err := c.command.Start(); err != nil {
		return err
	}
	c.ended = make(chan struct{})
	go func(command *exec.Cmd, ended chan struct{}) { _ = command.Wait(); close(ended) }(c.command, c.ended)
	var last error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if last = c.answers(); last == nil {
			return nil
		}
		select {
		case <-c.ended:
			return fmt.Errorf("PostgreSQL has ended; see %s", log.Name())
		default:
		}
	}
	return fmt.Errorf("PostgreSQL does not answer: %w", last)
}

func (c *Cluster) answers() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return c.Execute(ctx, "postgres", "SELECT 1")
}

// Execute runs a statement.
func (c *Cluster) Execute(ctx context.Context, database, text string) error {
	conn, err := pgx.Connect(ctx, c.URL(c.Address(), database))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, text)
	return errors.Join(err, conn.Close(ctx))
}

// Restart is what an operator does: it ends at once, in order, and starts again.
func (c *Cluster) Restart() error {
	c.Close()
	return c.Start()
}

// Close ends it in order. Its data can be used again.
func (c *Cluster) Close() { c.end(syscall.SIGINT) }

// Kill ends all its processes as a crash of the machine would, without a word.
func (c *Cluster) Kill() { c.end(syscall.SIGKILL) }

// Stop ends it for good.
func (c *Cluster) Stop() { c.end(syscall.SIGQUIT) }

func (c *Cluster) end(with syscall.Signal) {
	if c.command == nil {
		return
	}
	if with == syscall.SIGKILL {
		c.signal(with)
	} else {
		_ = c.command.Process.Signal(with)
	}
	<-c.ended
	c.command = nil
}

// Revive starts it if it has ended by itself, as systemd does, and reports whether it had. One that is still ending is
// waited for.
func (c *Cluster) Revive() (ended bool, err error) {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		select {
		case <-c.ended: // it may have to be started again, while its last processes end
			if ended, err = true, c.Start(); err == nil {
				return true, nil
			}
			continue
		default:
		}
		if c.answers() == nil {
			return false, nil
		}
	}
	return ended, errors.Join(errors.New("PostgreSQL does not come back"), err)
}

// Freeze stops all its processes where they are, and Thaw lets them go on.
func (c *Cluster) Freeze() { c.signal(syscall.SIGSTOP) }

// Thaw lets a frozen one go on.
func (c *Cluster) Thaw() { c.signal(syscall.SIGCONT) }

// signal reaches the server's processes one by one: each connection's is in a group of its own.
func (c *Cluster) signal(with syscall.Signal) {
	root := c.PID()
	_ = syscall.Kill(root, with)
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", root, root))
	for _, child := range strings.Fields(string(children)) {
		if pid, err := strconv.Atoi(child); err == nil {
			_ = syscall.Kill(pid, with)
		}
	}
}

// FreePort is a port of this machine on which nobody listens.
func FreePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
