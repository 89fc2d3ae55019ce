package main

import (
	"fmt"
	"maps"
)

// lists are the root lists, with what is read of their rows.
var lists = []struct{ name, noun, rows, totals string }{
	{"customers", "CUSTOMER", "id name", ""},
	{"labels", "LABEL", "id name", ""},
	{"documents", "CUSTOMER_DOCUMENT", "id name", ""},
	{"relations", "CUSTOMER_RELATION", "id", ""},
	{"transcripts", "TRANSCRIPT", "id status isCompleted", "statusCounts { status count }"},
	{"calculations", "CALCULATION", "id", ""},
	{"checklists", "CHECKLIST", "id", ""},
	{"financialYears", "FINANCIAL_YEAR", "id", ""},
	{"users", "USER", "id", ""},
}

// walked is what a list has, and what it says that it has.
type walked struct {
	names, statuses     map[string]int // of the rows
	rows, total, open   int
	totalOpen           int
	counts              map[string]int // by status, as the list says
	twice, inMotion, ok bool
}

// tally reads all lists to their ends when nobody writes: what is counted has to be what there is, and of each record
// that was made with a key there is one.
func (w *checker) tally(checkers []*checker) {
	names := map[string]int{}
	for _, list := range lists {
		var found walked
		if !patiently(func() bool { found = w.walk(list.name, list.rows, list.totals); return found.ok && !found.inMotion }) {
			w.of.addf(&w.of.wrong, "%s cannot be read when all is well", list.name)
			continue
		}
		switch {
		case found.rows != found.total:
			w.of.addf(&w.of.miscounted, "%s: %d are counted, %d are there", list.name, found.total, found.rows)
		case found.twice:
			w.of.addf(&w.of.miscounted, "%s: a row is there twice", list.name)
		case list.totals != "" && found.open != found.totalOpen:
			w.of.addf(&w.of.miscounted, "%s: %d are counted as open, %d are", list.name, found.totalOpen, found.open)
		case list.totals != "" && !maps.Equal(found.counts, found.statuses):
			w.of.addf(&w.of.miscounted, "%s: counted by status %v, there are %v", list.name, found.counts, found.statuses)
		}
		for name, n := range found.names {
			names[list.noun+" "+name] = n
		}
	}
	for _, of := range checkers {
		for _, c := range of.sent {
			if n := names[c.noun+" "+c.name]; c.name != "" && c.stands() && n != 1 {
				w.of.addf(&w.of.replayed, "%s: %d exist of one key", c.noun, n)
			}
		}
	}
}

func (w *checker) walk(list, rows, totals string) (found walked) {
	type row struct {
		ID, Name, Status string
		IsCompleted      bool
	}
	found = walked{names: map[string]int{}, statuses: map[string]int{}, counts: map[string]int{}}
	open := ""
	if totals != "" {
		open = `open: ` + list + `(filter: {isCompleted: false}) { totalCount }`
	}
	query := fmt.Sprintf(`query($after: String) { all: %s(first: 500, after: $after) { totalCount %s nodes { %s } pageInfo { hasNextPage endCursor } } %s }`, list, totals, rows, open)
	seen := map[string]bool{}
	for after, more, first := (*string)(nil), true, true; more; first = false {
		var page struct {
			All struct {
				TotalCount   int
				StatusCounts []struct {
					Status string
					Count  int
				}
				Nodes    []row
				PageInfo struct {
					HasNextPage bool
					EndCursor   *string
				}
			}
			Open struct{ TotalCount int }
		}
		if !w.answered(&page, query, map[string]any{"after": after}) {
			return found
		}
		found.inMotion = found.inMotion || !first && page.All.TotalCount != found.total
		found.total, found.totalOpen = page.All.TotalCount, page.Open.TotalCount
		for _, s := range page.All.StatusCounts {
			found.counts[s.Status] = s.Count
		}
		for _, r := range page.All.Nodes {
			found.twice = found.twice || seen[r.ID]
			seen[r.ID] = true
			found.rows++
			found.names[r.Name]++
			found.statuses[r.Status]++
			if totals != "" && !r.IsCompleted {
				found.open++
			}
		}
		after, more = page.All.PageInfo.EndCursor, page.All.PageInfo.HasNextPage
	}
	found.ok = true
	return found
}
