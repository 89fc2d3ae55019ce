package rest_test

import (
	"context"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// The lists that the specification has under a customer alone, for all customers.

func TestTheRelationsOfAllCustomersAreListed(t *testing.T) {
	t.Parallel()
	o := open(t)
	ids, data := o.get(t, "/relations").items(6, "/relations?page=1&pageSize=100", "/relations?page=1&pageSize=100")
	equal(t, "ids", ids, "rel-1 rel-2 rel-3 rel-4 rel-5 rel-6")
	has(t, data[1], map[string]any{"kind": "UBO", "customer": "acme", "relatedCustomer": "els", "createdAt": "2024-04-02T09:00:00.000Z"})
	ids, _ = o.get(t, "/relations?customer=acme&kind=shareholder").items(1, "/relations?customer=acme&kind=shareholder&page=1&pageSize=100", "/relations?customer=acme&kind=shareholder&page=1&pageSize=100")
	equal(t, "a customer's of a kind", ids, "rel-4")
	ids, _ = o.get(t, "/relations?relatedCustomer=els").items(2, "/relations?relatedCustomer=els&page=1&pageSize=100", "/relations?relatedCustomer=els&page=1&pageSize=100")
	equal(t, "of who is director and UBO", ids, "rel-1 rel-2")
	o.get(t, "/relations?kind=friend").problem(400)
	o.get(t, "/relations?direction=OUTGOING").problem(400)
}

func TestTheCalculationsOfAllTranscriptsAreListed(t *testing.T) {
	t.Parallel()
	o := open(t)
	ids, data := o.get(t, "/calculations").items(3, "/calculations?page=1&pageSize=100", "/calculations?page=1&pageSize=100")
	equal(t, "ids", ids, "calc-1 calc-2 calc-5")
	has(t, data[0], map[string]any{"state": "Calculation done", "transcript": "tr-1", "customer": "acme", "updatedAt": "2026-04-01T09:00:00.000Z", "hasProposal": true})
	for query, want := range map[string]string{
		"hasProposal=false": "calc-2 calc-5", "customer=acme&hasProposal=true": "calc-1", "transcript=tr-5": "calc-5", "customer=nobody": "",
		"state=Approved&state=In+calculation": "calc-2 calc-5",
	} {
		equal(t, query, idsOf(o.get(t, "/calculations?"+query).is(200)), want)
	}
	o.get(t, "/calculations?state=Sent").problem(400)
}

func TestTheDocumentsOfAllCustomersAreListed(t *testing.T) {
	t.Parallel()
	o := open(t)
	ids, data := o.get(t, "/documents").items(2, "/documents?page=1&pageSize=100", "/documents?page=1&pageSize=100")
	equal(t, "ids", ids, "doc-1 doc-2")
	has(t, data[0], map[string]any{"name": "Statuten.pdf", "customer": "acme", "contentType": "application/pdf"})
	equal(t, "nobody's", idsOf(o.get(t, "/documents?customer=duo").is(200)), "")
}

func TestListsOfWhatHasANameAreOrderedByIt(t *testing.T) {
	t.Parallel()
	o := open(t)
	for path, want := range map[string]string{
		"/users?orderBy=name":                              "user-an user-bruno user-clara",
		"/users?orderBy=name&direction=desc&pageSize=2":    "user-clara user-bruno",
		"/settings/labels?orderBy=name":                    "label-audit label-tax label-plain",
		"/settings/labels?direction=desc":                  "label-tax label-plain label-audit",
		"/checklists?orderBy=name&financialYear=year-2026": "list-2026-fr list-2026-nl",
		"/documents?orderBy=name":                          "doc-2 doc-1",
		"/customers/acme/documents?orderBy=name":           "doc-2 doc-1",
	} {
		equal(t, path, idsOf(o.get(t, path).is(200)), want)
	}
	equal(t, "the last page", o.get(t, "/users?orderBy=name&pageSize=2").is(200)["last_page"], any("/users?orderBy=name&page=2&pageSize=2"))
	for _, path := range []string{"/users?orderBy=email", "/users?orderBy=", "/documents?direction=down"} {
		o.get(t, path).problem(400)
	}
}

func idsOf(list map[string]any) (ids string) {
	for i, item := range list["data"].([]any) {
		if i > 0 {
			ids += " "
		}
		ids += item.(map[string]any)["_id"].(string)
	}
	return ids
}

func TestADiscrepancyIsReportedAtAnInstant(t *testing.T) {
	t.Parallel()
	o := open(t)
	check(t, o.store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		return tx.Discrepancies().Upsert(ctx, []*backoffice.Discrepancy{{ID: "gap", Kind: backoffice.NotDeclared, CustomerID: "acme", PersonID: "els", SeenAt: 1, Version: 1}})
	}))
	note := func(body string) *answer { return o.ask(t, o.all, "PATCH", "/discrepancies/gap", body) }
	has(t, note(`{"reportedAt":"2024-06-01T09:30:00+02:00"}`).is(200),
		map[string]any{"reportedAt": "2024-06-01T07:30:00.000Z"})
	has(t, note(`{"reportedAt":null}`).is(200), map[string]any{"reportedAt": nil})
	for _, wrong := range []string{`"yesterday"`, `7`, `""`} {
		note(`{"reportedAt":`+wrong+`}`).fault(422, "/reportedAt", "INVALID")
	}
	later := func(by time.Duration) string {
		return `{"reportedAt":"` + time.Now().Add(by).UTC().Format(time.RFC3339) + `"}`
	}
	note(later(2*time.Minute)).fault(422, "/reportedAt", "INVALID")
	note(later(30 * time.Second)).is(200) // of another clock
	if told := note(`{"reportedAt":"2026-06-01T00:00:00,5Z"}`).problem(422)["detail"]; told != "an instant must look like 2026-06-01T09:30:00.000Z" {
		t.Error(told)
	}
}
