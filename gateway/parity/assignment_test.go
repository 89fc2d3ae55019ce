package parity

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// assignmentAnswer is the payload of assignChecklists.
type assignmentAnswer struct {
	Assigned, AlreadyAssigned int
	Transcripts               struct {
		TotalCount   int
		StatusCounts []struct{ Count int }
		PageInfo     struct {
			HasNextPage, HasPreviousPage bool
			EndCursor                    string
		}
		Nodes []struct{ Customer struct{ ID string } }
	}
	UserErrors []struct {
		Code  string
		Field []string
	}
}

func assignMany(t testing.TB, o *gatewaytest.Office, credential [2]string, input, page string) (answer assignmentAnswer, body string, calls int) {
	t.Helper()
	query := `mutation { assignChecklists(input: {checklistId: "list-2026-nl", ` + input + `}) { assigned alreadyAssigned
		transcripts(` + page + `) { totalCount statusCounts { count } pageInfo { hasNextPage hasPreviousPage endCursor } nodes { customer { id } } } userErrors { code field } } }`
	_, text, calls := o.Ask(t, credential, query, nil, nil)
	var data struct {
		Data struct{ AssignChecklists assignmentAnswer }
	}
	if err := json.Unmarshal(text, &data); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return data.Data.AssignChecklists, string(text), calls
}

func TestAChecklistIsAssignedToAllWhoHaveItNotByAFilterAndAgainToNobody(t *testing.T) {
	t.Parallel()
	for name, fresh := range gatewaytest.Engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, fresh(t))
			all := o.Credential(t, backoffice.AllScopes...)
			_, body, _ := o.Ask(t, all, `{ customers(filter: {withoutChecklistId: "list-2026-nl"}) { totalCount } everybody: customers { totalCount } }`, nil, nil)
			var before struct {
				Data struct{ Customers, Everybody struct{ TotalCount int } }
			}
			if err := json.Unmarshal(body, &before); err != nil {
				t.Fatal(err)
			}
			without, everybody := before.Data.Customers.TotalCount, before.Data.Everybody.TotalCount
			const input = `filter: {}, customVariables: {note: "yearly"}, idempotencyKey: "2026"`
			seen := map[string]bool{}
			after := ""
			for page := 0; ; page++ { // the same call again with the same key goes on in the list
				answer, body, _ := assignMany(t, o, all, input, `first: 2`+after)
				if answer.Assigned != without || answer.AlreadyAssigned != everybody-without || answer.Transcripts.TotalCount != without || len(answer.Transcripts.StatusCounts) != 1 {
					t.Fatal(body)
				}
				if answer.Transcripts.PageInfo.HasPreviousPage != (page > 0) {
					t.Error(body)
				}
				for _, node := range answer.Transcripts.Nodes {
					seen[node.Customer.ID] = true
				}
				if !answer.Transcripts.PageInfo.HasNextPage {
					break
				}
				after = `, after: "` + answer.Transcripts.PageInfo.EndCursor + `"`
			}
			if len(seen) != without {
				t.Errorf("%d customers are told, not %d", len(seen), without)
			}
			if answer, body, _ := assignMany(t, o, all, `filter: {}`, `first: 5`); answer.Assigned != 0 || answer.AlreadyAssigned != everybody || answer.Transcripts.TotalCount != 0 {
				t.Error(body)
			}
			if answer, body, _ := assignMany(t, o, all, `customerIds: ["acme"], idempotencyKey: "2026"`, `first: 5`); len(answer.UserErrors) != 1 || answer.UserErrors[0].Code != "IDEMPOTENCY_KEY_REUSED" {
				t.Error(body)
			}
		})
	}
}

// assignedTo tells how often each customer has the checklist.
func assignedTo(t testing.TB, o *gatewaytest.Office, credential [2]string) map[string]int {
	t.Helper()
	_, body, _ := o.Ask(t, credential, `{ customers { nodes { id transcripts(filter: {checklistId: "list-2026-nl"}) { totalCount } } } }`, nil, nil)
	var answer struct {
		Data struct {
			Customers struct {
				Nodes []struct {
					ID          string
					Transcripts struct{ TotalCount int }
				}
			}
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil || len(answer.Data.Customers.Nodes) == 0 {
		t.Fatalf("%s", body)
	}
	times := map[string]int{}
	for _, c := range answer.Data.Customers.Nodes {
		times[c.ID] = c.Transcripts.TotalCount
	}
	return times
}

func TestFiftyWhoAssignAChecklistAtOnceAssignItToEachOnce(t *testing.T) {
	t.Parallel()
	for name, fresh := range gatewaytest.Engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, fresh(t))
			all := o.Credential(t, backoffice.AllScopes...)
			before := assignedTo(t, o, all) // the office has given it to one twice
			var group sync.WaitGroup
			for i := range 50 {
				group.Go(func() {
					input := `filter: {}`
					if i%2 == 1 {
						input = `customerIds: ["acme", "cafe", "duo", "els", "cafe"]`
					}
					answer, body, _ := assignMany(t, o, all, input, `first: 0`)
					for until := time.Now().Add(time.Minute); strings.Contains(body, `"UNAVAILABLE"`) && time.Now().Before(until); { // a busy machine: come again
						time.Sleep(200 * time.Millisecond)
						answer, body, _ = assignMany(t, o, all, input, `first: 0`)
					}
					if len(answer.UserErrors) > 0 || answer.Assigned+answer.AlreadyAssigned == 0 {
						t.Error(body)
					}
				})
			}
			group.Wait()
			for id, n := range assignedTo(t, o, all) {
				if n != max(before[id], 1) {
					t.Errorf("%s has it %d times", id, n)
				}
			}
		})
	}
}

func TestWhatIsWrongWithAnAssignmentToManyIsToldInItsPlace(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	all := o.Credential(t, backoffice.AllScopes...)
	many := `customerIds: ["` + strings.Join(named("nobody", 501), `", "`) + `"]`
	for input, want := range map[string]string{
		`customVariables: {}`:                    "REQUIRED [customerIds]",
		`customerIds: null, filter: null`:        "REQUIRED [customerIds]",
		`customerIds: ["acme"], filter: {}`:      "NOT_ALLOWED [filter]",
		`filter: {search: "a"}`:                  "INVALID [filter]",
		`customerIds: ["acme", "nobody", "a b"]`: "NOT_FOUND [customerIds 1], NOT_FOUND [customerIds 2]",
		`filter: {}, customVariables: []`:        "",
		`filter: {}, idempotencyKey: ""`:         "INVALID [idempotencyKey]",
		many:                                     "INVALID [customerIds]",
	} {
		answer, body, _ := assignMany(t, o, all, input, `first: 1`)
		var told []string
		for _, one := range answer.UserErrors {
			told = append(told, fmt.Sprint(one.Code, " ", one.Field))
		}
		if got := strings.Join(told, ", "); got != want || answer.Assigned != 0 || answer.Transcripts.TotalCount != 0 {
			t.Errorf("%.60s: %s, not %s: %.300s", input, got, want, body)
		}
	}
}

func TestAChecklistIsAssignedToTenThousandByAFilterAndToNoMore(t *testing.T) {
	t.Parallel()
	bounds := gatewaytest.Limits()
	bounds.Time = 10 * time.Minute // with the race detector, and other tests beside it
	o := gatewaytest.OpenWith(t, gatewaytest.Engines["SQLite"](t), bounds)
	all := o.Credential(t, backoffice.AllScopes...)
	addCompanies(t, o, 10_001)
	if answer, body, _ := assignMany(t, o, all, `filter: {scope: "crowd"}`, `first: 1`); len(answer.UserErrors) != 1 || answer.UserErrors[0].Code != "INVALID" || answer.UserErrors[0].Field[0] != "filter" {
		t.Error(body)
	}
	if answer, body, _ := assignMany(t, o, all, `filter: {scope: "crowd", search: "crowd 1"}, customVariables: {text: "`+strings.Repeat("x", 60_000)+`"}`, `first: 1`); len(answer.UserErrors) != 1 || answer.UserErrors[0].Field[0] != "customVariables" {
		t.Error(body)
	}
	if _, body, _ := o.Ask(t, all, `mutation { deleteCustomer(input: {id: "crowd-00000"}) { deletedCustomerId } }`, nil, nil); !strings.Contains(string(body), "crowd-00000") {
		t.Fatalf("%s", body)
	}
	answer, body, calls := assignMany(t, o, all, `filter: {scope: "crowd"}, idempotencyKey: "k"`, `first: 1`)
	if answer.Assigned != 10_000 || answer.AlreadyAssigned != 0 || answer.Transcripts.TotalCount != 10_000 {
		t.Errorf("%.500s", body)
	}
	if want := 2*10_000 + 120; calls > want { // a row and its entry of the log, one by one on this engine
		t.Errorf("%d statements, more than %d", calls, want)
	}
	if again, body, _ := assignMany(t, o, all, `filter: {scope: "crowd"}, idempotencyKey: "k"`, `first: 1`); again.Assigned != 10_000 || again.Transcripts.TotalCount != 10_000 {
		t.Errorf("%.500s", body)
	}
}

// addCompanies adds companies with the scope "crowd" to the store.
func addCompanies(t testing.TB, o *gatewaytest.Office, n int) {
	t.Helper()
	rows := make([]*backoffice.Customer, n)
	for i := range rows {
		rows[i] = &backoffice.Customer{ID: fmt.Sprintf("crowd-%05d", i), Type: backoffice.Company, OwnName: backoffice.Text(fmt.Sprintf("Crowd %d", i)),
			DisplayName: fmt.Sprintf("Crowd %d", i), Scopes: []string{"crowd"}, Version: 1, CreatedAt: 1, UpdatedAt: 1}
	}
	err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Insert(ctx, rows...) })
	if err != nil {
		t.Fatal(err)
	}
}
