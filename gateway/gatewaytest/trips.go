package gatewaytest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres/pgtest"
)

// MostTrips is how many round trips to PostgreSQL a write may take. Each adds the latency of the network.
const MostTrips = 4

// Write is a request that writes, as one of several of its kind.
type Write struct {
	Method, Path, Body string
	Key                string // the idempotency key, in a header
}

// Faraway is an office whose round trips to PostgreSQL are counted.
type Faraway struct {
	*Office
	Relay *pgtest.Relay
	ID    [2]string
	made  atomic.Int64
}

// Word returns another word each time.
func (f *Faraway) Word(prefix string) string {
	return fmt.Sprint(prefix, f.made.Add(1))
}

// Mutation is a mutation with one input.
func Mutation(field, input, payload string) Write {
	body, _ := json.Marshal(map[string]string{"query": "mutation { " + field + "(input: {" + input + "}) { " + payload + " userErrors { code field message } } }"})
	return Write{Method: http.MethodPost, Path: "/graphql", Body: string(body)}
}

// Do sends a write that must succeed, and returns its answer and the number of its round trips.
func (f *Faraway) Do(t testing.TB, w Write) (answer string, trips int) {
	t.Helper()
	before := f.Relay.Trips()
	r := httptest.NewRequestWithContext(t.Context(), w.Method, w.Path, strings.NewReader(w.Body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(auth.ClientIDHeader, f.ID[0])
	r.Header.Set(auth.ClientSecretHeader, f.ID[1])
	if w.Key != "" {
		r.Header.Set("Idempotency-Key", w.Key)
	}
	response := httptest.NewRecorder()
	f.Handler.ServeHTTP(response, r)
	trips = f.Relay.Trips() - before
	answer = response.Body.String()
	if response.Code >= 300 || strings.Contains(answer, `"code"`) {
		t.Fatalf("%s %s %s: %d %s", w.Method, w.Path, w.Body, response.Code, answer)
	}
	return answer, trips
}

// madeBy returns the identifier of what a write made.
func (f *Faraway) madeBy(t testing.TB, w Write) string {
	t.Helper()
	answer, _ := f.Do(t, w)
	_, id, found := strings.Cut(answer, `"id":"`)
	if !found {
		t.Fatal(answer)
	}
	id, _, _ = strings.Cut(id, `"`)
	return id
}

// NewCustomer makes a customer.
func (f *Faraway) NewCustomer(t testing.TB) string {
	return f.madeBy(t, Mutation("createCustomer", `type: COMPANY, name: "made"`, "customer { id }"))
}

// NewRelation makes a relation of acme to a new customer.
func (f *Faraway) NewRelation(t testing.TB) string {
	return f.madeBy(t, Mutation("createCustomerRelation", fmt.Sprintf(`customerId: "acme", relatedCustomerId: %q, kind: DIRECTOR`, f.NewCustomer(t)), "relation { id }"))
}

// NewUser makes a user that is responsible for a customer: no API does.
func (f *Faraway) NewUser(t testing.TB) string {
	t.Helper()
	id := f.Word("user-")
	if err := f.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		return tx.Users().Insert(ctx, &backoffice.User{ID: id, FirstName: "An", LastName: "Peeters", Email: "an@example.org", Version: 1})
	}); err != nil {
		t.Fatal(err)
	}
	f.Do(t, Mutation("updateCustomer", fmt.Sprintf(`id: %q, responsibleId: %q`, f.NewCustomer(t), id), "customer { id }"))
	return id
}

// MutationsOnTheWay are the most expensive writes of each mutation.
var MutationsOnTheWay = map[string]func(t testing.TB, f *Faraway) Write{
	"assignChecklist": func(t testing.TB, f *Faraway) Write {
		return Mutation("assignChecklist", fmt.Sprintf(`checklistId: "list-2026-nl", customerId: "acme", customVariables: {a: 1}, idempotencyKey: %q`, f.Word("key")), "transcript { id }")
	},
	"generateTranscriptDocument": func(t testing.TB, f *Faraway) Write {
		return Mutation("generateTranscriptDocument", `transcriptId: "tr-2"`, "transcript { id }")
	},
	"createCustomer": func(t testing.TB, f *Faraway) Write {
		return Mutation("createCustomer", fmt.Sprintf(`type: COMPANY, name: "made", scopes: ["checklist"], customerCode: %q, responsibleId: "user-an", idempotencyKey: %q`, f.Word("code"), f.Word("key")), "customer { id }")
	},
	"updateCustomer": func(t testing.TB, f *Faraway) Write {
		return Mutation("updateCustomer", fmt.Sprintf(`id: %q, name: "changed", scopes: ["checklist"], customerCode: %q, responsibleId: "user-an", expectedVersion: 1`, f.NewCustomer(t), f.Word("code")), "customer { id }")
	},
	"deleteCustomer": func(t testing.TB, f *Faraway) Write {
		customer := f.NewCustomer(t)
		f.Do(t, Mutation("assignChecklist", fmt.Sprintf(`checklistId: "list-2026-nl", customerId: %q`, customer), "transcript { id }"))
		return Mutation("deleteCustomer", fmt.Sprintf(`id: %q, expectedVersion: 1`, customer), "deletedCustomerId")
	},
	"mergeCustomers": func(t testing.TB, f *Faraway) Write {
		keep, drop := f.NewCustomer(t), f.NewCustomer(t)
		f.Do(t, Mutation("assignChecklist", fmt.Sprintf(`checklistId: "list-2026-nl", customerId: %q`, drop), "transcript { id }"))
		f.Do(t, Mutation("createCustomerRelation", fmt.Sprintf(`customerId: "acme", relatedCustomerId: %q, kind: DIRECTOR`, drop), "relation { id }"))
		f.Do(t, Mutation("updateCustomer", fmt.Sprintf(`id: %q, customerCode: %q, responsibleId: "user-an"`, drop, f.Word("code")), "customer { id }"))
		return Mutation("mergeCustomers", fmt.Sprintf(`keepId: %q, dropId: %q, idempotencyKey: %q`, keep, drop, f.Word("key")), "customer { id }")
	},
	"createCustomers": func(t testing.TB, f *Faraway) Write {
		input := func() string {
			return fmt.Sprintf(`{type: COMPANY, name: "made", scopes: ["checklist"], customerCode: %q, responsibleId: "user-an"}`, f.Word("code"))
		}
		return batchMutation("createCustomers", input()+input(), fmt.Sprintf(`idempotencyKey: %q`, f.Word("key")))
	},
	"updateCustomers": func(t testing.TB, f *Faraway) Write {
		input := func() string {
			return fmt.Sprintf(`{id: %q, name: "changed", scopes: ["checklist"], customerCode: %q, responsibleId: "user-an", expectedVersion: 1}`, f.NewCustomer(t), f.Word("code"))
		}
		return batchMutation("updateCustomers", input()+input(), "")
	},
	"deleteCustomers": func(t testing.TB, f *Faraway) Write {
		input := func() string { return fmt.Sprintf(`{id: %q, expectedVersion: 1}`, f.NewCustomer(t)) }
		return batchMutation("deleteCustomers", input()+input(), "")
	},
	"createCustomerRelations": func(t testing.TB, f *Faraway) Write {
		input := func() string {
			return fmt.Sprintf(`{customerId: "acme", relatedCustomerId: %q, kind: DIRECTOR}`, f.NewCustomer(t))
		}
		return batchMutation("createCustomerRelations", input()+input(), fmt.Sprintf(`idempotencyKey: %q`, f.Word("key")))
	},
	"assignChecklists": func(t testing.TB, f *Faraway) Write {
		return Mutation("assignChecklists", fmt.Sprintf(`checklistId: "list-2026-nl", customerIds: [%q, %q], idempotencyKey: %q`, f.NewCustomer(t), f.NewCustomer(t), f.Word("key")), "assigned")
	},
	"createCustomerRelation": func(t testing.TB, f *Faraway) Write {
		return Mutation("createCustomerRelation", fmt.Sprintf(`customerId: "acme", relatedCustomerId: %q, kind: DIRECTOR, idempotencyKey: %q`, f.NewCustomer(t), f.Word("key")), "relation { id }")
	},
	"updateCustomerRelation": func(t testing.TB, f *Faraway) Write {
		return Mutation("updateCustomerRelation", fmt.Sprintf(`id: %q, endDate: "2026-12-31", expectedVersion: 1`, f.NewRelation(t)), "relation { id }")
	},
	"noteDiscrepancy": func(_ testing.TB, f *Faraway) Write {
		return Mutation("noteDiscrepancy", fmt.Sprintf(`id: "discrepancy-1", note: %q`, f.Word("note ")), "discrepancy { id }")
	},
	"deleteCustomerRelation": func(t testing.TB, f *Faraway) Write {
		return Mutation("deleteCustomerRelation", fmt.Sprintf(`id: %q`, f.NewRelation(t)), "deletedRelationId")
	},
	"createDocumentUpload": func(testing.TB, *Faraway) Write {
		return Mutation("createDocumentUpload", `customerId: "acme", name: "a.txt"`, "uploadPath")
	},
	"createLabel": func(t testing.TB, f *Faraway) Write {
		return Mutation("createLabel", fmt.Sprintf(`name: %q, idempotencyKey: %q`, f.Word("label "), f.Word("key")), "label { id }")
	},
	"updateUser": func(t testing.TB, f *Faraway) Write {
		return Mutation("updateUser", fmt.Sprintf(`id: %q, firstName: "Another", labelIds: ["label-audit"], expectedVersion: 1`, f.NewUser(t)), "user { id }")
	},
	"saveQuery": func(t testing.TB, f *Faraway) Write {
		return Mutation("saveQuery", fmt.Sprintf(`name: %q, document: "query Q { viewer { name } }"`, strings.ReplaceAll(f.Word("query-"), " ", "")), "savedQuery { name }")
	},
	"removeSavedQuery": func(t testing.TB, f *Faraway) Write {
		name := f.Word("query-")
		f.Do(t, Mutation("saveQuery", fmt.Sprintf(`name: %q, document: "query Q { viewer { name } }"`, name), "savedQuery { name }"))
		return Mutation("removeSavedQuery", fmt.Sprintf(`name: %q`, name), "removedName")
	},
	"deleteUser": func(t testing.TB, f *Faraway) Write {
		return Mutation("deleteUser", fmt.Sprintf(`id: %q, expectedVersion: 1`, f.NewUser(t)), "deletedUserId")
	},
}

func batchMutation(field, inputs, others string) Write {
	body, _ := json.Marshal(map[string]string{"query": "mutation { " + field + "(inputs: [" + inputs + "] " + others + ") { written userErrors { code field message } results { userErrors { code field message } } } }"})
	return Write{Method: http.MethodPost, Path: "/graphql", Body: string(body)}
}
