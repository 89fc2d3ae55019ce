package rig

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Office is a store with its keyset and files, and the program that serves it.
type Office struct {
	Binary   string
	Folder   string
	Database string // sqlite:PATH or postgres://…
	Files    string // a folder; the one called files when empty
	Keyset   string // a path; keyset.json when empty
}

// Settings are the flags that name the store.
func (o *Office) Settings() []string {
	keyset, files := cmp.Or(o.Keyset, filepath.Join(o.Folder, "keyset.json")), cmp.Or(o.Files, filepath.Join(o.Folder, "files"))
	return []string{"--database", o.Database, "--keyset", keyset, "--files", "file:" + files}
}

// Run runs one of the program's commands to its end.
func (o *Office) Run(arguments ...string) ([]byte, error) {
	command := exec.Command(o.Binary, append(arguments, o.Settings()...)...)
	var complaint bytes.Buffer
	command.Stderr = &complaint
	out, err := command.Output()
	if err != nil {
		return out, fmt.Errorf("%s: %w: %.500s", arguments[0], err, complaint.String())
	}
	return out, nil
}

// Credential is what a client signs in with.
type Credential struct{ ClientID, ClientSecret string }

// Issue makes a credential with these scopes.
func (o *Office) Issue(name string, scopes ...string) (credential Credential, err error) {
	arguments := []string{"credentials", "create", "--json", "--name", name}
	for _, scope := range scopes {
		arguments = append(arguments, "--scope", scope)
	}
	out, err := o.Run(arguments...)
	if err == nil {
		err = json.Unmarshal(out, &credential)
	}
	return credential, err
}

// Server is the program while it serves.
type Server struct {
	Address, Metrics string
	Log              string // its path
	Verb             string // serve, or demo
	Flags            []string
	command          *exec.Cmd
	ended            chan struct{}
}

// LogSize is how long its log is, from where LogSince tells what came since.
func (s *Server) LogSize() int64 {
	info, err := os.Stat(s.Log)
	if err != nil {
		return 0
	}
	return info.Size()
}

// LogSince are the lines of its log from a place on.
func (s *Server) LogSince(from int64) ([]string, error) {
	content, err := os.ReadFile(s.Log)
	if err != nil {
		return nil, err
	}
	return strings.Split(string(content[min(from, int64(len(content))):]), "\n"), nil
}

// NewServer picks addresses and a log; Start starts it.
func (o *Office) NewServer(name string) (*Server, error) {
	port, err := FreePort()
	if err != nil {
		return nil, err
	}
	metrics, err := FreePort()
	return &Server{
		Address: fmt.Sprint("127.0.0.1:", port), Metrics: fmt.Sprint("127.0.0.1:", metrics), Log: filepath.Join(o.Folder, name+".log"), Verb: "serve",
	}, err
}

// Start starts it over an office, with more flags and variables of the environment, and does not wait until it is
// ready.
func (s *Server) Start(o *Office, environment []string, flags ...string) error {
	log, err := os.OpenFile(s.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	arguments := append([]string{s.Verb, "--listen", s.Address, "--metrics", s.Metrics}, o.Settings()...)
	s.command = exec.Command(o.Binary, slices.Concat(arguments, s.Flags, flags)...)
	s.command.Stderr, s.command.Env = log, append(os.Environ(), environment...)
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.command.Start(); err != nil {
		return err
	}
	s.ended = make(chan struct{})
	go func(command *exec.Cmd, ended chan struct{}) { _ = command.Wait(); close(ended) }(s.command, s.ended)
	return nil
}

// Ready waits until it is ready, and says how long that took.
func (s *Server) Ready(patience time.Duration) (time.Duration, error) {
	began := time.Now()
	for time.Since(began) < patience {
		if s.IsReady() {
			return time.Since(began), nil
		}
		select {
		case <-s.ended:
			return 0, fmt.Errorf("the server ended; see %s", s.Log)
		case <-time.After(10 * time.Millisecond):
		}
	}
	return patience, fmt.Errorf("the server is not ready after %v; see %s", patience, s.Log)
}

var probe = &http.Client{Timeout: 2 * time.Second}

// IsReady asks /readyz once.
func (s *Server) IsReady() bool {
	response, err := probe.Get("http://" + s.Address + "/readyz")
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// PID is its process.
func (s *Server) PID() int { return s.command.Process.Pid }

// Lives reports whether its process has not ended.
func (s *Server) Lives() bool {
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// Kill ends it as a crash would.
func (s *Server) Kill() {
	_ = s.command.Process.Kill()
	<-s.ended
}

// Stop lets it end in order, and says how it ended.
func (s *Server) Stop(patience time.Duration) error {
	_ = s.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(patience):
		s.Kill()
		return fmt.Errorf("it did not end within %v", patience)
	}
	if code := s.command.ProcessState.ExitCode(); code != 0 {
		log, _ := os.ReadFile(s.Log)
		log = bytes.TrimSpace(log)
		return fmt.Errorf("%s: %s", s.command.ProcessState, log[bytes.LastIndexByte(log, '\n')+1:])
	}
	return nil
}
