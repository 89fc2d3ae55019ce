package execute_test

import (
	"context"
	"math/rand/v2"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/inputs"
)

type recorded root

func recordedKey(d *backoffice.Discrepancy) string { return d.ID }

func (w *world) discrepancy(d *rand.Rand) *backoffice.Discrepancy {
	return &backoffice.Discrepancy{
		ID: id(d), Kind: pick(d, backoffice.DiscrepancyKinds), DeclaredPercent: pick(d, []backoffice.Text{"", "25"}), ComputedPercent: "33.3333",
		SeenAt: instant(d), ClosedAt: instant(d), ReportedAt: instant(d), Note: text1(d), Version: d.IntN(9),
	}
}

func (w *world) discrepancyPage(d *rand.Rand) *backoffice.DiscrepancyConnection {
	return page[*backoffice.Discrepancy, backoffice.DiscrepancyCriteria](w, d, some(w, d, w.discrepancy))
}

func (r recorded) Customer(ctx context.Context, objs []*backoffice.Discrepancy) ([]*backoffice.Customer, error) {
	return below(r.world, "discrepancy.customer", objs, recordedKey, nil, r.customer)
}

func (r recorded) Person(ctx context.Context, objs []*backoffice.Discrepancy) ([]*backoffice.Customer, error) {
	return below(r.world, "discrepancy.person", objs, recordedKey, nil, r.customer)
}

func (r customer) Discrepancies(ctx context.Context, objs []*backoffice.Customer, first *int, after *string, last *int, before *string, page, pageSize *int, filter *backoffice.DiscrepancyFilter) ([]*backoffice.DiscrepancyConnection, error) {
	return below(r.world, "customer.discrepancies", objs, customerKey, []any{first, after, last, before, page, pageSize, filter}, r.discrepancyPage)
}

func (r query) Discrepancies(ctx context.Context, first *int, after *string, last *int, before *string, page, pageSize *int, filter *backoffice.DiscrepancyFilter) (*backoffice.DiscrepancyConnection, error) {
	return one(r.world, ctx, "discrepancies", []any{first, after, last, before, page, pageSize, filter}, r.discrepancyPage)
}

func (r mutation) NoteDiscrepancy(ctx context.Context, input inputs.NoteDiscrepancyInput, dryRun *bool) (*inputs.NoteDiscrepancyPayload, error) {
	return one(r.world, ctx, "noteDiscrepancy", []any{input, dryRun}, func(d *rand.Rand) *inputs.NoteDiscrepancyPayload {
		return &inputs.NoteDiscrepancyPayload{Discrepancy: maybe(r.world, d, 3, r.discrepancy), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
