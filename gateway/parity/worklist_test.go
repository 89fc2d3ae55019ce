package parity

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// workListQuestion asks for each list of a year, and for what has not been touched since April.
func workListQuestion() analystQuestion {
	today := time.Now().UTC().Truncate(24 * time.Hour)
	days := max(0, int(today.Sub(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC))/(24*time.Hour)))
	since := func(days int) backoffice.Instant { return backoffice.InstantOf(today.AddDate(0, 0, -days)) }
	return analystQuestion{
		fmt.Sprintf(`{ workList(financialYearId: "year-2026") { untouched { totalCount } untouchedSinceApril: untouched(days: %d) { totalCount }
			withoutDocument { totalCount } notSent { totalCount } } }`, days),
		func(d dump) map[string]any {
			ofYear := func(keep func(*backoffice.Transcript) bool) object {
				return counts(d.transcripts, func(t *backoffice.Transcript) bool { return t.FinancialYearID == "year-2026" && keep(t) })
			}
			untouched := func(days int) object {
				return ofYear(func(t *backoffice.Transcript) bool { return !t.IsCompleted && t.UpdatedAt < since(days) })
			}
			return object{"workList": object{
				"untouched": untouched(30), "untouchedSinceApril": untouched(days),
				"withoutDocument": ofYear(func(t *backoffice.Transcript) bool { return t.IsCompleted && !t.DocumentGenerated }),
				"notSent":         ofYear(func(t *backoffice.Transcript) bool { return t.Status == backoffice.CalculationDone }),
			}}
		},
	}
}

func TestAWorkListOfAUserHasTheTranscriptsOfItsCustomersInOneBatch(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	pair := o.Credential(t)
	ask := func(arguments string) (string, int) {
		status, body, calls := o.Ask(t, pair, "{ workList("+arguments+`) { untouched(days: 0, orderBy: {field: UPDATED_AT, direction: DESC}) { nodes { id } }
			withoutDocument { nodes { id } } notSent(last: 1) { nodes { id } } } }`, nil, nil)
		if status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
		return strings.TrimSpace(string(body)), calls
	}
	nodes := func(ids ...string) string {
		return `{"nodes":[` + strings.Join(backoffice.Mapped(ids, func(id string) string { return `{"id":"` + id + `"}` }), ",") + "]}"
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
	if _, body, _ := o.Ask(t, pair, `{ workList(financialYearId: "year-2026") { untouched(days: -1) { totalCount } } }`, nil, nil); !strings.Contains(string(body), "days must be 0 or more") {
		t.Errorf("%s", body)
	}
}
