package execute_test

import (
	"context"
	"math/rand/v2"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
)

type workList struct{ *world }

func (r root) WorkList() graph.WorkListResolver { return workList(r) }

func (r query) WorkList(ctx context.Context, responsibleID *string, financialYearID string) (*backoffice.WorkList, error) {
	return single(r.world, ctx, "workList", []any{responsibleID, financialYearID}, func(*rand.Rand) *backoffice.WorkList {
		return &backoffice.WorkList{FinancialYearID: financialYearID, ResponsibleID: responsibleID}
	})
}

func workListKey(w *backoffice.WorkList) string { return w.FinancialYearID }

func (r workList) Untouched(_ context.Context, objs []*backoffice.WorkList, days int, first *int, after *string, last *int, before *string, page, pageSize *int, orderBy *backoffice.TranscriptOrder) ([]*transcripts, error) {
	return below(r.world, "workList.untouched", objs, workListKey, []any{days, first, after, last, before, page, pageSize, orderBy}, r.transcriptPage)
}

func (r workList) Overdue(_ context.Context, objs []*backoffice.WorkList, first *int, after *string, last *int, before *string, page, pageSize *int, orderBy *backoffice.TranscriptOrder) ([]*transcripts, error) {
	return below(r.world, "workList.overdue", objs, workListKey, []any{first, after, last, before, page, pageSize, orderBy}, r.transcriptPage)
}

func (r workList) WithoutDocument(_ context.Context, objs []*backoffice.WorkList, first *int, after *string, last *int, before *string, page, pageSize *int, orderBy *backoffice.TranscriptOrder) ([]*transcripts, error) {
	return below(r.world, "workList.withoutDocument", objs, workListKey, []any{first, after, last, before, page, pageSize, orderBy}, r.transcriptPage)
}

func (r workList) MissingChecklist(_ context.Context, objs []*backoffice.WorkList, first *int, after *string, last *int, before *string, page, pageSize *int, orderBy *backoffice.CustomerOrder) ([]*customers, error) {
	return below(r.world, "workList.missingChecklist", objs, workListKey, []any{first, after, last, before, page, pageSize, orderBy}, r.customerPage)
}

func (r workList) OwnershipDiffers(_ context.Context, objs []*backoffice.WorkList, first *int, after *string, last *int, before *string, page, pageSize *int, orderBy *backoffice.CustomerOrder) ([]*customers, error) {
	return below(r.world, "workList.ownershipDiffers", objs, workListKey, []any{first, after, last, before, page, pageSize, orderBy}, r.customerPage)
}

func (r workList) NotSent(_ context.Context, objs []*backoffice.WorkList, first *int, after *string, last *int, before *string, page, pageSize *int, orderBy *backoffice.TranscriptOrder) ([]*transcripts, error) {
	return below(r.world, "workList.notSent", objs, workListKey, []any{first, after, last, before, page, pageSize, orderBy}, r.transcriptPage)
}
