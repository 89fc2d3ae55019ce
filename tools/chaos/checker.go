package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/backoffice/tools/rig"
)

// counts are what the clients noticed during a fault.
type counts struct {
	acknowledged, lost, torn, disclosed, unentered, wrong, refused, byHand int
	replayed                                                               int // keys that were sent again, and did not answer their one record
	gaps                                                                   int // changes that the feed left out, repeated or put elsewhere
	miscounted                                                             int // counts that are not those of the rows
	mute                                                                   int // what the log had to say, and did not
	healthy                                                                time.Duration
	example                                                                string
	lines                                                                  []string // of the log, which name the fault
}

// isWhole reports whether nothing is wrong, and all was well again in time.
func (c *counts) isWhole(within time.Duration) bool {
	return c.lost+c.torn+c.unentered+c.wrong+c.replayed+c.gaps+c.miscounted+c.byHand+c.mute == 0 && c.healthy <= within && c.acknowledged > 0
}

// checker is a client that knows what it may read: two customers that only it changes, and always together.
type checker struct {
	client   *rig.Client
	of       *noted
	ids      [2]string
	versions [2]int
	begun    [2]int      // the versions that they were made with
	value    string      // that was acknowledged last
	open     []string    // that were sent since then, of which no answer came
	sent     []*creation // with a key each
	gone     []string    // identifiers of customers whose deletion was acknowledged
	notes    []note      // what the feed has to tell of what was acknowledged
	step     int         // of what was sent
	turn     int
	name     string
	deaf     func() bool // whether the server may be gone just now

	files map[string]string // digests of documents whose upload was acknowledged, by their identifiers

	elsewhere *rig.Client // of a second gateway; nil when there is none
	both      func() bool // whether it serves
	asked     int
}

// noted is what all checkers notice.
type noted struct {
	mu sync.Mutex
	counts
}

func (n *noted) addf(where *int, format string, values ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	*where++
	if format != "" && n.example == "" {
		n.example = fmt.Sprintf(format, values...)
	}
}

// asks is the client that asks this time: that of the other gateway each second time, while there are two.
const partialSuccess = 294

func (w *checker) asks() *rig.Client {
	w.asked++
	if w.both != nil && w.both() && w.asked%2 == 0 {
		return w.elsewhere
	}
	return w.client
}

// answered is the data of an answer; ok is whether it is one. What is none has to be as the contract names it.
func (w *checker) answered(into any, query string, variables any) (ok bool) {
	a, err := w.asks().Ask(query, variables)
	if err != nil {
		if !w.deaf() {
			w.of.addf(&w.of.wrong, "no answer: %v", err)
		}
		return false
	}
	var answer struct {
		Data   json.RawMessage
		Errors []struct{ Extensions struct{ Code string } }
	}
	if err := json.Unmarshal(a.Body, &answer); err != nil {
		if !w.deaf() { // a whole answer, or none
			w.of.addf(&w.of.wrong, "status %d, which is no JSON: %.200s", a.Status, a.Body)
		}
		return false
	}
	passing := len(answer.Errors) > 0
	for _, e := range answer.Errors {
		passing = passing && slices.Contains([]string{"UNAVAILABLE", "TIMEOUT", "RATE_LIMITED"}, e.Extensions.Code)
	}
	later := a.Header.Get("Retry-After") != ""
	switch {
	case a.Status == http.StatusOK && len(answer.Errors) == 0:
		if err := json.Unmarshal(answer.Data, into); err != nil {
			w.of.addf(&w.of.wrong, "data that was not asked for: %.200s", a.Body)
			return false
		}
		return true
	case a.Status == partialSuccess && passing, a.Status == http.StatusGatewayTimeout && passing,
		(a.Status == http.StatusServiceUnavailable || a.Status == http.StatusTooManyRequests) && passing && later:
		w.of.addf(&w.of.refused, "")
	default:
		w.of.addf(&w.of.wrong, "status %d, Retry-After %v: %.300s", a.Status, later, a.Body)
	}
	return false
}

type twin struct {
	ID, Email string
	Version   int
}

// begin makes the two customers.
func (w *checker) begin() error {
	var made struct {
		CreateCustomers struct {
			Results []struct{ Customer twin }
		}
	}
	input := map[string]any{"type": "PRIVATE_PERSON", "firstName": "Twin", "lastName": w.name, "email": "first@example.org", "registrationNumber": "85.07.30-033.28"}
	err := w.client.Decode(&made, `mutation($i: [CreateCustomerInput!]!) { createCustomers(inputs: $i) { results { customer { id email version } } } }`, map[string]any{"i": []any{input, input}})
	if err != nil || len(made.CreateCustomers.Results) != 2 {
		return fmt.Errorf("a checker cannot begin: %w", err)
	}
	for i, r := range made.CreateCustomers.Results {
		if r.Customer.ID == "" {
			return errors.New("a checker has no customers")
		}
		w.ids[i], w.versions[i] = r.Customer.ID, r.Customer.Version
	}
	w.value, w.begun, w.files = "first@example.org", w.versions, map[string]string{}
	return nil
}

func (w *checker) run(until <-chan struct{}) {
	for random := rand.New(rand.NewPCG(uint64(w.turn), 1)); ; w.turn++ {
		select {
		case <-until:
			return
		default:
		}
		switch random.IntN(12) {
		case 0, 1, 2, 3, 4:
			w.write()
		case 5, 6:
			w.make(random)
		case 7:
			w.replay(random)
		case 8:
			w.drop(random)
		case 9:
			w.disclose()
		case 10:
			w.upload()
		default:
			w.read()
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// write changes both, in a batch that is done whole or not at all.
func (w *checker) write() (acknowledged bool) {
	value := fmt.Sprintf("changed%d@example.org", w.turn)
	inputs := []any{}
	for i, id := range w.ids {
		inputs = append(inputs, map[string]any{"id": id, "email": value, "expectedVersion": w.versions[i]})
	}
	w.open = append(w.open, value)
	w.turn++
	w.step++
	began := w.step
	var done struct {
		UpdateCustomers struct {
			Written int
			Results []struct {
				Customer   *twin
				UserErrors []struct{ Code string }
			}
		}
	}
	if !w.answered(&done, `mutation($i: [UpdateCustomerInput!]!) { updateCustomers(inputs: $i) { written results { customer { id version } userErrors { code } } } }`, map[string]any{"i": inputs}) {
		return false
	}
	if done.UpdateCustomers.Written != 2 {
		w.open = w.open[:len(w.open)-1]
		if len(w.open) == 0 {
			w.of.addf(&w.of.wrong, "a write was refused that nothing stood against: %+v", done)
		}
		w.read()
		return false
	}
	for i, r := range done.UpdateCustomers.Results {
		w.versions[i] = r.Customer.Version
		w.notes = append(w.notes, note{id: w.ids[i], action: "UPDATED", which: r.Customer.Version - w.begun[i], from: began, to: w.step})
	}
	w.value, w.open = value, nil
	w.of.addf(&w.of.acknowledged, "")
	return true
}

// read reads both at one moment: they are as they were acknowledged last, or as something since then would have them.
func (w *checker) read() (ok bool) {
	var found struct{ A, B *twin }
	if !w.answered(&found, `query($a: ID!, $b: ID!) { a: customer(id: $a) { id email version } b: customer(id: $b) { id email version } }`, map[string]any{"a": w.ids[0], "b": w.ids[1]}) {
		return false
	}
	switch {
	case found.A == nil || found.B == nil:
		w.of.addf(&w.of.lost, "a customer is gone")
		return false
	case found.A.Email != found.B.Email:
		w.of.addf(&w.of.torn, "%s beside %s", found.A.Email, found.B.Email)
	case found.A.Email != w.value && !slices.Contains(w.open, found.A.Email):
		w.of.addf(&w.of.lost, "%s was acknowledged, %s is read; sent since then: %v", w.value, found.A.Email, w.open)
	case found.A.Email != w.value:
		w.open = nil // the version has moved, so that no other of them can be done any more
	}
	w.value, w.versions = found.A.Email, [2]int{found.A.Version, found.B.Version}
	return true
}

func (w *checker) disclose() {
	var found struct {
		Customer *struct{ RegistrationNumber string }
	}
	if w.answered(&found, `query($id: ID!) { customer(id: $id) { registrationNumber } }`, map[string]any{"id": w.ids[0]}) && found.Customer != nil {
		w.of.addf(&w.of.disclosed, "")
		if !strings.ContainsAny(found.Customer.RegistrationNumber, "0123456789") {
			w.of.addf(&w.of.wrong, "a number is not disclosed: %q", found.Customer.RegistrationNumber)
		}
	}
}

// verify looks, when all is well, for everything that was acknowledged.
func (w *checker) verify() {
	if !w.read() {
		w.of.addf(&w.of.wrong, "nothing can be read when all is well")
	}
	w.replayAll()
	var made []string
	for _, c := range w.sent {
		if c.id != "" && c.stands() {
			made = append(made, c.id)
		}
	}
	w.exist(made, true)
	w.exist(w.gone, false)
	for id, digest := range w.files {
		w.download(id, digest)
	}
}

// exist looks for records that have to be there, or not.
func (w *checker) exist(all []string, there bool) {
	for ids := range slices.Chunk(all, 100) {
		var found struct{ Nodes []*struct{ ID string } }
		if !w.answered(&found, `query($ids: [ID!]!) { nodes(ids: $ids) { id } }`, map[string]any{"ids": ids}) {
			w.of.addf(&w.of.wrong, "nothing can be read when all is well")
			return
		}
		for at, node := range found.Nodes {
			switch {
			case node == nil && there:
				w.of.addf(&w.of.lost, "a record that was made is gone: %s", ids[at])
			case node != nil && !there:
				w.of.addf(&w.of.lost, "a customer that was deleted is there: %s", ids[at])
			}
		}
	}
}
