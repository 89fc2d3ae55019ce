package parity

import (
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/privacy"
)

func TestAYearOfSupervisionCountsReviewsDiscrepanciesAndConsultations(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.Serve(t, gatewaytest.Settings(t, database(t)), gatewaytest.Limits())
			supervisedOffice(t, o.Store)
			credential := o.Credential(t, backoffice.AllScopes...)
			without := o.Credential(t, backoffice.CustomersWrite)
			sees := o.RestrictedCredential(t, "sees-two", backoffice.RestrictionFields{Customers: []string{"c1", "c5"}})
			report := func(credential [2]string, query string) string {
				t.Helper()
				r := o.Send(t, credential, http.MethodGet, "/reports/supervision-year?"+query, "")
				if r.Code != http.StatusOK {
					t.Fatalf("%s: %d %s", query, r.Code, r.Body)
				}
				return r.Body.String()
			}
			lines := func(rows ...string) string { return strings.Join(append(rows, ""), "\r\n") }
			const head = "part,name,state,value"
			for query, want := range map[string]string{
				"year=2025&format=csv": lines(head,
					"customers,high,OVERDUE,1", "customers,low,DONE,1", "customers,,NONE,23", "customers,,DUE,1",
					"reviews,due,,6", "reviews,done,,3", "reviews,late,,1", "reviews,overdue,,1",
					"discrepancies,opened,,2", "discrepancies,closed,,3", "discrepancies,reported,,1", "discrepancies,open,,1",
					"discrepancies,medianDaysToClose,,4", "discrepancies,medianDaysToReport,,2"),
				"year=2024&format=csv": lines(head, "customers,,NONE,1", "customers,,DONE,23", // c2 and c3 came later; c1 too, and has a review
					"reviews,due,,23", "reviews,done,,23", "reviews,late,,0", "reviews,overdue,,0",
					"discrepancies,opened,,1", "discrepancies,closed,,0", "discrepancies,reported,,0", "discrepancies,open,,1"),
				"year=2999&format=csv&riskVariable=score": lines(head,
					"customers,1.5,DUE,1", "customers,true,NONE,1", "customers,,NONE,24",
					"reviews,due,,1", "reviews,done,,0", "reviews,late,,0", "reviews,overdue,,0",
					"discrepancies,opened,,0", "discrepancies,closed,,0", "discrepancies,reported,,0", "discrepancies,open,,1"),
			} {
				if got := report(credential, query); got != want {
					t.Errorf("%s:\n%s\ninstead of\n%s", query, got, want)
				}
			}
			if got := report(sees, "year=2025"); !strings.Contains(got, `"customers":[{"risk":"high","state":"OVERDUE","count":1},{"risk":null,"state":"NONE","count":1}],"reviews":{"due":4,"done":2,"late":1,"overdue":1},`+
				`"discrepancies":{"opened":0,"closed":0,"reported":0,"open":0,"medianDaysToClose":null,"medianDaysToReport":null},"consultations":[]`) {
				t.Errorf("a restricted credential is told %s", got)
			}
			countsConsultations(t, o, credential, sees, report)
			for _, format := range []string{"pdf&language=dutch", "pdf"} {
				if got := report(credential, "year=2025&format="+format); !strings.HasPrefix(got, "%PDF-") {
					t.Errorf("%.20q", got)
				}
			}
			r := gatewaytest.NewRequest(t, credential, http.MethodGet, "/reports/supervision-year?year=2025", "")
			r.Header.Set("Accept", "text/csv")
			if got := o.Serve(r); !strings.HasPrefix(got.Body.String(), head) {
				t.Errorf("by Accept: %d %s", got.Code, got.Body)
			}
			for query, want := range map[string]string{
				"":                              `400 "year"`,
				"year=next":                     `400 "year"`,
				"year=2025&riskVariable=essay":  `400 "riskVariable"`,
				"year=2025&riskVariable=who":    `400 "riskVariable"`,
				"year=2025&format=xml":          `400 "format"`,
				"year=2025&checklist=checklist": `400 "checklist"`,
			} {
				r := o.Send(t, credential, http.MethodGet, "/reports/supervision-year?"+query, "")
				code, parameter, _ := strings.Cut(want, " ")
				if fmt.Sprint(r.Code) != code || !strings.Contains(r.Body.String(), `"parameter":`+parameter) {
					t.Errorf("%s: %d %s", query, r.Code, r.Body)
				}
			}
			if r := o.Send(t, without, http.MethodGet, "/reports/supervision-year?year=2025", ""); r.Code != http.StatusForbidden {
				t.Errorf("%d without privacy.read", r.Code)
			}
		})
	}
}

func TestARiskOfAnUnknownTimeIsThatOfItsFinancialYear(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Serve(t, gatewaytest.Settings(t, gatewaytest.Engines["SQLite"](t)), gatewaytest.Limits())
	supervisedOffice(t, o.Store)
	credential := o.Credential(t, backoffice.AllScopes...)
	completed := func(id, customer, year, variables string) *backoffice.Transcript {
		return &backoffice.Transcript{ID: id, CustomerID: customer, ChecklistID: "open", FinancialYearID: year, OwnStatus: "To Process",
			OwnUpdatedAt: 1, IsCompleted: true, CustomVariables: backoffice.JSON(variables)}
	}
	err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		return tx.Transcripts().Upsert(ctx, []*backoffice.Transcript{completed("z", "c4", "y2024", `{"imported": "low"}`),
			completed("a", "c4", "y2025", `{"imported": "high"}`), completed("b", "c5", "y2025", `{"imported": "high", "risk \"AML\"": "low"}`)})
	})
	if err != nil {
		t.Fatal(err)
	}
	for year, want := range map[string]string{
		"2025": "customers,high,DONE,2\r\n",
		"2024": "customers,low,DONE,1\r\n",
	} {
		r := o.Send(t, credential, http.MethodGet, "/reports/supervision-year?format=csv&riskVariable=imported&year="+year, "")
		if got := r.Body.String(); !strings.Contains(got, want) || strings.Count(got, "high,") != strings.Count(want, "high,") {
			t.Errorf("%s: %s", year, got)
		}
	}
	r := o.Send(t, credential, http.MethodGet, "/reports/supervision-year?format=csv&year=2025&riskVariable="+url.QueryEscape(`risk "AML"`), "")
	if got := r.Body.String(); !strings.Contains(got, "customers,low,DONE,1\r\n") {
		t.Errorf("a variable whose name has quotes: %s", got)
	}
}

// countsConsultations reads a number for several purposes, one of which a spreadsheet would run, and counts them.
func countsConsultations(t *testing.T, o *gatewaytest.Office, credential, sees [2]string, report func([2]string, string) string) {
	t.Helper()
	for i, purpose := range []string{"Yearly review", "Yearly review", "=SUM(A1)", ""} {
		o.Write(t, credential, fmt.Sprintf(`mutation { updateCustomer(input: {id: "c%d", registrationNumber: "85.07.30-033.28"}) { userErrors { message } } }`, i+1))
		r := gatewaytest.NewRequest(t, credential, http.MethodGet, fmt.Sprintf("/customers/c%d/privacy", i+1), "")
		if purpose != "" {
			r.Header.Set(privacy.PurposeHeader, purpose)
		}
		if said := o.Serve(r); said.Code != http.StatusOK {
			t.Fatal(said.Body)
		}
	}
	year := time.Now().In(backoffice.Belgium).Year()
	rows, err := csv.NewReader(strings.NewReader(report(credential, fmt.Sprintf("year=%d&format=csv", year)))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, row := range rows {
		if row[0] == "consultations" {
			got[row[1]] = row[3]
		}
	}
	if fmt.Sprint(got) != "map[:1 '=SUM(A1):1 Yearly review:2]" {
		t.Error(got)
	}
	if said := report(sees, fmt.Sprintf("year=%d", year)); !strings.Contains(said, `"consultations":[{"purpose":"Yearly review","count":1}]`) {
		t.Errorf("a restricted credential is told %s", said)
	}
}

// supervisedOffice has five customers, and 21 whose answers differ. Of the year 2025 c1 has four reviews, of which one is overdue, c2 a done one,
// c3 one that has no due date, c4 and c5 none.
func supervisedOffice(t *testing.T, store backoffice.Store) {
	t.Helper()
	day := func(text string) backoffice.Instant { return backoffice.StartOfDay(text, 0) }
	transcript := func(customer, checklist, year, completed, variables string) *backoffice.Transcript {
		made := &backoffice.Transcript{ID: strings.Join([]string{customer, checklist, completed}, "-"), CustomerID: customer, ChecklistID: checklist,
			FinancialYearID: year, OwnStatus: "To Process", OwnUpdatedAt: day("2024-01-01"), CustomVariables: backoffice.JSON(variables)}
		if completed != "" {
			made.IsCompleted, made.CompletedAt = true, day(completed)
		}
		return made
	}
	var people []*backoffice.Customer
	var named []*backoffice.Transcript
	for i := range 26 {
		id := fmt.Sprintf("c%d", i+1)
		people = append(people, &backoffice.Customer{ID: id, Type: backoffice.PrivatePerson, DisplayName: id, Language: "dutch",
			CreatedAt: day("2024-01-01"), UpdatedAt: day("2024-01-01"), Version: 1})
		if i < 3 {
			people[i].CreatedAt = day("2025-01-01")
		}
		if id == "c26" {
			people[i].Type = backoffice.Company // nobody declared that c2 owns it, which is d4
		}
		if i >= 5 {
			named = append(named, transcript(id, "open", "y2024", "2024-01-01", fmt.Sprintf(`{"who": "Person %d"}`, i)))
		}
	}
	essay := strings.Repeat("long ", 10)
	all := []*backoffice.Transcript{
		transcript("c1", "due-2025", "y2025", "2025-02-01", `{"risk": " Low ", "score": 2}`),
		transcript("c1", "due-2025", "y2025", "2025-04-01", `{"risk": "HIGH", "score": 1.50, "essay": "`+essay+`"}`), // a day late
		transcript("c1", "due-2025", "y2025", "", `{"risk": "low"}`),                                                 // overdue
		transcript("c1", "open", "y2025", "", `{}`),
		transcript("c1", "open", "y2024", "2026-01-01", `{"risk": "low"}`), // of another year, and assessed after it
		transcript("c1", "due-2999", "y2025", "", ""),
		transcript("c2", "due-2025", "y2024", "2025-03-31", `{"risk": "low"}`),
		transcript("c3", "open", "y2025", "", `{"risk": "high"}`),
		transcript("c4", "open", "y2024", "2024-06-01", `{"risk": {"level": "high"}, "score": true}`),
	}
	discrepancy := func(id, seen, closed, reported string) *backoffice.Discrepancy {
		d := &backoffice.Discrepancy{ID: id, Kind: backoffice.NotDeclared, CustomerID: "c26", PersonID: "c2", SeenAt: day(seen), Version: 1}
		if closed != "" {
			d.ClosedAt = day(closed)
		}
		if reported != "" {
			d.ReportedAt = day(reported)
		}
		return d
	}
	err := store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		for _, write := range []func() error{
			func() error {
				return tx.FinancialYears().Upsert(ctx, []*backoffice.FinancialYear{{ID: "y2024", StartDate: "2024", EndDate: "2024"}, {ID: "y2025", StartDate: "2024", EndDate: "2025"}})
			},
			func() error {
				lists := []*backoffice.Checklist{
					{ID: "due-2025", Name: "Review", Language: "dutch", FinancialYearID: "y2025", DueDate: "2025-03-31"},
					{ID: "due-2999", Name: "Review", Language: "dutch", FinancialYearID: "y2025", DueDate: "2999-03-31"},
					{ID: "open", Name: "Open", Language: "dutch", FinancialYearID: "y2025"},
				}
				return tx.Checklists().Upsert(ctx, lists)
			},
			func() error { return tx.Customers().Upsert(ctx, people) },
			func() error {
				return tx.Relations().Upsert(ctx, []*backoffice.CustomerRelation{{ID: "r", Kind: backoffice.Shareholder, CustomerID: "c26",
					RelatedCustomerID: "c2", SharePercent: "60", CreatedAt: day("2024-01-01"), Version: 1}})
			},
			func() error { return tx.Transcripts().Upsert(ctx, append(all, named...)) },
			func() error {
				return tx.Discrepancies().Upsert(ctx, []*backoffice.Discrepancy{
					discrepancy("d1", "2025-01-01", "2025-01-05", "2025-01-03"), discrepancy("d2", "2024-12-31", "2025-01-02", ""),
					discrepancy("d3", "2025-06-01", "2025-06-11", ""), discrepancy("d4", "2023-01-01", "", ""),
				})
			},
		} {
			if err := write(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
