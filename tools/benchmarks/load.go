package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// threads is how many wrk uses, unless there are fewer connections.
const threads = 2

//go:embed load.lua
var loadScript []byte

// load is what wrk sends: the bodies of a query to one server.
type load struct {
	script, bodies string // files
	url            string
	headers        []string
	parts          int // into which the threads divide the bodies
}

// newLoad writes what wrk reads into a folder; the next one of this name takes its place.
func newLoad(folder, name, url string, headers []string, bodies [][]byte) (load, error) {
	l := load{
		script: filepath.Join(folder, "load.lua"), bodies: filepath.Join(folder, name+".ndjson"), url: url, headers: headers,
		parts: min(len(bodies), threads),
	}
	if err := os.WriteFile(l.script, loadScript, 0o600); err != nil {
		return load{}, err
	}
	return l, os.WriteFile(l.bodies, append(bytes.Join(bodies, []byte("\n")), '\n'), 0o600)
}

// outcome is what wrk found out.
type outcome struct {
	Requests     int
	Microseconds float64
	Bytes        int
	P50, P99     float64 // microseconds
	Refused      int     // answers that are no 2xx or 3xx
	Broken       int     // connections that failed
}

// run sends requests over a number of connections for a while.
func (l load) run(ctx context.Context, connections int, duration time.Duration) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, duration+30*time.Second)
	defer cancel()
	args := []string{"-t", strconv.Itoa(min(connections, threads)), "-c", strconv.Itoa(connections), "-d", fmt.Sprintf("%.0fs", max(duration.Seconds(), 1)),
		"--timeout", "10s", "-s", l.script, "-H", "Content-Type: application/json", "-H", "Accept: application/json"}
	for _, header := range l.headers {
		args = append(args, "-H", header)
	}
	out, err := run(ctx, exec.CommandContext(ctx, "wrk", append(args, l.url, "--", l.bodies, strconv.Itoa(min(connections, l.parts)))...))
	if err != nil {
		return outcome{}, err
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	var o outcome
	if err := json.Unmarshal(lines[len(lines)-1], &o); err != nil {
		return outcome{}, fmt.Errorf("wrk printed no result: %s", out)
	}
	if o.Refused > 0 || o.Broken > 0 {
		return o, fmt.Errorf("%s: of %d requests %d were refused and %d broke", l.url, o.Requests, o.Refused, o.Broken)
	}
	return o, nil
}
