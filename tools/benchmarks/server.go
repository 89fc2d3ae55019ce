package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/backoffice/tools/benchmarks/data"
	"example.org/backoffice/tools/rig"
)

// server is something that answers the reference queries.
type server struct {
	name     string // on the command line
	title    string // in the report
	peer     bool   // one that ours is held against
	in       language
	byPath   bool     // the path names the query
	only     []string // the queries that it is measured with; nil is all
	embedded bool     // it has its store in itself
	store    string   // of ours
	flags    []string // likewise
	command  func(port int) *exec.Cmd
	at       string // where it is, when others started it
	headers  []string
}

// running is a server that answers.
type running struct {
	server
	*process // nil when others started it
	port     int
}

// said is the end of what the server has printed.
func (r *running) said() string {
	if r.process == nil {
		return ""
	}
	return r.output.String()
}

// answers reports whether the server is measured with a query.
func (s server) answers(q query) bool {
	return s.only == nil || slices.Contains(s.only, q.name)
}

// run starts the server and waits until it listens.
func (s server) run(ctx context.Context) (*running, error) {
	if s.at != "" {
		r := &running{server: s}
		return r, until(ctx, patience, nil, r.greet)
	}
	port, err := rig.FreePort()
	if err != nil {
		return nil, err
	}
	r := &running{server: s, port: port}
	if r.process, err = start(s.title, s.command(port)); err != nil {
		return nil, err
	}
	if err := r.ready(ctx, r.greet); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// greet asks for any answer.
func (r *running) greet(ctx context.Context) error {
	_, err := r.post(ctx, queries[4], []byte("{}"))
	return err
}

func (r *running) url(q query) string {
	if r.at != "" {
		return r.at
	}
	path := "graphql"
	if r.byPath {
		path = q.name
	}
	return fmt.Sprintf("http://127.0.0.1:%d/%s", r.port, path)
}

// client keeps as many connections as the benchmark uses, for less than the 5 seconds after which Node closes idle
// ones: a request on a connection that is just being closed fails.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: 2 * time.Second}, Timeout: 30 * time.Second}

type answer struct {
	status int
	body   []byte
}

func (r *running) post(ctx context.Context, q query, body []byte) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url(q), bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	for _, header := range r.headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, content}, err
}

// ask sends each of a query's bodies in turn, n requests over so many connections, and returns when all are answered.
func (r *running) ask(ctx context.Context, q query, office data.Office, connections, n int) error {
	bodies := q.bodies(r.in, office)
	var asking sync.WaitGroup
	failures := make(chan error, connections)
	for c := range connections {
		asking.Go(func() {
			for i := c; i < n; i += connections {
				a, err := r.post(ctx, q, bodies[i%len(bodies)])
				if err == nil && a.status != http.StatusOK {
					err = fmt.Errorf("%s answers %s with status %d: %.300s", r.title, q.name, a.status, a.body)
				}
				if err != nil {
					failures <- err
					return
				}
			}
		})
	}
	asking.Wait()
	select {
	case err := <-failures:
		return err
	default:
		return nil
	}
}
