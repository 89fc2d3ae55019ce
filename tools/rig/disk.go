package rig

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// isolated says to a command that it runs where it may mount disks: "root", or "mapped" for somebody who is root there
// alone.
const isolated = "BACKOFFICE_RIG_ISOLATED"

// Isolate runs the command again where it may mount disks, which it and its children alone see, and which go with
// them. done says that the command was run so, and ended with code.
func Isolate() (code int, done bool, err error) {
	if os.Getenv(isolated) != "" {
		return 0, false, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	}
	self, err := os.Executable()
	if err != nil {
		return 0, false, err
	}
	command := exec.Command(self, os.Args[1:]...) //nolint:gosec // the command itself
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGTERM}
	as := "root"
	if os.Geteuid() != 0 {
		as = "mapped"
		command.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		command.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		command.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	command.Env = append(os.Environ(), isolated+"="+as)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	if err := command.Start(); err != nil {
		return 0, false, fmt.Errorf("no disk can be mounted here, for this user may make no namespace: %w", err)
	}
	go func() {
		for with := range signals {
			_ = command.Process.Signal(with)
		}
	}()
	var exit *exec.ExitError
	if err := command.Wait(); err != nil && !errors.As(err, &exit) {
		return 0, true, err
	}
	return command.ProcessState.ExitCode(), true, nil
}

// Disk is a small one of its own, in memory.
type Disk struct{ Path string }

// NewDisk mounts one at a path.
func NewDisk(path string, megabytes int) (*Disk, error) {
	if os.Getenv(isolated) == "" {
		return nil, errors.New("no disk can be mounted here")
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, err
	}
	if err := unix.Mount("tmpfs", path, "tmpfs", 0, "mode=0755,size="+strconv.Itoa(megabytes)+"m"); err != nil {
		return nil, fmt.Errorf("a disk cannot be mounted at %s: %w", path, err)
	}
	return &Disk{path}, nil
}

// Room is how many bytes it still takes.
func (d *Disk) Room() (int64, error) {
	var of unix.Statfs_t
	err := unix.Statfs(d.Path, &of)
	return int64(of.Bavail) * of.Bsize, err
}

func (d *Disk) ballast() string { return filepath.Join(d.Path, "ballast") }

// Fill takes all room but so many bytes.
func (d *Disk) Fill(keep int64) error {
	file, err := os.OpenFile(d.ballast(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	for {
		room, err := d.Room()
		if err != nil || room <= keep {
			return err
		}
		for left := room - keep; left > 0; left -= int64(len(block)) {
			if _, err := file.Write(block[:min(left, int64(len(block)))]); errors.Is(err, unix.ENOSPC) {
				break
			} else if err != nil {
				return err
			}
		}
	}
}

var block = make([]byte, 1<<16)

// Empty gives the room back.
func (d *Disk) Empty() error { return os.Remove(d.ballast()) }

// Close unmounts it, at once for those who see it and when the last file is closed for those who hold one.
func (d *Disk) Close() error { return unix.Unmount(d.Path, unix.MNT_DETACH) }
