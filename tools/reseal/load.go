package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// load is what callers do meanwhile.
type load struct {
	r      *run
	client *http.Client

	mu     sync.Mutex
	took   map[string][]time.Duration
	failed map[string]int
	why    string
	made   int
}

func newLoad(r *run) *load {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	return &load{r: r, client: &http.Client{Transport: transport, Timeout: 20 * time.Second}, took: map[string][]time.Duration{}, failed: map[string]int{}}
}

// start starts the server and waits until it is ready.
func (r *run) start() error {
	log, err := os.Create(filepath.Join(r.folder, "server.log"))
	if err != nil {
		return err
	}
	r.server = exec.Command(r.binary, append([]string{"serve", "--listen", r.address, "--metrics", ""}, r.settings()...)...)
	r.server.Stderr = log
	if err := r.server.Start(); err != nil {
		return err
	}
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		if conn, err := net.Dial("tcp", r.address); err == nil {
			return conn.Close()
		}
	}
	return errors.New("the server does not start")
}

func (r *run) stop() {
	_ = r.server.Process.Kill()
	_ = r.server.Wait()
}

func (l *load) run(ctx context.Context) {
	var all sync.WaitGroup
	every := func(name string, perSecond int, do func(context.Context) error) {
		if perSecond == 0 {
			return
		}
		turns := make(chan struct{}, 2*perSecond)
		all.Go(func() {
			defer close(turns)
			tick := time.NewTicker(time.Second / time.Duration(perSecond))
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
					turns <- struct{}{}
				}
			}
		})
		for range 8 {
			all.Go(func() {
				for range turns {
					began := time.Now()
					err := do(ctx)
					if ctx.Err() != nil {
						return
					}
					l.note(name, time.Since(began), err)
				}
			})
		}
	}
	every("read", l.r.reads, l.read)
	every("search", l.r.searches, l.search)
	every("write", l.r.writes, l.write)
	all.Wait()
}

func (l *load) note(name string, took time.Duration, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took[name] = append(l.took[name], took)
	if err != nil {
		l.failed[name]++
		l.why = fmt.Sprint(name, ": ", err)
	}
}

func (l *load) ask(ctx context.Context, query string, variables map[string]any, into any) error {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+l.r.address+"/graphql", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("content-type", "application/json")
	request.Header.Set("x-client-id", l.r.clientID)
	request.Header.Set("x-client-secret", l.r.clientSecret)
	response, err := l.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	answer := struct {
		Data   any
		Errors []struct{ Message string }
	}{Data: into}
	if err := json.Unmarshal(text, &answer); err != nil {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	if len(answer.Errors) > 0 {
		return errors.New(answer.Errors[0].Message)
	}
	return nil
}

func digits(number string) string {
	return string(slices.DeleteFunc([]byte(number), func(b byte) bool { return b < '0' || b > '9' }))
}

// read reads the number of a customer.
func (l *load) read(ctx context.Context) error {
	n := rand.IntN(l.r.customers)
	var found struct {
		Customer struct{ RegistrationNumber string }
	}
	err := l.ask(ctx, `query($id: ID!) { customer(id: $id) { registrationNumber } }`, map[string]any{"id": idOf(n)}, &found)
	if err == nil && digits(found.Customer.RegistrationNumber) != numberOf(n) {
		err = errors.New("a wrong number")
	}
	return err
}

// search finds a customer by number.
func (l *load) search(ctx context.Context) error {
	n := rand.IntN(l.r.customers)
	return l.finds(ctx, numberOf(n), idOf(n))
}

func (l *load) finds(ctx context.Context, number, id string) error {
	var found struct {
		Customers struct{ Nodes []struct{ ID string } }
	}
	err := l.ask(ctx, `query($number: String) { customers(first: 2, filter: {registrationNumber: $number}) { nodes { id } } }`, map[string]any{"number": number}, &found)
	if err == nil && (len(found.Customers.Nodes) != 1 || found.Customers.Nodes[0].ID != id) {
		err = fmt.Errorf("%d were found", len(found.Customers.Nodes))
	}
	return err
}

// write makes a customer with a number, and finds it.
func (l *load) write(ctx context.Context) error {
	l.mu.Lock()
	l.made++
	number := numberOf(l.r.customers + l.made)
	l.mu.Unlock()
	var made struct {
		CreateCustomer struct{ Customer *struct{ ID string } }
	}
	err := l.ask(ctx, `mutation($number: String) { createCustomer(input: {type: PRIVATE_PERSON, firstName: "A", lastName: "B", registrationNumber: $number}) { customer { id } } }`,
		map[string]any{"number": number}, &made)
	if err == nil && made.CreateCustomer.Customer == nil {
		err = errors.New("refused")
	}
	if err != nil {
		return err
	}
	return l.finds(ctx, number, made.CreateCustomer.Customer.ID)
}

func (l *load) good() bool { return len(l.failed) == 0 }

func (l *load) report(to io.Writer) {
	fmt.Fprintf(to, "%d customers, each with a registration number\n", l.r.customers)
	for _, name := range []string{"read", "search", "write"} {
		took := l.took[name]
		slices.Sort(took)
		if len(took) == 0 {
			continue
		}
		fmt.Fprintf(to, "%-6s %6d, %d failed or wrong; median %s, 99 of 100 within %s, the longest %s\n", name, len(took), l.failed[name],
			took[len(took)/2].Round(100*time.Microsecond), took[len(took)*99/100].Round(100*time.Microsecond), took[len(took)-1].Round(time.Millisecond))
	}
	if l.why != "" {
		fmt.Fprintln(to, "the last that failed was a", l.why)
	}
}
