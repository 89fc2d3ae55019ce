package limits

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/demo"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/store/postgres/pgtest"
)

var (
	attackEngine    = flag.String("attack-engine", "SQLite", "which engine is attacked: SQLite or PostgreSQL")
	attackCustomers = flag.Int("attack-customers", 0, "in an office of how many customers; 0 is a small one")
	attackDatabase  = flag.String("attack-database", "", "one that the demo has filled, in place of a new one")
	attackKeyset    = flag.String("attack-keyset", "", "its keyset")
)

// dearest is how many times the median of what the operations take for a cost of 1 one may take.
const dearest = 20

// knownAttacks are operations that once took much for a small price, in an office of these.
func knownAttacks(t *testing.T, o *gatewaytest.Office, credential [2]string) map[string]string {
	t.Helper()
	ids := func(query string) (found []string) {
		_, body, _ := o.Ask(t, credential, query, nil, nil)
		var answer struct {
			Data map[string]struct{ Nodes []struct{ ID string } }
		}
		if err := json.Unmarshal(body, &answer); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		for _, list := range answer.Data {
			for _, node := range list.Nodes {
				found = append(found, node.ID)
			}
		}
		if len(found) == 0 {
			t.Fatalf("nothing: %s", body)
		}
		return found
	}
	users := ids(`{ users(first: 500) { nodes { id } } }`)
	checklist := ids(`{ checklists(last: 1) { nodes { id } } }`)[0]
	related := ids(`{ customers(first: 35, orderBy: {field: RELATION_COUNT, direction: DESC}) { nodes { id } } }`)
	times := func(n int, format string, values func(i int) []any) string {
		var parts []string
		for i := range n {
			parts = append(parts, fmt.Sprintf(format, values(i)...))
		}
		return strings.Join(parts, " ")
	}
	number := func(i int) []any { return []any{i} }
	user := func(i int) []any { return []any{i, users[i%len(users)]} }
	ofUsers := "any: [" + times(50, `{responsibleId: "%[2]s", isCompleted: true}`, user) + "]"
	const since = `updatedSince: "2000-01-01T00:00:00.000Z"`
	groups := [][2]string{
		{"CHECKLIST", "RESPONSIBLE"}, {"CHECKLIST", "LANGUAGE"}, {"STATUS", "RESPONSIBLE"}, {"STATUS", "LANGUAGE"}, {"RESPONSIBLE", "LANGUAGE"},
	}
	deleteCustomers := `deleteCustomers(inputs: [` + times(len(related), `{id: "%s"}`, func(i int) []any { return []any{related[i]} }) +
		`], dryRun: true) { written userErrors { code } }`
	assign := `assignChecklists(input: {checklistId: "` + checklist + `", filter: {type: PRIVATE_PERSON, language: "french"}}, dryRun: true) { assigned userErrors { code } }`
	return map[string]string{
		"any of fifty users":            `{ transcripts(first: 1, filter: {` + ofUsers + `}) { totalCount } }`,
		"any of fifty users, each year": `{ financialYears(first: 20) { nodes { transcripts(first: 0, filter: {` + ofUsers + `}) { totalCount statusCounts { count } } } } }`,
		"groups that join":              `{ transcriptsAggregate(groupBy: [CHECKLIST, RESPONSIBLE, UPDATED_MONTH]) { totalCount groups { count } } }`,
		"twenty groups": "{" + times(20, `a%d: transcriptsAggregate(groupBy: [%s, %s, UPDATED_MONTH]) { totalCount groups { count } }`, func(i int) []any {
			return []any{i, groups[i%len(groups)][0], groups[i%len(groups)][1]}
		}) + "}",
		"counts below users": `{ users(first: 500) { nodes { transcripts(first: 0, filter: {` + since + `}) { totalCount statusCounts { status count } } } } }`,
		"five counts below users": `{ users(first: 100) { nodes { ` +
			times(5, `a%d: transcripts(first: 0, filter: {updatedTo: "2030-01-01T00:00:00.000Z", isCompleted: true}) { totalCount }`, number) + ` } } }`,
		"a variable": `{ transcripts(first: 0, filter: {customVariable: {key: "a", equals: "b"}}) { totalCount } }`,
		"far pages": "{" + times(20, `a%d: customers(page: %d, pageSize: 500, orderBy: {field: CREATED_AT}, filter: {`+since+`}) { nodes { id } }`, func(i int) []any {
			return []any{i, 80 + i}
		}) + "}",
		"any of transcripts": "{" + times(4, `a%d: customers(first: 1, filter: {any: [`+strings.Repeat(`{transcripts: {some: {isCompleted: true}}} `, 24)+`]}) { nodes { id } }`, number) + "}",
		"a user goes":        `mutation { deleteUser(input: {id: "` + users[0] + `"}, dryRun: true) { userErrors { code } } }`,
		"twenty users go":    "mutation {" + times(20, `a%d: deleteUser(input: {id: "%s"}, dryRun: true) { userErrors { code } }`, user) + "}",
		"an assignment":      "mutation { " + assign + " }",
		"four assignments":   "mutation { " + times(4, "a%d: "+assign, number) + " }",
		"the few with a document": `{ transcripts(first: 100, orderBy: {field: UPDATED_AT}, filter: {documentGenerated: true}) {
			nodes { id }
		} }`,
		"any with a document": `{ transcripts(
			first: 100, orderBy: {field: UPDATED_AT}, filter: {any: [{documentGenerated: true}]}
		) { nodes { id } } }`,
		"pages of users": `{ users(first: 60) { nodes { transcripts(first: 1, orderBy: {field: UPDATED_AT}) { nodes { id } } } } }`,
		"pages of checklists": `{ checklists(first: 60) { nodes {
			transcripts(first: 1, orderBy: {field: PROGRESS_PERCENTAGE}) { nodes { id } }
		} } }`,
		"pages of years": `{ financialYears(first: 5) { nodes {
			transcripts(first: 1, orderBy: {field: UPDATED_AT}, filter: {isCompleted: false}) { nodes { id } }
		} } }`,
		"an empty page": `{ customers(first: 0, filter: {transcripts: {none: {status: [SENT]}}}) { pageInfo { hasNextPage } } }`,
		"customers go":  "mutation { " + times(20, "a%d: "+deleteCustomers, number) + " }",
	}
}

// attackedOffice serves what the flags say, or an office of so many customers.
func attackedOffice(t *testing.T, customers int) *gatewaytest.Office {
	t.Helper()
	if *attackDatabase != "" {
		settings := gatewaytest.Settings(t, *attackDatabase)
		settings.Keyset = *attackKeyset
		return gatewaytest.Serve(t, settings, limits.Defaults())
	}
	database := gatewaytest.Engines[*attackEngine](t)
	o := gatewaytest.Serve(t, gatewaytest.Settings(t, database), limits.Defaults())
	filler := demo.Demo{Store: o.Store, Files: o.Files, Keys: o.Keys, Customers: max(*attackCustomers, customers), Seed: 1, Now: time.Now()}
	if err := filler.Fill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if *attackEngine == "PostgreSQL" {
		pgtest.Execute(t, database, "VACUUM ANALYZE") // or it does so by itself meanwhile, and is measured too
	}
	return o
}

// TestWhatOnceWasDearForItsPriceIsNot asks each of them: in a large office none takes more than any operation may, nor
// dearest times the median for its cost.
func TestWhatOnceWasDearForItsPriceIsNot(t *testing.T) {
	// Not parallel: what the process uses is measured.
	o := attackedOffice(t, 60)
	credential := o.Credential(t, backoffice.AllScopes...)
	type known struct {
		name string
		effort
	}
	var all []known
	for name, text := range knownAttacks(t, o, credential) {
		_, plan, codes := o.Plan(t, credential, text, "{}")
		if plan == nil {
			t.Fatalf("%s: %v", name, codes)
		}
		one := known{name, effort{cost: plan.Cost}}
		if plan.Cost <= plan.MaximumCost {
			one.effort = try(t, o, credential, text)
			if _, body, _ := o.Ask(t, credential, text, nil, nil); strings.Contains(string(body), `"code"`) {
				t.Errorf("%s is not done: %.300s", name, body)
			}
			if *attackCustomers > 0 && one.effort.memory > mostMemory {
				one.effort.memory = alive(t, o, credential, text)
			}
		}
		all = append(all, one)
	}
	for _, q := range gatewaytest.Questions(t) { // which are to be asked in an office of any size
		if _, plan, codes := o.Plan(t, credential, q.Document, cmp.Or(q.Variables, "{}")); plan == nil || plan.Cost > plan.MaximumCost {
			t.Errorf("%s: %+v %v", q.Name, plan, codes)
		}
	}
	slices.SortFunc(all, func(a, b known) int { return int(a.each() - b.each()) })
	median := all[len(all)/2].each()
	for _, one := range all {
		e := one.effort
		t.Logf("%-30s %6d bytes, cost %6d: %v of CPU, %v for 1, %d MB, %d", one.name, len(e.text), e.cost, e.cpu, e.each(), e.memory>>20, e.status)
		if *attackCustomers > 0 && (e.cpu > mostCPU || e.memory > mostMemory || one.each() > dearest*median) {
			t.Errorf("%s: %v of CPU, %d MB, %v for a cost of 1, of which the median is %v", one.name, e.cpu, e.memory>>20, one.each(), median)
		}
	}
}
