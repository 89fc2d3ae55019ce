package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"
)

// creation is a record that is made with an idempotency key: however often it is sent, one record exists.
type creation struct {
	noun    string // as the feed names it
	key     string
	name    string         // that no other record of the noun has; "" for nouns without names
	input   map[string]any // of GraphQL
	path    string         // of REST
	body    any            // of REST; of a document its bytes
	on      []*creation    // customers that it hangs on
	began   int            // the checker's step at which it was sent first
	id      string         // of the record, once it was answered
	dropped bool           // its deletion was sent

	related, assigned bool // a customer that has a relation, or a transcript
}

// mutations make a record of each noun; documents are sent to REST alone.
var mutations = map[string]string{
	"CUSTOMER":          `mutation($i: CreateCustomerInput!) { done: createCustomer(input: $i) { made: customer { id } userErrors { code } } }`,
	"LABEL":             `mutation($i: CreateLabelInput!) { done: createLabel(input: $i) { made: label { id } userErrors { code } } }`,
	"CUSTOMER_RELATION": `mutation($i: CreateCustomerRelationInput!) { done: createCustomerRelation(input: $i) { made: relation { id } userErrors { code } } }`,
	"TRANSCRIPT":        `mutation($i: AssignChecklistInput!) { done: assignChecklist(input: $i) { made: transcript { id } userErrors { code } } }`,
}

// newCreation names a record and its key so that no other one of any checker has them.
func (w *checker) newCreation(noun string, input map[string]any, on ...*creation) *creation {
	w.turn++
	c := &creation{noun: noun, key: fmt.Sprintf("%s %d %x", w.name, w.turn, rand.Uint64()), input: input, on: on, began: w.step + 1}
	body := maps.Clone(input)
	switch noun {
	case "CUSTOMER":
		c.name, c.path = c.key, "/customers"
		input["name"], input["type"] = c.name, "COMPANY"
		body = map[string]any{"name": c.name, "type": "Company"}
	case "LABEL":
		c.name, c.path = c.key, "/settings/labels"
		input["name"], body["name"] = c.name, c.name
	case "CUSTOMER_RELATION":
		of, other := on[0].id, on[len(on)-1].id
		c.path = "/customers/" + of + "/relations"
		input["customerId"], input["relatedCustomerId"], input["kind"] = of, other, "DIRECTOR"
		body = map[string]any{"relatedCustomer": other, "kind": "director"}
	case "TRANSCRIPT":
		c.path = "/checklists/assign"
		input["customerId"] = on[0].id
		body = map[string]any{"checklist": input["checklistId"], "customer": on[0].id}
	}
	c.body = body
	if input != nil {
		input["idempotencyKey"] = c.key
	}
	w.sent = append(w.sent, c)
	return c
}

// stands reports whether the record has to exist once it was made.
func (c *creation) stands() bool {
	return !c.dropped && !slices.ContainsFunc(c.on, func(on *creation) bool { return on.dropped })
}

// send makes a record, or asks again for the one that its key has made. Each second replay goes by the other face of
// the program, which knows the same keys.
func (w *checker) send(c *creation, replay bool) (answered bool) {
	w.step++
	var id, refused string
	var ok bool
	if c.noun == "CUSTOMER_DOCUMENT" || replay && w.step%2 == 0 {
		id, refused, ok = w.postREST(c)
	} else {
		id, refused, ok = w.postGraphQL(c)
	}
	switch {
	case !ok:
		return false
	case refused != "" && replay:
		w.of.addf(&w.of.replayed, "%s: a key was sent again, and refused: %s", c.noun, refused)
	case refused != "":
		w.of.addf(&w.of.wrong, "%s: a creation was refused that nothing stood against: %s", c.noun, refused)
	case c.id == "":
		c.id = id
		if content, ok := c.body.([]byte); ok {
			w.files[id] = digestOf(content)
		}
		w.notes = append(w.notes, note{id: id, action: "CREATED", from: c.began, to: w.step})
		w.of.addf(&w.of.acknowledged, "")
	case c.id != id:
		w.of.addf(&w.of.replayed, "%s: one key was answered with %s, then with %s", c.noun, c.id, id)
	}
	return true
}

func (w *checker) postGraphQL(c *creation) (id, refused string, ok bool) {
	var got struct {
		Done struct {
			Made       *struct{ ID string }
			UserErrors []struct{ Code string }
		}
	}
	if !w.answered(&got, mutations[c.noun], map[string]any{"i": c.input}) {
		return "", "", false
	}
	if got.Done.Made == nil {
		return "", fmt.Sprint(got.Done.UserErrors), true
	}
	return got.Done.Made.ID, "", true
}

func (w *checker) postREST(c *creation) (id, refused string, ok bool) {
	content, isFile := c.body.([]byte)
	kind := "text/plain"
	if !isFile {
		var err error
		if content, err = json.Marshal(c.body); err != nil {
			return "", err.Error(), true
		}
		kind = "application/json"
	}
	client := w.asks()
	request, err := http.NewRequest(http.MethodPost, "http://"+client.Address+c.path, bytes.NewReader(content))
	if err != nil {
		return "", err.Error(), true
	}
	request.Header.Set("Content-Type", kind)
	request.Header.Set("Idempotency-Key", c.key)
	a, err := client.Do(request)
	if err == nil && (a.Status == http.StatusUnprocessableEntity || a.Status == http.StatusNotFound) {
		return "", fmt.Sprintf("%.300s", a.Body), true
	}
	if !w.rest(a, err, http.StatusCreated) {
		return "", "", false
	}
	var made struct {
		ID string `json:"_id"`
	}
	if err := json.Unmarshal(a.Body, &made); err != nil || made.ID == "" {
		w.of.addf(&w.of.wrong, "a creation was answered with %.200s", a.Body)
		return "", "", false
	}
	return made.ID, "", true
}

// standing are the customers that were made and may have records of their own.
func (w *checker) standing() (found []*creation) {
	for _, c := range w.sent {
		if c.noun == "CUSTOMER" && c.id != "" && c.stands() {
			found = append(found, c)
		}
	}
	return found
}

// make makes a customer, a label, or a record of customers that were made.
func (w *checker) make(random *rand.Rand) {
	customers := w.standing()
	switch random.IntN(4) {
	case 0:
		w.send(w.newCreation("LABEL", map[string]any{}), false)
	case 1:
		at := slices.IndexFunc(customers, func(c *creation) bool { return !c.related })
		if at > 0 {
			customers[at].related = true
			w.send(w.newCreation("CUSTOMER_RELATION", map[string]any{}, customers[at-1], customers[at]), false)
			return
		}
	case 2:
		if at := slices.IndexFunc(customers, func(c *creation) bool { return !c.assigned }); at >= 0 {
			customers[at].assigned = true
			w.send(w.newCreation("TRANSCRIPT", map[string]any{"checklistId": checklist}, customers[at]), false)
			return
		}
	}
	w.send(w.newCreation("CUSTOMER", map[string]any{}), false)
}

// replay sends a creation again: the oldest of which no answer came, or any.
func (w *checker) replay(random *rand.Rand) {
	var of []*creation
	for _, c := range w.sent {
		if c.stands() {
			of = append(of, c)
		}
	}
	if len(of) == 0 {
		return
	}
	c := of[random.IntN(len(of))]
	if lost := slices.IndexFunc(of, func(c *creation) bool { return c.id == "" }); lost >= 0 {
		c = of[lost]
	}
	w.send(c, true)
}

// drop deletes a customer with all that hangs on it.
func (w *checker) drop(random *rand.Rand) {
	customers := w.standing()
	if len(customers) < 4 {
		return
	}
	c := customers[random.IntN(len(customers))]
	c.dropped = true
	w.step++
	began := w.step
	var done struct {
		DeleteCustomer struct {
			DeletedCustomerID string
			UserErrors        []struct{ Code string }
		}
	}
	if !w.answered(&done, `mutation($i: DeleteCustomerInput!) { deleteCustomer(input: $i) { deletedCustomerId userErrors { code } } }`, map[string]any{"i": map[string]any{"id": c.id}}) {
		return
	}
	if done.DeleteCustomer.DeletedCustomerID != c.id {
		w.of.addf(&w.of.lost, "a customer that was made cannot be deleted: %+v", done)
		return
	}
	w.gone = append(w.gone, c.id)
	w.notes = append(w.notes, note{id: c.id, action: "DELETED", from: began, to: w.step})
	w.of.addf(&w.of.acknowledged, "")
}

// replayAll sends every creation again when all is well.
func (w *checker) replayAll() {
	for _, c := range w.sent {
		if c.stands() && !patiently(func() bool { return w.send(c, true) }) {
			w.of.addf(&w.of.wrong, "a creation cannot be sent again when all is well")
		}
	}
}

// patiently tries until something works, which may be refused meanwhile.
func patiently(try func() bool) bool {
	for range 100 {
		if try() {
			return true
		}
		time.Sleep(100 * time.Millisecond)
	}
	return false
}

// checklist is the one that checkers assign.
const checklist = "chaos-checklist"

// checklists is a folder of an import with it.
func checklists() map[string]string {
	return map[string]string{
		"financialyears.ndjson": `{"_id":"chaos-year","startDate":"2026","endDate":"2026","isCurrentYear":true,"archivedAt":null}`,
		"checklists.ndjson": `{"_id":"` + checklist + `","name":"Chaos","language":"dutch","authRequired":false,"remindersEnabled":false,` +
			`"financialYear":"chaos-year"}`,
	}
}
