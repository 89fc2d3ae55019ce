package parity

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/demo"
	"example.org/backoffice/gateway/gatewaytest"
)

// walkedPage is a page of customers or transcripts with what is needed to go on.
type walkedPage struct {
	TotalCount int
	PageInfo   struct {
		HasNextPage, HasPreviousPage bool
		StartCursor, EndCursor       string
	}
	Nodes []struct{ ID string }
}

// walkList reads a list to its end in pages of a size, forward or backward, and gives the identifiers in the list's
// order.
func walkList(t *testing.T, o *gatewaytest.Office, list, arguments string, size int, backward bool) (ids []string) {
	t.Helper()
	for cursor := ""; ; {
		window := fmt.Sprintf("first: %d", size)
		if backward {
			window = fmt.Sprintf("last: %d", size)
		}
		if cursor != "" {
			window += fmt.Sprintf(", %s: %q", map[bool]string{false: "after", true: "before"}[backward], cursor)
		}
		query := fmt.Sprintf(`{ page: %s(%s, %s) { totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { id } } }`, list, window, arguments)
		status, body, _ := o.Ask(t, o.Credential(t), query, nil, nil)
		var got struct{ Data struct{ Page walkedPage } }
		if err := json.Unmarshal(body, &got); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d %.500s", query, status, body)
		}
		page := got.Data.Page
		var some []string
		for _, node := range page.Nodes {
			some = append(some, node.ID)
		}
		more := page.PageInfo.HasNextPage
		if cursor = page.PageInfo.EndCursor; backward {
			more, cursor = page.PageInfo.HasPreviousPage, page.PageInfo.StartCursor
			ids = append(some, ids...)
		} else {
			ids = append(ids, some...)
		}
		if !more {
			if len(ids) != page.TotalCount {
				t.Errorf("%s: walked over %d rows of %d", query, len(ids), page.TotalCount)
			}
			return ids
		}
	}
}

func TestListsInOrdersThatAreWorkedOutAreWalkedExactlyByCursors(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			settings := gatewaytest.Settings(t, database(t))
			o := gatewaytest.Serve(t, settings, gatewaytest.Limits())
			made := demo.Demo{Store: o.Store, Files: o.Files, Keys: o.Keys, Customers: 150, Seed: 5, Now: time.Date(2026, 6, 15, 10, 0, 0, 0, time.UTC)}
			if err := made.Fill(t.Context()); err != nil {
				t.Fatal(err)
			}
			for list, arguments := range map[string][]string{
				"customers": {
					`orderBy: {field: RELATION_COUNT, direction: DESC}`, `orderBy: {field: OPEN_TRANSCRIPT_COUNT}`,
					`filter: {search: "ens"}, orderBy: {field: RELEVANCE}`, `filter: {search: "jannsens", searchMode: FUZZY}`,
					`filter: {search: "de smet", searchMode: FUZZY, not: {city: "gent"}}, orderBy: {field: RELATION_COUNT}`,
				},
				"transcripts": {`orderBy: {field: CUSTOMER_NAME, direction: DESC}, filter: {financialYearId: "year-2025"}`},
			} {
				for _, arguments := range arguments {
					whole := walkList(t, o, list, arguments, 500, false)
					if len(whole) < 3 || len(slices.Compact(slices.Sorted(slices.Values(whole)))) != len(whole) {
						t.Errorf("%s(%s): %d rows", list, arguments, len(whole))
					}
					for _, backward := range []bool{false, true} {
						if got := walkList(t, o, list, arguments, 2+len(whole)/4, backward); !slices.Equal(got, whole) {
							t.Errorf("%s(%s), backward %t: %v instead of %v", list, arguments, backward, got, whole)
						}
					}
				}
			}
		})
	}
}

func TestWhatAFilterMayNotHaveIsRefusedAndNotEntered(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	pair := o.Credential(t, backoffice.AllScopes...)
	before := o.RegisterEntries(t)
	for _, filter := range []string{
		`{any: [{any: [{any: [{city: "x"}]}]}]}`, `{not: {any: [{not: {city: "x"}}]}}`, `{any: [{registrationNumber: "85.07.30-033.28"}]}`,
		`{not: {spouseRegistrationNumber: "85.07.30-033.28"}}`, `{any: [{search: "jans", searchMode: FUZZY}]}`, `{not: {search: "ja"}}`,
		`{relations: {atLeast: 0}}`, `{transcripts: {some: {any: [{any: [{any: []}]}]}}}`, `{any: [` + strings.Repeat(`{city: "x"}`, 51) + `]}`,
	} {
		for _, query := range []string{`{ customers(filter: %s) { totalCount } }`, `{ customersAggregate(groupBy: TYPE, filter: %s) { totalCount } }`} {
			if _, body, _ := o.Ask(t, pair, fmt.Sprintf(query, filter), nil, nil); !strings.Contains(string(body), `"code":"BAD_USER_INPUT"`) {
				t.Errorf("%s: %.300s", filter, body)
			}
		}
	}
	for _, query := range []string{
		`{ customers(orderBy: {field: RELEVANCE}) { totalCount nodes { id } } }`, `{ customers(orderBy: {field: RELEVANCE}, filter: {searchMode: FUZZY, city: "x"}) { nodes { id } } }`,
		`{ transcripts(filter: {not: {any: [{not: {}}]}}) { totalCount } }`, `{ customers { nodes { transcripts(filter: {any: [{any: [{any: []}]}]}) { totalCount } } } }`,
	} {
		if _, body, _ := o.Ask(t, pair, query, nil, nil); !strings.Contains(string(body), `"code":"BAD_USER_INPUT"`) {
			t.Errorf("%s: %.300s", query, body)
		}
	}
	for filter, want := range map[string]string{
		`{any: []}`: `"totalCount":0`, `{not: {}}`: `"totalCount":0`, `{not: {any: []}, any: [{}]}`: `"totalCount":` + totalOf(t, o),
		`{registrationNumber: "85.07.30-033.28", any: [{}]}`: `"totalCount":1`,
	} {
		if _, body, _ := o.Ask(t, pair, fmt.Sprintf(`{ customers(filter: %s) { totalCount } }`, filter), nil, nil); !strings.Contains(string(body), want) {
			t.Errorf("%s: %.300s, want %s", filter, body, want)
		}
	}
	if entries := o.RegisterEntries(t); len(entries) != len(before)+1 {
		t.Errorf("entered: %v", entries[len(before):])
	}
}

// totalOf is how many customers there are, as a number in an answer.
func totalOf(t *testing.T, o *gatewaytest.Office) string {
	t.Helper()
	counts, err := backoffice.ReadCounts(t.Context(), o.Store.Customers(), backoffice.Root, backoffice.CustomerCriteria{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(counts[backoffice.NoParent])
}
