package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"example.org/backoffice/tools/rig"
)

// outcome is what became of the requests.
type outcome struct {
	mu       sync.Mutex
	requests int
	wrong    int
	example  string // of a wrong one
	writes   int
	slowest  time.Duration
}

func (o *outcome) note(a rig.Answer, err error, wanted string, wrote bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.requests++
	o.slowest = max(o.slowest, a.Took)
	if wrote {
		o.writes++
	}
	if err != nil || a.Status != http.StatusOK || bytes.Contains(a.Body, []byte(`"errors"`)) || !bytes.Contains(a.Body, []byte(wanted)) {
		o.wrong++
		if o.example == "" {
			o.example = fmt.Sprintf("status %d, %v: %.200s", a.Status, err, a.Body)
		}
	}
}

// send sends the mix at the rate, until the end.
func (s *soak) send() {
	const workers = 8
	turns := make(chan int, workers)
	var all sync.WaitGroup
	for worker := range workers {
		random := rand.New(rand.NewPCG(1, uint64(worker)))
		all.Go(func() {
			for turn := range turns {
				s.one(random, turn)
			}
		})
	}
	ticker := time.NewTicker(time.Second / time.Duration(s.rate))
	for turn := 0; time.Since(s.began) < s.duration; turn++ {
		<-ticker.C
		turns <- turn
	}
	close(turns)
	all.Wait()
}

// one sends one request of the mix: pages and single objects, searches, REST, and a fifth of writes.
func (s *soak) one(random *rand.Rand, turn int) {
	id := s.ids[random.IntN(len(s.ids))]
	only := map[string]any{"id": id}
	ask := func(c *rig.Client, query string, variables any, wanted string) {
		a, err := c.Ask(query, variables)
		s.came.note(a, err, wanted, false)
	}
	write := func(query string, input map[string]any, wanted string) rig.Answer {
		a, err := s.writer.Ask(query, map[string]any{"input": input})
		s.came.note(a, err, wanted, true)
		return a
	}
	switch random.IntN(20) {
	case 0, 1, 2:
		ask(s.plain, `query($id: ID!) { customer(id: $id) { id displayName relations(first: 5) { edges { otherCustomer { id } } } } }`, only, id)
	case 3, 4:
		ask(s.writer, `query($id: ID!) { customer(id: $id) { id registrationNumber } }`, only, id)
	case 5, 6:
		ask(s.plain, fmt.Sprintf(`{ customers(first: 50) { totalCount nodes { id name } } } # %d`, turn%3), nil, "totalCount")
	case 7: // a document that nobody sent before
		ask(s.plain, fmt.Sprintf(`query($id: ID!) { customer(id: $id) { id a%d: name } }`, turn), only, id)
	case 8:
		ask(s.plain, `query($s: String!) { customers(first: 10, filter: {search: $s}) { nodes { id } } }`, map[string]any{"s": fmt.Sprintf("Company %06d", random.IntN(s.customers))}, "nodes")
	case 9, 10:
		a, err := s.plain.Get("/customers?pageSize=20")
		s.came.note(a, err, "", false)
	case 11: // one whose client goes away
		impatient := rig.NewClient(s.server.Address, s.plain.Credential, 1, 2*time.Millisecond)
		_, _ = impatient.Ask(`{ customers(first: 500) { nodes { id name email } } }`, nil)
		impatient.HTTP.CloseIdleConnections()
	case 12, 13, 14:
		write(`mutation($input: UpdateCustomerInput!) { updateCustomer(input: $input) { customer { id phone } userErrors { message } } }`,
			map[string]any{"id": id, "phone": fmt.Sprintf("+32 9 %07d", turn%10_000_000)}, `"userErrors":[]`)
	case 15: // refused, and nothing of it stays
		a, err := s.writer.Ask(`mutation($input: UpdateCustomerInput!) { updateCustomer(input: $input) { userErrors { code } } }`, map[string]any{"input": map[string]any{"id": id, "expectedVersion": 999_999_999}})
		s.came.note(a, err, `"userErrors":[{`, false)
	case 16:
		write(`mutation($input: UpdateCustomerInput!) { updateCustomer(input: $input) { customer { id registrationNumber } userErrors { message } } }`,
			map[string]any{"id": id, "language": []string{"dutch", "french"}[turn%2]}, `"userErrors":[]`)
	case 17:
		s.makeAndDelete(write, turn)
	default:
		ask(s.plain, `{ customers(first: 20) { nodes { id transcripts(first: 5) { nodes { id } } relations(first: 5) { nodes { kind } } } } }`, nil, "nodes")
	}
}

func (s *soak) makeAndDelete(write func(string, map[string]any, string) rig.Answer, turn int) {
	a := write(`mutation($input: CreateCustomerInput!) { createCustomer(input: $input) { customer { id } userErrors { message } } }`,
		map[string]any{"type": "COMPANY", "name": fmt.Sprintf("For a moment %d", turn)}, `"userErrors":[]`)
	_, rest, _ := bytes.Cut(a.Body, []byte(`"id":"`))
	made, _, found := bytes.Cut(rest, []byte(`"`))
	if found {
		write(`mutation($input: DeleteCustomerInput!) { deleteCustomer(input: $input) { userErrors { message } } }`, map[string]any{"id": string(made)}, `"userErrors":[]`)
	}
}
