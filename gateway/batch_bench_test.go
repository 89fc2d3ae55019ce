package gateway

import (
	"context"
	"fmt"
	"testing"

	"example.org/backoffice/backoffice"
)

// What batches are for: the same writes in less time. It prints what a hundred customers take by themselves and in a
// batch, and an assignment to 10,000.
func BenchmarkBatches(b *testing.B) {
	for name, fresh := range engines {
		b.Run(name, func(b *testing.B) {
			o := openOfficeOn(b, fresh(b))
			all := o.pair(b, backoffice.AllScopes...)
			inputs := companies(named("bench", 100)...)
			for _, input := range inputs {
				input["responsibleId"], input["scopes"], input["kboNumber"] = "user-an", []string{"checklist"}, "0403019261"
			}
			made := 0
			coded := func() []map[string]any {
				for _, input := range inputs {
					made++
					input["customerCode"] = fmt.Sprint("bench-", made)
				}
				return inputs
			}
			b.Run("100 mutations", func(b *testing.B) {
				for b.Loop() {
					for _, input := range coded() {
						o.batch(b, all, `mutation($input: CreateCustomerInput!) { createCustomer(input: $input) { customer { id displayName } userErrors { code field } } }`, map[string]any{"input": input})
					}
				}
			})
			b.Run("a batch of 100", func(b *testing.B) {
				for b.Loop() {
					if answer, body, _ := o.batch(b, all, createBatch, map[string]any{"inputs": coded()}); answer.Written != 100 {
						b.Fatal(body)
					}
				}
			})
			o.addCompanies(b, 10_000)
			b.Run("10,000 checklists by a filter", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					if answer, body, _ := o.assignMany(b, all, `filter: {scope: "crowd"}`, `first: 1`); answer.Assigned != 10_000 {
						b.Fatalf("%.300s", body)
					}
					b.StopTimer()
					o.unassign(b)
					b.StartTimer()
				}
			})
		})
	}
}

// unassign takes the checklist from the crowd again.
func (o *office) unassign(b *testing.B) {
	b.Helper()
	ask := backoffice.ListQuery[backoffice.TranscriptCriteria]{Criteria: backoffice.TranscriptCriteria{ChecklistID: "list-2026-nl"}}
	var ids []string
	err := backoffice.EachPage(b.Context(), o.Store.Transcripts(), ask, backoffice.NoParent, 0, func(page []*backoffice.Transcript) error {
		for _, t := range page {
			ids = append(ids, t.ID)
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := o.Store.Write(b.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		_, err := tx.Transcripts().Delete(ctx, ids...)
		return err
	}); err != nil {
		b.Fatal(err)
	}
}
