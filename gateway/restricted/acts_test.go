package restricted

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/importexport"
)

// acts are the ways in which an office changes what a restricted credential may see: its mutations, by their names, and what
// operators do. Each answers what was done, for the report of a fault.
var acts = map[string]func(a *acting) string{
	"createCustomer": func(a *acting) string {
		return a.mutation(fmt.Sprintf(`createCustomer(input: {type: COMPANY, name: "New", responsibleId: %s})`, a.user()))
	},
	"createCustomers": func(a *acting) string {
		return a.mutation(fmt.Sprintf(`createCustomers(inputs: [{type: COMPANY, name: "New", responsibleId: %s}, {type: COMPANY, name: "Newer"}])`, a.user()))
	},
	"updateCustomer": func(a *acting) string {
		if a.d.IntN(5) == 0 {
			return a.mutation(fmt.Sprintf(`updateCustomer(input: {id: %s, email: "a%d@b.example"})`, a.customer(), a.d.IntN(100)))
		}
		return a.mutation(fmt.Sprintf(`updateCustomer(input: {id: %s, responsibleId: %s})`, a.customer(), a.userOrNone()))
	},
	"updateCustomers": func(a *acting) string {
		return a.mutation(fmt.Sprintf(`updateCustomers(inputs: [{id: %s, responsibleId: %s}, {id: %s, responsibleId: %s}])`,
			a.customer(), a.userOrNone(), a.customer(), a.userOrNone()))
	},
	"deleteCustomer": func(a *acting) string {
		return a.mutation(fmt.Sprintf(`deleteCustomer(input: {id: %s})`, a.customer()))
	},
	"deleteCustomers": func(a *acting) string {
		return a.mutation(fmt.Sprintf(`deleteCustomers(inputs: [{id: %s}, {id: %s}])`, a.customer(), a.customer()))
	},
	"mergeCustomers": func(a *acting) string {
		return a.mutation(fmt.Sprintf(`mergeCustomers(input: {keepId: %s, dropId: %s})`, a.customer(), a.customer()))
	},
	"createCustomerRelation": func(a *acting) string {
		return a.mutation(fmt.Sprintf(`createCustomerRelation(input: {customerId: %s, relatedCustomerId: %s, kind: UBO})`, a.customer(), a.customer()))
	},
	"createCustomerRelations": func(a *acting) string {
		return a.mutation(fmt.Sprintf(`createCustomerRelations(inputs: [{customerId: %s, relatedCustomerId: %s, kind: DIRECTOR}])`, a.customer(), a.customer()))
	},
	"updateCustomerRelation": func(a *acting) string {
		return a.mutation(fmt.Sprintf(`updateCustomerRelation(input: {id: %q, sharePercent: %d, endDate: %s})`, gatewaytest.AnyOf(a.d, a.Relations).ID, a.d.IntN(100), gatewaytest.AnyOf(a.d, []string{"null", `"2025-01-01"`})))
	},
	"noteDiscrepancy": func(a *acting) string {
		return a.mutation(fmt.Sprintf(`noteDiscrepancy(input: {id: %q, note: "x"})`, gatewaytest.AnyOf(a.d, a.Discrepancies).ID))
	},
	"deleteCustomerRelation": func(a *acting) string {
		return a.mutation(fmt.Sprintf(`deleteCustomerRelation(input: {id: %q})`, gatewaytest.AnyOf(a.d, a.Relations).ID))
	},
	"assignChecklist": func(a *acting) string {
		return a.mutation(fmt.Sprintf(`assignChecklist(input: {checklistId: %q, customerId: %s})`, gatewaytest.AnyOf(a.d, a.Checklists).ID, a.customer()))
	},
	"assignChecklists": func(a *acting) string {
		return a.mutation(fmt.Sprintf(`assignChecklists(input: {checklistId: %q, customerIds: [%s, %s]})`, gatewaytest.AnyOf(a.d, a.Checklists).ID, a.customer(), a.customer()))
	},
	"updateUser": func(a *acting) string {
		return a.mutation(fmt.Sprintf(`updateUser(input: {id: %s, labelIds: [%s]})`, a.user(), a.someLabels()))
	},
	"deleteUser": func(a *acting) string { return a.mutation(fmt.Sprintf(`deleteUser(input: {id: %s})`, a.user())) },
	"delete a transcript": func(a *acting) string {
		id := gatewaytest.AnyOf(a.d, a.Records.Transcripts).ID
		return a.write("the transcript goes: "+id, func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.Transcripts().Delete(ctx, id)
			return err
		})
	},
	"delete a document": func(a *acting) string {
		id := gatewaytest.AnyOf(a.d, a.Documents).ID
		return a.write("the document goes: "+id, func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.Documents().Delete(ctx, id)
			return err
		})
	},
	"restore from the trash": func(a *acting) string {
		list := a.InTrash(a.t)
		if len(list) == 0 {
			return "the trash is empty"
		}
		id := gatewaytest.AnyOf(a.d, list).ID
		_, err := a.Service().RestoreTrashed(a.t.Context(), id)
		return fmt.Sprint("restored: ", id, err)
	},
	"import": func(a *acting) string { return a.imports() },
	"move a year": func(a *acting) string {
		moved := *gatewaytest.AnyOf(a.d, a.Years)
		moved.StartDate = fmt.Sprint(2023 + a.d.IntN(4))
		return a.write("the year "+moved.ID+" starts in "+moved.StartDate, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.FinancialYears().Upsert(ctx, []*backoffice.FinancialYear{&moved})
		})
	},
}

// moveNothing are the mutations after which a restricted credential sees the records that it saw.
var moveNothing = []string{"createLabel", "createDocumentUpload", "generateTranscriptDocument", "saveQuery", "removeSavedQuery"}

func TestCopiesFollowEachMutation(t *testing.T) {
	t.Parallel()
	for _, mutation := range gatewaytest.MutationsOfTheSchema(t) {
		if acts[mutation.Name] == nil && !slices.Contains(moveNothing, mutation.Name) {
			t.Errorf("no history has %s: add it to acts, or to those that move nothing", mutation.Name)
		}
	}
}

// acting is an office whose records are changed at random.
type acting struct {
	*gatewaytest.Office
	*gatewaytest.Records
	t     testing.TB
	d     *rand.Rand
	admin [2]string
}

// act does one of acts; those that give customers, labels and years away are the most frequent.
func (a *acting) act() string {
	names := slices.Sorted(maps.Keys(acts))
	names = append(names, "updateCustomer", "updateCustomer", "updateUser", "updateUser", "assignChecklist", "import", "restore from the trash", "deleteCustomer")
	return acts[gatewaytest.AnyOf(a.d, names)](a)
}

func (a *acting) mutation(text string) string {
	if strings.Contains(text, "s(inputs:") { // the results of a batch have the errors
		a.Answers(a.t, a.admin, "mutation { "+text+" { written } }")
	} else {
		a.Answers(a.t, a.admin, "mutation { "+text+" { userErrors { code } } }")
	}
	return text
}

func (a *acting) write(what string, do func(ctx context.Context, tx backoffice.Tx) error) string {
	if err := a.Store.Write(a.t.Context(), do); err != nil {
		a.t.Fatal(what, err)
	}
	return what
}

func (a *acting) customer() string { return fmt.Sprintf("%q", gatewaytest.AnyOf(a.d, a.Customers).ID) }

func (a *acting) user() string { return fmt.Sprintf("%q", gatewaytest.AnyOf(a.d, a.Users).ID) }

func (a *acting) userOrNone() string {
	if a.d.IntN(4) == 0 {
		return "null"
	}
	return a.user()
}

func (a *acting) someLabels() string {
	var labels []string
	for _, label := range a.Labels {
		if a.d.IntN(2) == 0 {
			labels = append(labels, fmt.Sprintf("%q", label.ID))
		}
	}
	return strings.Join(labels, ", ")
}

// imports writes some users, customers or transcripts anew, which may be gone. It is one file, and so one transaction:
// after each of those the credentials look.
func (a *acting) imports() string {
	folder, what := a.t.TempDir(), "import"
	put := func(name string, lines []string) {
		text := strings.Join(lines, "\n") + "\n"
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			a.t.Fatal(err)
		}
		what += "\n" + text
	}
	var users, customers, transcripts []string
	for i, u := range a.Users {
		users = append(users, fmt.Sprintf(`{"_id":%q,"firstName":"An","lastName":"Maes %d","email":%q,"language":"dutch","labels":[%s]}`, u.ID, i, u.Email, a.someLabels()))
	}
	for range 3 {
		customer, list := a.customer(), gatewaytest.AnyOf(a.d, a.Checklists)
		customers = append(customers, fmt.Sprintf(`{"_id":%s,"type":"Company","name":"Imported","scopes":[],"responsible":%s,"createdAt":"2024-03-01T09:00:00.000Z","updatedAt":"2026-02-01T10:00:00.000Z"}`,
			customer, a.userOrNone()))
		transcripts = append(transcripts, fmt.Sprintf(`{"_id":"imported-%d","checklist":%q,"customer":%s,"status":"To Process","isCompleted":false,"progressPercentage":0,"documentGenerated":false,"customVariables":{},"createdAt":"2024-03-01T09:00:00.000Z","updatedAt":"2026-02-01T10:00:00.000Z"}`,
			a.d.IntN(5), list.ID, customer))
	}
	switch a.d.IntN(3) {
	case 0:
		put("users.ndjson", users)
	case 1:
		put("customers.ndjson", unique(customers))
	default:
		put("transcripts.ndjson", unique(transcripts))
	}
	importer := importexport.Importer{Store: a.Store, Files: a.Files, Keys: a.Keys}
	if _, err := importer.Import(a.t.Context(), folder); err != nil {
		what += err.Error()
	}
	return what
}

// unique are the lines whose identifiers no line before has.
func unique(lines []string) (kept []string) {
	known := map[string]bool{}
	for _, line := range lines {
		if id, _, _ := strings.Cut(line, ","); !known[id] {
			known[id], kept = true, append(kept, line)
		}
	}
	return kept
}
