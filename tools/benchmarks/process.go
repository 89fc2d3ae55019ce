package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// process is a program that runs beside the benchmark, in a group of its own, and dies with it.
type process struct {
	program string
	command *exec.Cmd
	ended   chan struct{}
	output  tail
}

// start starts a program. Its output is kept for the error that is told when it fails.
func start(name string, command *exec.Cmd) (*process, error) {
	p := &process{program: name, command: command, ended: make(chan struct{})}
	command.Stdout, command.Stderr = &p.output, &p.output
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	go func() {
		_ = command.Wait()
		close(p.ended)
	}()
	return p, nil
}

// pid is the root of the program's processes.
func (p *process) pid() int { return p.command.Process.Pid }

// ready waits a minute at most until ask succeeds.
func (p *process) ready(ctx context.Context, ask func(context.Context) error) error {
	err := until(ctx, time.Minute, p.ended, ask)
	switch {
	case errors.Is(err, errEnded):
		return fmt.Errorf("%s ended: %s", p.program, p.output.String())
	case err != nil:
		return fmt.Errorf("%s is not ready after a minute: %w: %s", p.program, err, p.output.String())
	}
	return nil
}

var errEnded = errors.New("the program ended")

// until asks until it succeeds, for so long at most. Errors: errEnded; the last one of ask.
func until(ctx context.Context, most time.Duration, ended <-chan struct{}, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for {
		err := ask(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ended:
			return errEnded
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// close asks the program to end, and ends what is left of its group when it does or does not in time.
func (p *process) close() {
	_ = p.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(5 * time.Second):
	}
	_ = syscall.Kill(-p.pid(), syscall.SIGKILL)
	<-p.ended
}

// tail keeps the last bytes that were written.
type tail struct {
	mu    sync.Mutex
	bytes []byte
}

const tailSize = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bytes = append(t.bytes, b...)
	t.bytes = t.bytes[max(0, len(t.bytes)-tailSize):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.bytes)
}

// run runs a program to its end and returns what it printed; an error holds what it complained of.
func run(ctx context.Context, command *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	var complaints tail
	command.Stdout, command.Stderr = &out, &complaints
	if err := command.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%s: %w: %s", command.Args[0], err, complaints.String())
	}
	return out.Bytes(), nil
}

// has reports whether a file exists.
func has(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}
