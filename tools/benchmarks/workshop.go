package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"example.org/backoffice/privacy"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/tools/benchmarks/data"
	"example.org/backoffice/tools/rig"
)

// workshop is where a benchmark works: the programs that it has built, the data, and the PostgreSQL server. Close it.
type workshop struct {
	settingsOfAll
	root    string // of the repository
	scratch string // gone at the end
	data    string // kept when the flag says so
	edition string // of the data: kept data of another one is not used
	cluster *cluster
	started []*running
}

func newWorkshop(ctx context.Context, settings *settingsOfAll) (_ *workshop, err error) {
	if _, err := exec.LookPath("wrk"); err != nil {
		return nil, errors.New("wrk is not installed (Debian: apt-get install wrk)")
	}
	w := &workshop{settingsOfAll: *settings}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if w.root, err = rig.Root(); err != nil {
		return nil, err
	}
	if w.edition, err = edition(w.root); err != nil {
		return nil, err
	}
	if w.scratch, err = os.MkdirTemp("", "benchmarks-"); err != nil {
		return nil, err
	}
	if err := os.Chmod(w.scratch, 0o711); err != nil { //nolint:gosec // PostgreSQL's user passes through
		return nil, err
	}
	if w.data = w.Keep; w.data == "" {
		w.data = w.scratch
	}
	if w.data, err = filepath.Abs(w.data); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(w.data, 0o711); err != nil {
		return nil, err
	}
	tellf("starting PostgreSQL")
	w.cluster, err = startCluster(ctx, filepath.Join(w.data, "postgresql"))
	return w, err
}

// edition names what the data depend on: the store's tables, and the office that is put into them.
func edition(root string) (string, error) {
	sum := sha256.New()
	for _, pattern := range []string{"store/migrations/*/*.sql", "tools/benchmarks/data/*.go"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return "", err
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				return "", err
			}
			sum.Write(text)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:4]), nil
}

func (w *workshop) close() {
	for _, r := range w.started {
		if r.process != nil {
			r.close()
		}
	}
	if w.cluster != nil {
		w.cluster.Close()
	}
	if w.scratch != "" {
		_ = os.RemoveAll(w.scratch)
	}
}

// build builds the program in a folder of the repository, in whichever module that is.
func (w *workshop) build(ctx context.Context, folder, name string) (path string, err error) {
	path = filepath.Join(w.scratch, name)
	command := exec.CommandContext(ctx, "go", "build", "-o", path, ".")
	command.Dir = filepath.Join(w.root, folder)
	_, err = run(ctx, command)
	return path, err
}

// start starts a server; the workshop's end is its end.
func (w *workshop) start(ctx context.Context, s server) (*running, error) {
	tellf("starting %s", s.title)
	r, err := s.run(ctx)
	if err == nil {
		w.started = append(w.started, r)
	}
	return r, err
}

// postgres makes a database with an office in it, unless it is there.
func (w *workshop) postgres(ctx context.Context, office data.Office) (database, url string, err error) {
	database = fmt.Sprintf("office_%d_%s", office.Customers, w.edition)
	url, err = w.cluster.prepare(ctx, database, func(ctx context.Context, url string) error {
		return office.LoadPostgres(ctx, url, func(table string, rows int) { tellf("loading %d %s into PostgreSQL", rows, table) })
	})
	return database, url, err
}

// embedded makes an embedded store with an office in it, unless it is there.
func (w *workshop) embedded(ctx context.Context, office data.Office) (url string, err error) {
	path := filepath.Join(w.data, fmt.Sprintf("office_%d_%s.db", office.Customers, w.edition))
	filled := path + ".filled"
	url = "sqlite:" + path
	if has(filled) {
		return url, nil
	}
	for _, left := range []string{path, path + "-wal", path + "-shm"} {
		if err := os.Remove(left); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	store, err := sqlite.Open(ctx, url, sqlite.Options{})
	if err != nil {
		return "", err
	}
	err = office.LoadStore(ctx, store, func(table string, rows int) { tellf("loading %d %s into the embedded store", rows, table) })
	if err := errors.Join(err, store.Close()); err != nil {
		return "", err
	}
	return url, os.WriteFile(filled, nil, 0o600)
}

// ours is this server over a store, with authentication, limits and whatever the flags leave as it ships.
func (w *workshop) ours(ctx context.Context, name, title, store string, flags ...string) (server, error) {
	program := filepath.Join(w.scratch, "backoffice")
	if !has(program) {
		tellf("building this server")
		if _, err := w.build(ctx, ".", "backoffice"); err != nil {
			return server{}, err
		}
	}
	return w.serving(ctx, program, name, title, store, flags...)
}

// beside adds to servers of this build the same ones of another, each behind its own so that they are measured in turn.
func (w *workshop) beside(ctx context.Context, program string, servers []server) (all []server, err error) {
	for _, s := range servers {
		all = append(all, s)
		if s.store == "" {
			continue
		}
		other, err := w.serving(ctx, program, s.name+"-beside", s.title+", the other build", s.store, s.flags...)
		if err != nil {
			return nil, err
		}
		other.only = s.only
		all = append(all, other)
	}
	return all, nil
}

// serving is a build of this server over a store.
func (w *workshop) serving(ctx context.Context, program, name, title, store string, flags ...string) (server, error) {
	keyset := filepath.Join(w.data, "keyset.json")
	if !has(keyset) {
		if _, err := (privacy.KeysetFile{Path: keyset}).Create(); err != nil {
			return server{}, err
		}
	}
	files := filepath.Join(w.scratch, "files-"+name) // files belong to one store; these are not needed, and .part in their place says so
	if err := os.MkdirAll(filepath.Join(files, ".part"), 0o700); err != nil {
		return server{}, err
	}
	common := []string{"--database", store, "--keyset", keyset, "--files", "file:" + files}
	printed, err := run(ctx, exec.CommandContext(ctx, program, append([]string{"credentials", "create", "--name", "benchmarks", "--scope", "customers.write", "--json"}, common...)...))
	if err != nil {
		return server{}, err
	}
	var credential struct{ ClientID, ClientSecret string }
	if err := json.Unmarshal(printed, &credential); err != nil {
		return server{}, errors.New("credentials create printed no JSON")
	}
	return server{
		name: name, title: title, in: inOurs, store: store, flags: flags, embedded: strings.HasPrefix(store, "sqlite:"),
		headers: []string{"x-client-id: " + credential.ClientID, "x-client-secret: " + credential.ClientSecret},
		command: func(port int) *exec.Cmd {
			return exec.Command(program, slices.Concat([]string{"serve", "--listen", fmt.Sprintf("127.0.0.1:%d", port)}, common, flags)...)
		},
	}, nil
}

// pooled bounds the connections that a server in Go opens.
func (w *workshop) pooled(url string) string { return fmt.Sprintf("%s&pool_max_conns=%d", url, w.Pool) }

// machine describes what is measured on.
func machine() string {
	processor := "unknown processor"
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if name, ok := strings.CutPrefix(line, "model name"); ok {
				processor = strings.Trim(name, " \t:\n")
				break
			}
		}
	}
	var info syscall.Sysinfo_t
	_ = syscall.Sysinfo(&info)
	return fmt.Sprintf("%d × %s, %d GB", processors(), processor, info.Totalram*uint64(info.Unit)>>30)
}
