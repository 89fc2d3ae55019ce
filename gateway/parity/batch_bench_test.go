package parity

import (
	"context"
	"fmt"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// What batches are for: the same writes in less time. It prints what a hundred customers take by themselves and in a
// batch, and an assignment to 10,000.
func BenchmarkBatches(b *testing.B) {
	for name, fresh := range gatewaytest.Engines {
		b.Run(name, func(b *testing.B) {
			o := gatewaytest.OpenOn(b, fresh(b))
			all := o.Credential(b, backoffice.AllScopes...)
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
						batch(b, o, all, `mutation($input: CreateCustomerInput!) { createCustomer(input: $input) { customer { id displayName } userErrors { code field } } }`, map[string]any{"input": input})
					}
				}
			})
			b.Run("a batch of 100", func(b *testing.B) {
				for b.Loop() {
					if answer, body, _ := batch(b, o, all, createBatch, map[string]any{"inputs": coded()}); answer.Written != 100 {
						b.Fatal(body)
					}
				}
			})
			addCompanies(b, o, 10_000)
			b.Run("10,000 checklists by a filter", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					if answer, body, _ := assignMany(b, o, all, `filter: {scope: "crowd"}`, `first: 1`); answer.Assigned != 10_000 {
						b.Fatalf("%.300s", body)
					}
					b.StopTimer()
					unassign(b, o)
					b.StartTimer()
				}
			})
		})
	}
}

// unassign takes the checklist from the crowd again.
func unassign(b *testing.B, o *gatewaytest.Office) {
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
