// Command hostile starts a server over much data, lets hostile callers loose on it, and tells what a well-behaved one
// notices. It ends with 1 when the server does not hold what docs/limits.md promises.
//
// Without -database it fills an embedded store with demo data in -folder, once; with it, it serves a PostgreSQL store
// that was filled before (an export of the demo, imported), and no other one.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"golang.org/x/sync/errgroup"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/tools/rig"
)

type credential struct{ ClientID, ClientSecret string }

// soak is one run.
type soak struct {
	binary, folder, database, keyset, address string
	customers, connections                    int
	duration                                  time.Duration

	server  *exec.Cmd
	client  *http.Client
	friend  credential
	hostile []credential
	issued  []string // the identifiers of all credentials
	ids     []string

	came            hostility
	health, signIns []time.Duration
	sick            int
	peak            int64 // of resident memory, in kB
}

const timeLimit = 10 * time.Second // --limit-time as it is by default

func main() {
	s := &soak{}
	flag.StringVar(&s.folder, "folder", filepath.Join(os.TempDir(), "backoffice-hostile"), "where the embedded store is, and is made")
	flag.StringVar(&s.database, "database", "", "a PostgreSQL store that is filled already, postgres://…; without it an embedded one is made")
	flag.StringVar(&s.keyset, "keyset", "", "the keyset of -database")
	flag.StringVar(&s.address, "listen", "127.0.0.1:18099", "where the server listens")
	flag.IntVar(&s.customers, "customers", 200_000, "how many customers an embedded store is filled with")
	flag.IntVar(&s.connections, "connections", 64, "how many hostile connections")
	flag.DurationVar(&s.duration, "duration", 10*time.Minute, "how long they attack")
	flag.Parse()
	if part, ok := parts[flag.Arg(0)]; ok {
		if err := part(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "hostile:", err)
			os.Exit(2)
		}
		return
	}
	reached, err := s.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(2)
	}
	if !reached {
		os.Exit(1)
	}
}

// lastOfDemo is the label by which demo.Finished knows a demo. That package would bring what it prints with.
const lastOfDemo = "label-onboarding"

// checkDemo fails unless the store of -database has a demo's data: the attackers may do everything in it.
func (s *soak) checkDemo(ctx context.Context) error {
	if s.database == "" {
		return nil // the program's own command demo looks
	}
	store, err := postgres.Open(ctx, s.database, postgres.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	found, err := backoffice.ReadByID(ctx, store.Labels(), []string{lastOfDemo}, 0)
	if err == nil && len(found) == 0 {
		err = errors.New("the store of -database has no demo's data; only those may be attacked")
	}
	return err
}

func (s *soak) run() (reached bool, err error) {
	if err := s.checkDemo(context.Background()); err != nil {
		return false, err
	}
	made := s.folder
	if s.database != "" { // its files are not needed here, which .part in an empty folder says
		made = filepath.Join(s.folder, "files", ".part")
	}
	if err := os.MkdirAll(made, 0o700); err != nil {
		return false, err
	}
	s.binary = filepath.Join(s.folder, "backoffice")
	if err := rig.Build(s.binary); err != nil {
		return false, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 2 * s.connections
	s.client = &http.Client{Transport: transport, Timeout: 2 * time.Minute}
	if err := s.start(); err != nil {
		return false, err
	}
	defer s.stop()
	defer s.revoke()
	if err := s.issue(); err != nil {
		return false, err
	}

	given := task{Address: s.address, Friend: s.friend, Hostile: s.hostile, IDs: s.ids, Connections: s.connections, Duration: min(30*time.Second, s.duration/2)}
	var alone, attacked []time.Duration
	if err := given.run("friend", &alone); err != nil {
		return false, err
	}
	given.Duration = s.duration
	var all errgroup.Group
	all.Go(func() error { return given.run("hostile", &s.came) })
	all.Go(func() error { return given.run("friend", &attacked) })
	all.Go(func() error { s.watch(time.Now().Add(s.duration)); return nil })
	if err := all.Wait(); err != nil {
		return false, err
	}
	return s.report(alone, attacked), nil
}

// settings are the flags that name the store.
func (s *soak) settings() []string {
	if s.database != "" {
		return []string{"--database", s.database, "--keyset", s.keyset, "--files", "file:" + filepath.Join(s.folder, "files")}
	}
	return []string{
		"--database", "sqlite:" + filepath.Join(s.folder, "backoffice.db"), "--keyset", filepath.Join(s.folder, "keyset.json"),
		"--files", "file:" + filepath.Join(s.folder, "files"),
	}
}

// start starts the server and waits until it is ready.
func (s *soak) start() error {
	if taken, err := net.DialTimeout("tcp", s.address, time.Second); err == nil { // what is measured must be this server
		_ = taken.Close()
		return fmt.Errorf("something listens on %s already", s.address)
	}
	arguments := []string{"serve"}
	if s.database == "" {
		arguments = []string{"demo", "--customers", strconv.Itoa(s.customers)}
	}
	arguments = append(append(arguments, "--listen", s.address, "--metrics", "", "--no-webhooks"), s.settings()...)
	log, err := os.Create(filepath.Join(s.folder, "server.log"))
	if err != nil {
		return err
	}
	s.server = exec.Command(s.binary, arguments...)
	s.server.Stderr = log
	if err := s.server.Start(); err != nil {
		return err
	}
	for range 3_600 {
		if response, err := s.client.Get("http://" + s.address + "/readyz"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(time.Second)
	}
	s.stop()
	return fmt.Errorf("the server is not ready; see %s", log.Name())
}

func (s *soak) stop() {
	_ = s.server.Process.Signal(syscall.SIGTERM)
	_ = s.server.Wait()
}

// revoke revokes the credentials that issue made.
func (s *soak) revoke() {
	for _, id := range s.issued {
		if err := exec.Command(s.binary, append([]string{"credentials", "revoke", id}, s.settings()...)...).Run(); err != nil {
			fmt.Fprintln(os.Stderr, "hostile: revoking", id, err)
		}
	}
}

// issue makes the credentials, and learns identifiers to ask for.
func (s *soak) issue() error {
	expires := time.Now().Add(s.duration + 24*time.Hour).UTC().Format(time.RFC3339) // even if they are not revoked
	for i := range 9 {
		arguments := []string{"credentials", "create", "--json", "--name", fmt.Sprint("hostile ", i), "--expires", expires}
		for _, scope := range backoffice.AllScopes {
			arguments = append(arguments, "--scope", scope.String())
		}
		out, err := exec.Command(s.binary, append(arguments, s.settings()...)...).Output()
		if err != nil {
			return fmt.Errorf("making a credential: %w", err)
		}
		var made credential
		if err := json.Unmarshal(out, &made); err != nil {
			return err
		}
		s.issued, s.hostile = append(s.issued, made.ClientID), append(s.hostile, made)
	}
	s.friend, s.hostile = s.hostile[0], s.hostile[1:]
	_, body, err := (&caller{s.address, s.client}).post(s.friend, `{ customers(first: 500) { nodes { id } } }`, nil)
	var answer struct {
		Data struct {
			Customers struct{ Nodes []struct{ ID string } }
		}
	}
	if err == nil {
		err = json.Unmarshal(body, &answer)
	}
	for _, node := range answer.Data.Customers.Nodes {
		s.ids = append(s.ids, node.ID)
	}
	if len(s.ids) == 0 && err == nil {
		err = fmt.Errorf("there are no customers: %.200s", body)
	}
	return err
}

// signIn opens a socket, as a page does, and returns when it is acknowledged.
func (s *soak) signIn() error {
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	defer cancel()
	conn, response, err := websocket.Dial(ctx, "ws://"+s.address+"/graphql", &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if response != nil && response.Body != nil {
		_ = response.Body.Close()
	}
	if err != nil {
		return err
	}
	defer func() { _ = conn.CloseNow() }()
	payload := map[string]string{"x-client-id": s.friend.ClientID, "x-client-secret": s.friend.ClientSecret}
	if err := wsjson.Write(ctx, conn, map[string]any{"type": "connection_init", "payload": payload}); err != nil {
		return err
	}
	var said struct{ Type string }
	if err := wsjson.Read(ctx, conn, &said); err != nil || said.Type != "connection_ack" {
		return fmt.Errorf("%q: %w", said.Type, err)
	}
	return nil
}

// watch asks whether the server lives and lets callers in, and looks how much memory it has.
func (s *soak) watch(end time.Time) {
	for time.Now().Before(end) {
		began := time.Now()
		if err := s.signIn(); err != nil {
			fmt.Fprintln(os.Stderr, "hostile: signing in:", err)
			s.sick++
		}
		s.signIns = append(s.signIns, time.Since(began))
		for _, path := range []string{"/livez", "/readyz"} {
			began := time.Now()
			response, err := s.client.Get("http://" + s.address + path)
			spent := time.Since(began)
			well := err == nil && response.StatusCode == http.StatusOK
			if err == nil {
				response.Body.Close()
			}
			s.health = append(s.health, spent)
			if !well {
				s.sick++
			}
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.server.Process.Pid))
		if err != nil {
			fmt.Fprintln(os.Stderr, "hostile:", err)
		}
		for line := range strings.Lines(string(status)) {
			var kilobytes int64
			if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kilobytes); err == nil {
				s.peak = max(s.peak, kilobytes)
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func percentile(of []time.Duration, part float64) time.Duration {
	if len(of) == 0 {
		return 0
	}
	slices.Sort(of)
	return of[min(int(part*float64(len(of))), len(of)-1)]
}

// report prints what was measured, and reports whether all of it is as promised.
func (s *soak) report(alone, attacked []time.Duration) (reached bool) {
	reached = true
	line := func(ok bool, format string, values ...any) {
		word := "reached"
		if !ok {
			word, reached = "MISSED ", false
		}
		fmt.Printf("%s  %s\n", word, fmt.Sprintf(format, values...))
	}
	slowest, calm, p99 := percentile(s.health, 1), percentile(alone, .99), percentile(attacked, .99)
	line(s.peak < 600<<10, "peak resident memory: %d MB (below 600)", s.peak>>10)
	line(slowest <= 100*time.Millisecond && s.sick == 0, "/livez and /readyz: slowest %v, p99 %v, %d of %d not well (within 100 ms)", slowest, percentile(s.health, .99), s.sick, len(s.health))
	line(percentile(s.signIns, 1) <= 100*time.Millisecond, "signing in on a socket: slowest %v, p99 %v (within 100 ms)", percentile(s.signIns, 1), percentile(s.signIns, .99))
	line(p99 <= 10*calm, "customer(id) of a good caller, p99: %v alone, %v under attack (within 10 times); %d and %d requests", calm, p99, len(alone), len(attacked))
	line(s.came.Latest <= timeLimit+time.Second, "the latest answer: %v after its request (its time limit is %v)", s.came.Latest, timeLimit)
	fmt.Printf("         answers to the hostile, by status: %v\n", s.came.Statuses)
	return reached
}
