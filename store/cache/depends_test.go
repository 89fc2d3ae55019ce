package cache_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/cache"
	"example.org/backoffice/store/storetest"
)

// Questions whose answers go by records of other nouns.
var (
	open         = backoffice.NestedOf(backoffice.TranscriptCriteria{IsCompleted: backoffice.No})
	ofUser       = backoffice.NestedOf(backoffice.TranscriptCriteria{ResponsibleID: "user-1"})
	related      = backoffice.CustomerCriteria{Relations: backoffice.RelationsCriteria{AtLeast: 2}}
	customerAsks = map[string]backoffice.ListQuery[backoffice.CustomerCriteria]{
		"by relations":                 {Order: backoffice.Order{Key: backoffice.KeyRelations, Descending: true}},
		"by open transcripts":          {Order: backoffice.Order{Key: backoffice.KeyOpenTranscripts}},
		"with relations":               {Criteria: related},
		"with no relation, within any": {Criteria: backoffice.CustomerCriteria{Any: backoffice.NestedOf(backoffice.CustomerCriteria{Not: backoffice.NestedOf(related)})}},
		"with an open transcript":      {Criteria: backoffice.CustomerCriteria{SomeTranscript: open}},
		"without open ones, not":       {Criteria: backoffice.CustomerCriteria{Not: backoffice.NestedOf(backoffice.CustomerCriteria{NoTranscript: open})}},
		"of a user with a label":       {Criteria: backoffice.CustomerCriteria{LabelID: "label-1"}},
		"without a document":           {Criteria: backoffice.CustomerCriteria{HasDocument: backoffice.No}},
		"with a transcript of a user":  {Criteria: backoffice.CustomerCriteria{SomeTranscript: ofUser}},
	}
	transcriptAsks = map[string]backoffice.ListQuery[backoffice.TranscriptCriteria]{
		"by the customer's name":       {Order: backoffice.Order{Key: backoffice.KeyCustomerName}},
		"by name, of a checklist":      {Parent: backoffice.OfChecklist, Order: backoffice.Order{Key: backoffice.KeyCustomerName}},
		"of a user's customers":        {Criteria: backoffice.TranscriptCriteria{ResponsibleID: "user-1"}},
		"of a label's users":           {Criteria: backoffice.TranscriptCriteria{LabelID: "label-1"}},
		"not of a user's customers":    {Criteria: backoffice.TranscriptCriteria{Not: ofUser}},
		"any of a user, of a customer": {Parent: backoffice.OfCustomer, Criteria: backoffice.TranscriptCriteria{Any: ofUser}},
	}
)

// dependents are changes of what lists of customers and transcripts go by, with what undoes each.
func dependents(ctx context.Context, step int) func(tx backoffice.Tx) error {
	customer := func(no int, name, responsible string) *backoffice.Customer {
		return &backoffice.Customer{ID: fmt.Sprint("customer-", no), Type: backoffice.Company, OwnName: backoffice.Text(name), DisplayName: name, ResponsibleID: responsible, Version: 1}
	}
	transcript := func(no int, completed bool) *backoffice.Transcript {
		return &backoffice.Transcript{ID: fmt.Sprint("transcript-", no), OwnStatus: backoffice.ToProcess, IsCompleted: completed, CustomerID: fmt.Sprint("customer-", no), ChecklistID: "list", FinancialYearID: "year"}
	}
	relation := func(no int) *backoffice.CustomerRelation {
		return &backoffice.CustomerRelation{ID: fmt.Sprint("relation-", no), Kind: backoffice.RelationKinds[no], CustomerID: "customer-1", RelatedCustomerID: "customer-0", CreatedAt: 1}
	}
	user := func(labels ...string) *backoffice.User {
		return &backoffice.User{ID: "user-1", FirstName: "A", LastName: "B", Email: "a@example.org", LabelIDs: labels, Version: 1}
	}
	return [...]func(tx backoffice.Tx) error{
		func(tx backoffice.Tx) error {
			for _, write := range []error{
				tx.Labels().Upsert(ctx, []*backoffice.Label{{ID: "label-1", Name: "VIP", CreatedAt: 1}}),
				tx.Users().Upsert(ctx, []*backoffice.User{user()}),
				tx.FinancialYears().Upsert(ctx, []*backoffice.FinancialYear{{ID: "year", StartDate: "2026", EndDate: "2026", IsCurrentYear: true}}),
				tx.Checklists().Upsert(ctx, []*backoffice.Checklist{{ID: "list", Name: "x", Language: "dutch", FinancialYearID: "year"}}),
				tx.Customers().Upsert(ctx, []*backoffice.Customer{customer(0, "a", ""), customer(1, "b", ""), customer(2, "c", "")}),
				tx.Transcripts().Upsert(ctx, []*backoffice.Transcript{transcript(0, false), transcript(1, true), transcript(2, true)}),
				tx.Relations().Upsert(ctx, []*backoffice.CustomerRelation{relation(0)}),
			} {
				if write != nil {
					return write
				}
			}
			return nil
		},
		func(tx backoffice.Tx) error {
			return tx.Relations().Upsert(ctx, []*backoffice.CustomerRelation{relation(1), relation(2)})
		},
		func(tx backoffice.Tx) error {
			_, err := tx.Relations().Delete(ctx, "relation-1", "relation-2")
			return err
		},
		func(tx backoffice.Tx) error {
			return tx.Transcripts().Upsert(ctx, []*backoffice.Transcript{transcript(0, true), transcript(2, false)})
		},
		func(tx backoffice.Tx) error { _, err := tx.Transcripts().Delete(ctx, "transcript-2"); return err },
		func(tx backoffice.Tx) error {
			return tx.Customers().Upsert(ctx, []*backoffice.Customer{customer(0, "z", "")})
		},
		func(tx backoffice.Tx) error {
			return tx.Customers().Upsert(ctx, []*backoffice.Customer{customer(1, "b", "user-1")})
		},
		func(tx backoffice.Tx) error { return tx.Users().Upsert(ctx, []*backoffice.User{user("label-1")}) },
		func(tx backoffice.Tx) error { return tx.Users().Upsert(ctx, []*backoffice.User{user()}) },
		func(tx backoffice.Tx) error { return tx.Users().Upsert(ctx, []*backoffice.User{user("label-1")}) },
		func(tx backoffice.Tx) error { _, err := tx.Labels().Delete(ctx, "label-1"); return err },
		func(tx backoffice.Tx) error {
			return tx.Documents().Upsert(ctx, []*backoffice.CustomerDocument{{ID: "document-1", Name: "x", CustomerID: "customer-2", CreatedAt: 1}})
		},
		func(tx backoffice.Tx) error { _, err := tx.Documents().Delete(ctx, "document-1"); return err },
		func(tx backoffice.Tx) error {
			return tx.Customers().Upsert(ctx, []*backoffice.Customer{customer(1, "b", "")})
		},
		func(tx backoffice.Tx) error { _, err := tx.Customers().Delete(ctx, "customer-1"); return err },
	}[step]
}

const dependentSteps = 15

func TestAnswersThatGoByOtherNounsAreGoodAsLongAsThoseAreNotChanged(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	for engine, openIn := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			open := openIn(t)
			s := before(t, open(), cache.Options{Bytes: 4 << 20})
			if wrong := wrongAnswers(t, s, open()); len(wrong) > 0 {
				t.Errorf("%q", wrong)
			}
			if gauge(s, "cache_hits_total") == 0 {
				t.Error("nothing was answered from memory")
			}
		})
		for _, forgotten := range []backoffice.Noun{
			backoffice.NounCustomer, backoffice.NounRelation, backoffice.NounTranscript, backoffice.NounUser, backoffice.NounDocument,
		} {
			t.Run(fmt.Sprintf("%s, and a copy that forgets each %s is found out", engine, forgotten), func(t *testing.T) {
				t.Parallel()
				open := openIn(t)
				s := before(t, open(), cache.Options{Bytes: 4 << 20})
				s.Forgetting(forgotten)
				if wrong := wrongAnswers(t, s, open()); len(wrong) < 2 {
					t.Errorf("wrong is only %q", wrong)
				}
			})
		}
	}
}

// wrongAnswers puts every question before and after each change, which another store makes, and tells which ones a
// store with a cache answers otherwise than the other.
func wrongAnswers(t *testing.T, s *cache.Store, other cache.Source) (wrong []string) {
	t.Helper()
	w := &watch{Context: t.Context(), found: t.Errorf}
	for step := range dependentSteps {
		write(w, other, func(ctx context.Context, tx backoffice.Tx) error { return dependents(ctx, step)(tx) })
		for range 2 {
			for name, ask := range customerAsks {
				wrong = append(wrong, compared(t, name, ask, s.Customers(), other.Customers())...)
			}
			for name, ask := range transcriptAsks {
				wrong = append(wrong, compared(t, name, ask, s.Transcripts(), other.Transcripts())...)
			}
		}
	}
	return wrong
}

// compared asks two readers for a page and a total, and gives the name of the question when they differ.
func compared[T backoffice.Entity, C comparable](t *testing.T, name string, ask backoffice.ListQuery[C], of, other backoffice.Reader[T, C]) []string {
	t.Helper()
	parent := map[backoffice.Parent]string{backoffice.Root: backoffice.NoParent, backoffice.OfChecklist: "list", backoffice.OfCustomer: "customer-1"}[ask.Parent]
	ask.Window.Limit = 10
	var answers []string
	for _, reader := range []backoffice.Reader[T, C]{of, other} {
		pages, err := backoffice.ReadPages(t.Context(), reader, ask, []string{parent}, 0)
		if err != nil {
			t.Fatal(err)
		}
		counts, err := backoffice.ReadCounts(t.Context(), reader, ask.Parent, ask.Criteria, []string{parent})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, row := range pages[parent].Items {
			b.WriteString(row.Identity() + " ")
		}
		answers = append(answers, fmt.Sprint(b.String(), pages[parent].Positions, counts[parent]))
	}
	if answers[0] != answers[1] {
		return []string{name}
	}
	return nil
}
