package parity

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// workListQuestion asks for each list of a year, and for what has not been touched since April.
func workListQuestion() analystQuestion {
	year, month, day := time.Now().In(backoffice.Belgium).Date()
	today := time.Date(year, month, day, 0, 0, 0, 0, backoffice.Belgium)
	days := max(0, int(today.Sub(time.Date(2026, 4, 1, 0, 0, 0, 0, backoffice.Belgium))/(24*time.Hour)))
	since := func(days int) backoffice.Instant { return backoffice.InstantOf(today.AddDate(0, 0, -days)) }
	return analystQuestion{
		fmt.Sprintf(`{ workList(financialYearId: "year-2026") { untouched { totalCount } untouchedSinceApril: untouched(days: %d) { totalCount }
			overdue { totalCount } withoutDocument { totalCount } missingChecklist { totalCount } notSent { totalCount } } }`, days),
		func(d dump) map[string]any {
			ofYear := func(keep func(*backoffice.Transcript) bool) object {
				return counts(d.transcripts, func(t *backoffice.Transcript) bool { return t.FinancialYearID == "year-2026" && keep(t) })
			}
			untouched := func(days int) object {
				return ofYear(func(t *backoffice.Transcript) bool { return !t.IsCompleted && t.UpdatedAt < since(days) })
			}
			holds := map[[2]string]bool{}
			for _, t := range d.transcripts {
				if t.FinancialYearID == "year-2026" {
					holds[[2]string{t.CustomerID, t.ChecklistID}] = true
				}
			}
			return object{"workList": object{
				"untouched": untouched(30), "untouchedSinceApril": untouched(days),
				"overdue": ofYear(func(t *backoffice.Transcript) bool {
					due := string(d.checklists[t.ChecklistID].DueDate)
					return !t.IsCompleted && due != "" && due < today.Format(time.DateOnly)
				}),
				"withoutDocument": ofYear(func(t *backoffice.Transcript) bool { return t.IsCompleted && !t.DocumentGenerated }),
				"missingChecklist": counts(d.customers, func(c *backoffice.Customer) bool {
					return slices.ContainsFunc(slices.Collect(maps.Keys(d.checklists)), func(list string) bool {
						alike, have, has := 0, 0, false
						for _, other := range d.customers {
							if other.Type == c.Type && other.Language == c.Language {
								alike++
								its := holds[[2]string{other.ID, list}]
								has = has || its && other.ID == c.ID
								if its {
									have++
								}
							}
						}
						return have > 0 && 2*have >= alike && !has
					})
				}),
				"notSent": ofYear(func(t *backoffice.Transcript) bool { return t.Status == backoffice.CalculationDone }),
			}}
		},
	}
}

func TestAWorkListOfAUserHasTheTranscriptsOfItsCustomersInOneBatch(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t)
	ask := func(arguments string) (string, int) {
		status, body, calls := o.Ask(t, credential, "{ workList("+arguments+`) { untouched(days: 0, orderBy: {field: UPDATED_AT, direction: DESC}) { nodes { id } }
			withoutDocument { nodes { id } } notSent(last: 1) { nodes { id } } } }`, nil, nil)
		if status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
		return strings.TrimSpace(string(body)), calls
	}
	nodes := func(ids ...string) string {
		return `{"nodes":[` + strings.Join(backoffice.Map(ids, func(id string) string { return `{"id":"` + id + `"}` }), ",") + "]}"
	}
	answer := func(untouched, withoutDocument, notSent string) string {
		return `{"data":{"workList":{"untouched":` + untouched + `,"withoutDocument":` + withoutDocument + `,"notSent":` + notSent + "}}}"
	}
	for arguments, want := range map[string]string{
		`financialYearId: "year-2026"`:                          answer(nodes("tr-6", "tr-4", "tr-3"), nodes("tr-5"), nodes("tr-1")),
		`financialYearId: "year-2025"`:                          answer(nodes(), nodes("tr-2"), nodes()),
		`financialYearId: "year-2026", responsibleId: "nobody"`: answer(nodes(), nodes(), nodes()),
		`financialYearId: "a year that is not known"`:           answer(nodes(), nodes(), nodes()),
	} {
		got, calls := ask(arguments)
		if got != want {
			t.Errorf("%s:\n%s\ninstead of\n%s", arguments, got, want)
		}
		if calls > 3 {
			t.Errorf("%s: %d calls", arguments, calls)
		}
	}
	if _, body, _ := o.Ask(t, credential, `{ workList(financialYearId: "year-2026") { untouched(days: -1) { totalCount } } }`, nil, nil); !strings.Contains(string(body), "days must be 0 or more") {
		t.Errorf("%s", body)
	}
}

func TestATranscriptIsOverdueFromTheDayAfterItsChecklistsDueDate(t *testing.T) {
	t.Parallel()
	for engine, open := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, open(t))
			credential := o.Credential(t)
			due := func(day string) {
				t.Helper()
				if err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
					list := stored(t, o.Store.Checklists(), "list-2026-nl")
					list.DueDate = backoffice.Text(day)
					return tx.Checklists().Update(ctx, list)
				}); err != nil {
					t.Fatal(err)
				}
			}
			const query = `{ overdue: transcripts(filter: {overdue: true}) { nodes { id } } not: transcripts(filter: {overdue: false}) { totalCount }
				customers(filter: {transcripts: {some: {overdue: true}}}) { totalCount } workList(financialYearId: "year-2026") { overdue { totalCount } } }`
			today := time.Now().In(backoffice.Belgium)
			for _, of := range []struct {
				day  string
				late bool
			}{{"", false}, {today.Format(time.DateOnly), false}, {today.AddDate(0, 0, -1).Format(time.DateOnly), true}, {"9999-12-31", false}, {"1999-12-31", true}} {
				due(of.day)
				want := `{"data":{"overdue":{"nodes":[]},"not":{"totalCount":6},"customers":{"totalCount":0},"workList":{"overdue":{"totalCount":0}}}}`
				rest := `"total":0,`
				if of.late { // of three that are not completed, one is of another checklist
					want = `{"data":{"overdue":{"nodes":[{"id":"tr-3"},{"id":"tr-6"}]},"not":{"totalCount":4},"customers":{"totalCount":2},"workList":{"overdue":{"totalCount":2}}}}`
					rest = `"total":2,`
				}
				for range 3 { // from memory, too
					if _, body, _ := o.Ask(t, credential, query, nil, nil); strings.TrimSpace(string(body)) != want {
						t.Errorf("due %s: %s", of.day, body)
					}
				}
				if w := o.Send(t, credential, http.MethodGet, "/transcripts?overdue=true", ""); !strings.Contains(w.Body.String(), rest) {
					t.Errorf("due %s: %s", of.day, w.Body)
				}
			}
		})
	}
}
