package feed

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// differing are the companies' discrepancies that are certain now, the others, and those that are recorded as open, as
// "company kind person declared computed".
func differing(t *testing.T, o *gatewaytest.Office, credential [2]string) (certain, doubtful, open map[string]bool) {
	t.Helper()
	type difference struct {
		Kind                             string
		Customer, Person                 struct{ ID string }
		DeclaredPercent, ComputedPercent *float64
		Certain                          bool
	}
	var answer struct {
		Customers struct {
			Nodes []struct {
				ID            string
				Ownership     struct{ Discrepancies []difference }
				Discrepancies struct{ Nodes []difference }
			}
		}
	}
	said := o.Query(t, credential, `{ customers(filter: {type: COMPANY}) { nodes { id
		ownership { discrepancies { kind person { id } declaredPercent computedPercent certain } }
		discrepancies(filter: {open: true}) { nodes { kind customer { id } person { id } declaredPercent computedPercent } } } } }`, "{}")
	if err := json.Unmarshal(said.Data, &answer); err != nil || said.Errors != nil {
		t.Fatal(err, said.Errors)
	}
	line := func(company string, d difference) string {
		text := func(percent *float64) string {
			if percent == nil {
				return "?"
			}
			return fmt.Sprintf("%.4f", *percent)
		}
		return strings.Join([]string{company, d.Kind, d.Person.ID, text(d.DeclaredPercent), text(d.ComputedPercent)}, " ")
	}
	certain, doubtful, open = map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, c := range answer.Customers.Nodes {
		for _, d := range c.Ownership.Discrepancies {
			if d.Certain {
				certain[line(c.ID, d)] = true
			} else {
				doubtful[line(c.ID, d)] = true
			}
		}
		for _, d := range c.Discrepancies.Nodes {
			if d.Customer.ID == c.ID { // not about it
				open[line(c.ID, d)] = true
			}
		}
	}
	return certain, doubtful, open
}

// turnsOf are the differences without their percentages.
func turnsOf(lines map[string]bool) map[string]bool {
	of := map[string]bool{}
	for line := range lines {
		of[turnOf(line)] = true
	}
	return of
}

func turnOf(line string) string { return strings.Join(strings.Fields(line)[:3], " ") }

func TestTheFeedTellsEachTurnOfADiscrepancyOnce(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			settings := gatewaytest.Settings(t, database(t))
			o := gatewaytest.Serve(t, settings, gatewaytest.Limits())
			credential := o.Credential(t, backoffice.AllScopes...)
			create := func(input, kind string) string {
				var made struct {
					Created struct{ Made struct{ ID string } }
				}
				said := o.Query(t, credential, fmt.Sprintf(`mutation { created: create%s(input: {%s}) { made: %s { id } userErrors { message } } }`,
					kind, input, map[string]string{"Customer": "customer", "CustomerRelation": "relation"}[kind]), "{}")
				if err := json.Unmarshal(said.Data, &made); err != nil || said.Errors != nil {
					t.Fatal(err, said.Errors)
				}
				return made.Created.Made.ID // "" when it exists
			}
			var companies, persons []string
			for i := range 3 {
				companies = append(companies, create(fmt.Sprintf(`type: COMPANY, name: "Company %d"`, i), "Customer"))
				persons = append(persons, create(fmt.Sprintf(`type: PRIVATE_PERSON, firstName: "P", lastName: "%d"`, i), "Customer"))
			}
			r, after := rand.New(rand.NewPCG(2, 1)), o.LatestCursor(t)
			var relations []string
			seesCompanies := o.RestrictedCredential(t, "sees-companies", backoffice.RestrictionFields{Customers: companies})
			opened, closed, stayed, before, was := 0, 0, 0, map[string]bool{}, map[string]bool{}
			for step := range 40 {
				if step == 20 && engine == "PostgreSQL" {
					gatewaytest.Serve(t, settings, gatewaytest.Limits()) // another server of the same store
				}
				held, holder := companies[r.IntN(3)], append(persons, companies...)[r.IntN(6)]
				share := []string{"", ", sharePercent: 30", ", sharePercent: 50", ", sharePercent: 100"}[r.IntN(4)]
				n := r.IntN(10)
				if step < 2 { // a chain to begin with: its second relation is above the first
					held, holder, share, n = companies[step], []string{companies[1], persons[0]}[step], ", sharePercent: 100", 9
				}
				switch {
				case n < 2 && len(relations) > 0:
					i := r.IntN(len(relations))
					o.Write(t, credential, fmt.Sprintf(`mutation { deleteCustomerRelation(input: {id: %q}) { userErrors { message } } }`, relations[i]))
					relations = append(relations[:i], relations[i+1:]...)
				case n < 4 && len(relations) > 0:
					o.Write(t, credential, fmt.Sprintf(`mutation { updateCustomerRelation(input: {id: %q%s}) { userErrors { message } } }`, relations[r.IntN(len(relations))], share))
				case held != holder:
					kind := []string{"SHAREHOLDER", "SHAREHOLDER", "UBO"}[min(r.IntN(3), step)]
					if id := create(fmt.Sprintf(`customerId: %q, relatedCustomerId: %q, kind: %s%s`, held, holder, kind, share), "CustomerRelation"); id != "" {
						relations = append(relations, id)
					}
				}
				certain, doubtful, open := differing(t, o, credential)
				for line := range was { // what was open stays so until it is gone
					if turnsOf(doubtful)[turnOf(line)] {
						certain[line] = true
						stayed++
					}
				}
				for began := time.Now(); !maps.Equal(certain, open); _, _, open = differing(t, o, credential) {
					if time.Since(began) > 2*time.Minute {
						t.Fatalf("step %d: recorded are %v, certain are %v", step, open, certain)
					}
					time.Sleep(20 * time.Millisecond)
				}
				now := turnsOf(certain)
				was = open
				for line := range now {
					if !before[line] {
						opened++
					}
				}
				for line := range before {
					if !now[line] {
						closed++
					}
				}
				before = now
			}
			told, _ := o.ChangesAfter(t, credential, after, `, nouns: [DISCREPANCY]`)
			got := map[string]int{}
			for _, c := range told.Nodes {
				got[c.Action+" "+strings.Join(c.Fields, " ")]++
			}
			if opened < 5 || closed < 3 || stayed < 1 || got["CREATED "] != opened || got["UPDATED closedAt"] != closed {
				t.Errorf("the feed tells %v of %d turns to differing and %d back", got, opened, closed)
			}
			if len(before) == 0 {
				t.Fatal("nothing differs at the end")
			}
			found := o.Answers(t, credential, `{ customers(filter: {ownershipDiffers: true}) { nodes { id } } workList(financialYearId: "y") { ownershipDiffers { nodes { id } } } }`)
			if n := strings.Count(found, `"id"`); n == 0 || n%2 != 0 || strings.Contains(found, "errors") {
				t.Error(found)
			}
			const all = `{ discrepancies { totalCount nodes { id } } differ: customers(filter: {ownershipDiffers: true}) { totalCount }
				customers { nodes { discrepancies { totalCount } } } }`
			want := `{"data":{"discrepancies":{"totalCount":0,"nodes":[]},"differ":{"totalCount":0},"customers":{"nodes":[{"discrepancies":{"totalCount":0}},{"discrepancies":{"totalCount":0}},{"discrepancies":{"totalCount":0}}]}}}`
			said := o.Answers(t, seesCompanies, all)
			for ; strings.Contains(said, "UNAUTHENTICATED"); said = o.Answers(t, seesCompanies, all) {
				time.Sleep(500 * time.Millisecond) // a server knows a new credential within a second, and counts failures
			}
			if !strings.HasPrefix(said, want[:len(want)-1]) {
				t.Errorf("a restricted credential sees %s", said)
			}
			if told, _ := o.ChangesAfter(t, seesCompanies, after, `, nouns: [DISCREPANCY]`); len(told.Nodes) > 0 {
				t.Errorf("a restricted credential is told %v", told.Nodes)
			}
		})
	}
}
