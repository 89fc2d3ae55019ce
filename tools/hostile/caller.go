package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"time"
)

// The callers are processes of their own. The hostile ones read answers of megabytes: their garbage is not to delay a
// clock that is about the server, and since the server shares its processors with them here and with nobody on a
// machine of its own, they give way to it (nice).

// task is what callers are given.
type task struct {
	Address     string
	Friend      credential
	Hostile     []credential
	IDs         []string
	Connections int
	Duration    time.Duration
}

// parts are the callers, by what the program is called with.
var parts = map[string]func(in io.Reader, out io.Writer) error{"friend": beFriend, "hostile": beHostile}

// run lets a caller do a task, and reads what it says of it.
func (t task) run(part string, said any) error {
	given, err := json.Marshal(t)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	command := exec.Command(program, part)
	if part == "hostile" {
		command = exec.Command("nice", "-n", "19", program, part)
	}
	command.Stdin, command.Stderr = bytes.NewReader(given), os.Stderr
	out, err := command.Output()
	if err != nil {
		return err
	}
	return json.Unmarshal(out, said)
}

// caller sends requests.
type caller struct {
	address string
	client  *http.Client
}

// post asks a question and reads all of the answer.
func (c *caller) post(as credential, query string, variables any) (status int, body []byte, err error) {
	sent, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return 0, nil, err
	}
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://"+c.address+"/graphql", bytes.NewReader(sent))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/graphql-response+json")
	return c.send(as, request)
}

func (c *caller) send(as credential, request *http.Request) (status int, body []byte, err error) {
	request.Header.Set("X-Client-Id", as.ClientID)
	request.Header.Set("X-Client-Secret", as.ClientSecret)
	response, err := c.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	return response.StatusCode, body, err
}

// beFriend is the good caller: it asks for one customer after the other, and tells how long each answer took. A
// refusal counts as the longest.
func beFriend(in io.Reader, out io.Writer) error {
	var t task
	if err := json.NewDecoder(in).Decode(&t); err != nil {
		return err
	}
	c := &caller{t.Address, &http.Client{Timeout: 2 * time.Minute}}
	var took []time.Duration
	for i, end := 0, time.Now().Add(t.Duration); time.Now().Before(end); i++ {
		began := time.Now()
		status, _, err := c.post(t.Friend, `query($id: ID!) { customer(id: $id) { id displayName } }`, map[string]string{"id": t.IDs[i%len(t.IDs)]})
		spent := time.Since(began)
		if err != nil || status != http.StatusOK {
			spent = max(spent, timeLimit)
		}
		took = append(took, spent)
		time.Sleep(5 * time.Millisecond)
	}
	return json.NewEncoder(out).Encode(took)
}

// hostility is what became of the hostile requests.
type hostility struct {
	Statuses map[int]int
	Latest   time.Duration
}

// attackers are the hostile callers.
type attackers struct {
	caller
	hostile []credential
	ids     []string

	mu   sync.Mutex
	came hostility
}

func (a *attackers) note(status int, took time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.came.Statuses[status]++
	a.came.Latest = max(a.came.Latest, took)
}

func beHostile(in io.Reader, out io.Writer) error {
	var t task
	if err := json.NewDecoder(in).Decode(&t); err != nil {
		return err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 2 * t.Connections
	a := &attackers{caller: caller{t.Address, &http.Client{Transport: transport, Timeout: 2 * time.Minute}},
		hostile: t.Hostile, ids: t.IDs, came: hostility{Statuses: map[int]int{}}}
	var all sync.WaitGroup
	end := time.Now().Add(t.Duration)
	for i := range t.Connections {
		all.Go(func() { a.attack(i, end) })
	}
	all.Wait()
	return json.NewEncoder(out).Encode(a.came)
}
