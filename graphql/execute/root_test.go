package execute_test

import (
	"context"
	"math/rand/v2"
	"strconv"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
	"example.org/backoffice/graphql/inputs"
)

// root is a ResolverRoot over a world.
type root struct{ *world }

type (
	query        struct{ *world }
	mutation     struct{ *world }
	calculation  struct{ *world }
	checklist    struct{ *world }
	customer     struct{ *world }
	document     struct{ *world }
	relation     struct{ *world }
	relationEdge struct{ *world }
	file         struct{ *world }
	year         struct{ *world }
	minfin       struct{ *world }
	transcript   struct{ *world }
	user         struct{ *world }
	pageInfo     struct{ *world }
	assignments  struct{ *world }

	relationPages   struct{ *world }
	transcriptPages struct {
		pages[*backoffice.Transcript, backoffice.TranscriptCriteria]
	}
	pages[T backoffice.Entity, C comparable] struct{ *world }
)

func (r root) Query() graph.QueryResolver                               { return query(r) }
func (r root) Mutation() graph.MutationResolver                         { return mutation(r) }
func (r root) Calculation() graph.CalculationResolver                   { return calculation(r) }
func (r root) Checklist() graph.ChecklistResolver                       { return checklist(r) }
func (r root) Customer() graph.CustomerResolver                         { return customer(r) }
func (r root) CustomerDocument() graph.CustomerDocumentResolver         { return document(r) }
func (r root) CustomerRelation() graph.CustomerRelationResolver         { return relation(r) }
func (r root) CustomerRelationEdge() graph.CustomerRelationEdgeResolver { return relationEdge(r) }
func (r root) File() graph.FileResolver                                 { return file(r) }
func (r root) FinancialYear() graph.FinancialYearResolver               { return year(r) }
func (r root) MinfinDocument() graph.MinfinDocumentResolver             { return minfin(r) }
func (r root) Transcript() graph.TranscriptResolver                     { return transcript(r) }
func (r root) User() graph.UserResolver                                 { return user(r) }
func (r root) PageInfo() graph.PageInfoResolver                         { return pageInfo(r) }
func (r root) CustomerRelationConnection() graph.CustomerRelationConnectionResolver {
	return relationPages(r)
}
func (r root) TranscriptConnection() graph.TranscriptConnectionResolver {
	return transcriptPages{pages[*backoffice.Transcript, backoffice.TranscriptCriteria](r)}
}

func (r root) AssignChecklistsPayload() graph.AssignChecklistsPayloadResolver { return assignments(r) }

func (r assignments) Transcripts(_ context.Context, payloads []*inputs.AssignChecklistsPayload, first *int, after *string) ([]*backoffice.TranscriptConnection, error) {
	key := func(p *inputs.AssignChecklistsPayload) string { return strconv.Itoa(p.Assigned) }
	return batch(r.world, "AssignChecklistsPayload.transcripts", payloads, key, []any{first, after}, func(d *rand.Rand, _ *inputs.AssignChecklistsPayload) *backoffice.TranscriptConnection {
		return page[*backoffice.Transcript, backoffice.TranscriptCriteria](r.world, d, some(r.world, d, r.transcript))
	})
}

func (r root) CustomerConnection() graph.CustomerConnectionResolver {
	return pages[*backoffice.Customer, backoffice.CustomerCriteria](r)
}
func (r root) ChecklistConnection() graph.ChecklistConnectionResolver {
	return pages[*backoffice.Checklist, backoffice.ChecklistCriteria](r)
}
func (r root) CustomerDocumentConnection() graph.CustomerDocumentConnectionResolver {
	return pages[*backoffice.CustomerDocument, backoffice.DocumentCriteria](r)
}
func (r root) FinancialYearConnection() graph.FinancialYearConnectionResolver {
	return pages[*backoffice.FinancialYear, backoffice.FinancialYearCriteria](r)
}
func (r root) LabelConnection() graph.LabelConnectionResolver {
	return pages[*backoffice.Label, backoffice.LabelCriteria](r)
}
func (r root) MinfinDocumentConnection() graph.MinfinDocumentConnectionResolver {
	return pages[*backoffice.MinfinDocument, backoffice.MinfinCriteria](r)
}
func (r root) PrivacyAccessConnection() graph.PrivacyAccessConnectionResolver {
	return pages[*backoffice.Consultation, backoffice.ConsultationCriteria](r)
}
func (r root) CalculationConnection() graph.CalculationConnectionResolver {
	return pages[*backoffice.Calculation, backoffice.CalculationCriteria](r)
}
func (r root) UserConnection() graph.UserConnectionResolver {
	return pages[*backoffice.User, backoffice.UserCriteria](r)
}

// ---- lists

type (
	customers   = backoffice.CustomerConnection
	transcripts = backoffice.TranscriptConnection
	relations   = backoffice.CustomerRelationConnection
)

func (w *world) customerPage(d *rand.Rand) *customers {
	return page[*backoffice.Customer, backoffice.CustomerCriteria](w, d, some(w, d, w.customer))
}

func (w *world) transcriptPage(d *rand.Rand) *transcripts {
	return page[*backoffice.Transcript, backoffice.TranscriptCriteria](w, d, some(w, d, w.transcript))
}

func (w *world) relationPage(d *rand.Rand) *relations {
	return &relations{Connection: page[*backoffice.CustomerRelation, backoffice.RelationCriteria](w, d, some(w, d, w.relation))}
}

func (w *world) checklistPage(d *rand.Rand) *backoffice.ChecklistConnection {
	return page[*backoffice.Checklist, backoffice.ChecklistCriteria](w, d, some(w, d, w.checklist))
}

func (w *world) minfinPage(d *rand.Rand) *backoffice.MinfinDocumentConnection {
	return page[*backoffice.MinfinDocument, backoffice.MinfinCriteria](w, d, some(w, d, w.minfin))
}

func below[P, R any](w *world, field string, parents []*P, key func(*P) string, args []any, make func(*rand.Rand) *R) ([]*R, error) {
	return batch(w, field, parents, key, args, func(d *rand.Rand, _ *P) *R { return maybe(w, d, 12, make) })
}

func count[P any](w *world, field string, parents []*P, key func(*P) string) ([]int, error) {
	return batch(w, field, parents, key, nil, func(d *rand.Rand, _ *P) int { return d.IntN(100) })
}

func (p pages[T, C]) TotalCount(ctx context.Context, objs []*backoffice.Connection[T, C]) ([]int, error) {
	return count(p.world, "totalCount", objs, func(c *backoffice.Connection[T, C]) string { return c.Parent })
}

func (r relationPages) TotalCount(ctx context.Context, objs []*relations) ([]int, error) {
	return count(r.world, "relations.totalCount", objs, func(c *relations) string { return c.Parent })
}

func (r transcriptPages) StatusCounts(ctx context.Context, objs []*transcripts) ([][]*backoffice.TranscriptStatusCount, error) {
	return batch(r.world, "statusCounts", objs, func(c *transcripts) string { return c.Parent }, nil, func(d *rand.Rand, _ *transcripts) []*backoffice.TranscriptStatusCount {
		return some(r.world, d, func(d *rand.Rand) *backoffice.TranscriptStatusCount {
			return &backoffice.TranscriptStatusCount{Status: backoffice.Sent, Count: d.IntN(9)}
		})
	})
}

func (r pageInfo) HasNextPage(ctx context.Context, objs []*backoffice.PageInfo) ([]bool, error) {
	return batch(r.world, "hasNextPage", objs, func(*backoffice.PageInfo) string { return "" }, nil, func(d *rand.Rand, _ *backoffice.PageInfo) bool { return d.IntN(2) == 0 })
}

func (r pageInfo) HasPreviousPage(ctx context.Context, objs []*backoffice.PageInfo) ([]bool, error) {
	return batch(r.world, "hasPreviousPage", objs, func(*backoffice.PageInfo) string { return "" }, nil, func(d *rand.Rand, _ *backoffice.PageInfo) bool { return d.IntN(2) == 0 })
}

// ---- objects

func customerKey(c *backoffice.Customer) string { return c.ID }

func (r customer) number(field string, objs []*backoffice.Customer) ([]*string, error) {
	return below(r.world, field, objs, customerKey, nil, wordAt)
}
func (r customer) RegistrationNumber(ctx context.Context, objs []*backoffice.Customer) ([]*string, error) {
	return r.number("registrationNumber", objs)
}
func (r customer) SpouseRegistrationNumber(ctx context.Context, objs []*backoffice.Customer) ([]*string, error) {
	return r.number("spouseRegistrationNumber", objs)
}
func (r customer) PrivacyAccesses(ctx context.Context, objs []*backoffice.Customer, first *int, after *string, last *int, before *string, page_ *int, pageSize *int) ([]*backoffice.ConsultationConnection, error) {
	return below(r.world, "privacyAccesses", objs, customerKey, []any{first, after, last, before, page_, pageSize}, func(d *rand.Rand) *backoffice.ConsultationConnection {
		return page[*backoffice.Consultation, backoffice.ConsultationCriteria](r.world, d, some(r.world, d, r.access))
	})
}
func (r customer) Responsible(ctx context.Context, objs []*backoffice.Customer) ([]*backoffice.User, error) {
	return below(r.world, "responsible", objs, customerKey, nil, r.world.user)
}
func (r customer) Relations(ctx context.Context, objs []*backoffice.Customer, first *int, after *string, last *int, before *string, page *int, pageSize *int, kind *backoffice.RelationKind, direction *backoffice.RelationDirection, asOf *string) ([]*relations, error) {
	return below(r.world, "relations", objs, customerKey, []any{first, after, last, before, page, pageSize, kind, direction, asOf}, r.relationPage)
}
func (r customer) Transcripts(ctx context.Context, objs []*backoffice.Customer, first *int, after *string, last *int, before *string, page *int, pageSize *int, filter *backoffice.TranscriptFilter, orderBy *backoffice.TranscriptOrder) ([]*transcripts, error) {
	return below(r.world, "customer.transcripts", objs, customerKey, []any{first, after, last, before, page, pageSize, filter, orderBy}, r.transcriptPage)
}
func (r customer) Documents(ctx context.Context, objs []*backoffice.Customer, first *int, after *string, last *int, before *string, page_ *int, pageSize *int, orderBy *backoffice.CustomerDocumentOrder) ([]*backoffice.CustomerDocumentConnection, error) {
	return below(r.world, "documents", objs, customerKey, []any{first, after, last, before, page_, pageSize, orderBy}, func(d *rand.Rand) *backoffice.CustomerDocumentConnection {
		return page[*backoffice.CustomerDocument, backoffice.DocumentCriteria](r.world, d, some(r.world, d, r.document))
	})
}
func (r customer) CalculationProposal(ctx context.Context, objs []*backoffice.Customer) ([]*backoffice.File, error) {
	return below(r.world, "calculationProposal", objs, customerKey, nil, r.file)
}
func (r customer) MinfinDocuments(ctx context.Context, objs []*backoffice.Customer, first *int, after *string, last *int, before *string, page *int, pageSize *int, filter *backoffice.MinfinDocumentFilter) ([]*backoffice.MinfinDocumentConnection, error) {
	return below(r.world, "customer.minfinDocuments", objs, customerKey, []any{first, after, last, before, page, pageSize, filter}, r.minfinPage)
}

func relationKey(c *backoffice.CustomerRelation) string { return c.ID }

func (r relation) Customer(ctx context.Context, objs []*backoffice.CustomerRelation) ([]*backoffice.Customer, error) {
	return below(r.world, "relation.customer", objs, relationKey, nil, r.customer)
}
func (r relation) RelatedCustomer(ctx context.Context, objs []*backoffice.CustomerRelation) ([]*backoffice.Customer, error) {
	return below(r.world, "relatedCustomer", objs, relationKey, nil, r.customer)
}
func (r relationEdge) OtherCustomer(ctx context.Context, objs []*backoffice.CustomerRelationEdge) ([]*backoffice.Customer, error) {
	return below(r.world, "otherCustomer", objs, func(e *backoffice.CustomerRelationEdge) string {
		if e.Node == nil {
			return e.Parent
		}
		return e.Parent + e.Node.ID
	}, nil, r.customer)
}

func (r calculation) Transcript(ctx context.Context, objs []*backoffice.Calculation) ([]*backoffice.Transcript, error) {
	return below(r.world, "calculation.transcript", objs, func(c *backoffice.Calculation) string { return c.ID }, nil, r.transcript)
}

func checklistKey(c *backoffice.Checklist) string { return c.ID }

func (r checklist) FinancialYear(ctx context.Context, objs []*backoffice.Checklist) ([]*backoffice.FinancialYear, error) {
	return below(r.world, "checklist.financialYear", objs, checklistKey, nil, r.year)
}
func (r checklist) Transcripts(ctx context.Context, objs []*backoffice.Checklist, first *int, after *string, last *int, before *string, page *int, pageSize *int, filter *backoffice.TranscriptFilter, orderBy *backoffice.TranscriptOrder) ([]*transcripts, error) {
	return below(r.world, "checklist.transcripts", objs, checklistKey, []any{first, after, last, before, page, pageSize, filter, orderBy}, r.transcriptPage)
}

func (r document) Customer(ctx context.Context, objs []*backoffice.CustomerDocument) ([]*backoffice.Customer, error) {
	return below(r.world, "document.customer", objs, func(c *backoffice.CustomerDocument) string { return c.ID }, nil, r.customer)
}

func (r file) DownloadPath(ctx context.Context, objs []*backoffice.File) ([]string, error) {
	return batch(r.world, "downloadPath", objs, func(f *backoffice.File) string { return f.Key }, nil, func(d *rand.Rand, f *backoffice.File) string { return "/" + f.Key })
}

func yearKey(c *backoffice.FinancialYear) string { return c.ID }

func (r year) Checklists(ctx context.Context, objs []*backoffice.FinancialYear, first *int, after *string, last *int, before *string, page *int, pageSize *int, orderBy *backoffice.ChecklistOrder) ([]*backoffice.ChecklistConnection, error) {
	return below(r.world, "year.checklists", objs, yearKey, []any{first, after, last, before, page, pageSize, orderBy}, r.checklistPage)
}
func (r year) Transcripts(ctx context.Context, objs []*backoffice.FinancialYear, first *int, after *string, last *int, before *string, page *int, pageSize *int, filter *backoffice.TranscriptFilter, orderBy *backoffice.TranscriptOrder) ([]*transcripts, error) {
	return below(r.world, "year.transcripts", objs, yearKey, []any{first, after, last, before, page, pageSize, filter, orderBy}, r.transcriptPage)
}

func minfinKey(c *backoffice.MinfinDocument) string { return c.ID }

func (r minfin) Customer(ctx context.Context, objs []*backoffice.MinfinDocument) ([]*backoffice.Customer, error) {
	return below(r.world, "minfin.customer", objs, minfinKey, nil, r.customer)
}
func (r minfin) FinancialYear(ctx context.Context, objs []*backoffice.MinfinDocument) ([]*backoffice.FinancialYear, error) {
	return below(r.world, "minfin.financialYear", objs, minfinKey, nil, r.year)
}

func transcriptKey(c *backoffice.Transcript) string { return c.ID }

func (r transcript) Customer(ctx context.Context, objs []*backoffice.Transcript) ([]*backoffice.Customer, error) {
	return below(r.world, "transcript.customer", objs, transcriptKey, nil, r.customer)
}
func (r transcript) Checklist(ctx context.Context, objs []*backoffice.Transcript) ([]*backoffice.Checklist, error) {
	return below(r.world, "transcript.checklist", objs, transcriptKey, nil, r.checklist)
}
func (r transcript) FinancialYear(ctx context.Context, objs []*backoffice.Transcript) ([]*backoffice.FinancialYear, error) {
	return below(r.world, "transcript.financialYear", objs, transcriptKey, nil, r.year)
}
func (r transcript) Calculation(ctx context.Context, objs []*backoffice.Transcript) ([]*backoffice.Calculation, error) {
	return below(r.world, "transcript.calculation", objs, transcriptKey, nil, r.calculation)
}

func userKey(c *backoffice.User) string { return c.ID }

func (r user) Labels(ctx context.Context, objs []*backoffice.User) ([][]*backoffice.Label, error) {
	return batch(r.world, "user.labels", objs, userKey, nil, func(d *rand.Rand, _ *backoffice.User) []*backoffice.Label { return some(r.world, d, r.label) })
}
func (r user) Customers(ctx context.Context, objs []*backoffice.User, first *int, after *string, last *int, before *string, page *int, pageSize *int) ([]*customers, error) {
	return below(r.world, "user.customers", objs, userKey, []any{first, after, last, before, page, pageSize}, r.customerPage)
}

func (r user) Transcripts(ctx context.Context, objs []*backoffice.User, first *int, after *string, last *int, before *string, page *int, pageSize *int, filter *backoffice.TranscriptFilter, orderBy *backoffice.TranscriptOrder) ([]*transcripts, error) {
	return below(r.world, "user.transcripts", objs, userKey, []any{first, after, last, before, page, pageSize, filter, orderBy}, r.transcriptPage)
}

// ---- roots

func (r query) Viewer(ctx context.Context) (*backoffice.Principal, error) {
	return single(r.world, ctx, "viewer", nil, func(d *rand.Rand) *backoffice.Principal {
		return maybe(r.world, d, 8, func(d *rand.Rand) *backoffice.Principal {
			return &backoffice.Principal{ClientID: id(d), Name: word(d), Scopes: []backoffice.Scope{backoffice.PtiWrite}}
		})
	})
}
func (r query) Node(ctx context.Context, id string) (backoffice.Node, error) {
	return single(r.world, ctx, "node", []any{id}, r.node)
}
func (r query) Nodes(ctx context.Context, ids []string) ([]backoffice.Node, error) {
	return single(r.world, ctx, "nodes", []any{ids}, func(d *rand.Rand) []backoffice.Node {
		nodes := []backoffice.Node{}
		for range d.IntN(8) {
			nodes = append(nodes, r.node(d))
		}
		return nodes
	})
}

func one[R any](w *world, ctx context.Context, field string, args []any, make func(*rand.Rand) *R) (*R, error) {
	return single(w, ctx, field, args, func(d *rand.Rand) *R { return maybe(w, d, 6, make) })
}

func (r query) CurrentFinancialYear(ctx context.Context) (*backoffice.FinancialYear, error) {
	return one(r.world, ctx, "currentFinancialYear", nil, r.year)
}
func (r query) FinancialYear(ctx context.Context, id string) (*backoffice.FinancialYear, error) {
	return one(r.world, ctx, "financialYear", []any{id}, r.year)
}
func (r query) FinancialYears(ctx context.Context, first *int, after *string, last *int, before *string, page_ *int, pageSize *int) (*backoffice.FinancialYearConnection, error) {
	return one(r.world, ctx, "financialYears", []any{first, after, last, before, page_, pageSize}, func(d *rand.Rand) *backoffice.FinancialYearConnection {
		return page[*backoffice.FinancialYear, backoffice.FinancialYearCriteria](r.world, d, some(r.world, d, r.year))
	})
}
func (r query) Checklist(ctx context.Context, id string) (*backoffice.Checklist, error) {
	return one(r.world, ctx, "checklist", []any{id}, r.checklist)
}
func (r query) Checklists(ctx context.Context, first *int, after *string, last *int, before *string, page *int, pageSize *int, filter *backoffice.ChecklistFilter, orderBy *backoffice.ChecklistOrder) (*backoffice.ChecklistConnection, error) {
	return one(r.world, ctx, "checklists", []any{first, after, last, before, page, pageSize, filter, orderBy}, r.checklistPage)
}
func (r query) Transcript(ctx context.Context, id string) (*backoffice.Transcript, error) {
	return one(r.world, ctx, "transcript", []any{id}, r.transcript)
}
func (r query) Transcripts(ctx context.Context, first *int, after *string, last *int, before *string, page *int, pageSize *int, filter *backoffice.TranscriptFilter, orderBy *backoffice.TranscriptOrder) (*transcripts, error) {
	return one(r.world, ctx, "transcripts", []any{first, after, last, before, page, pageSize, filter, orderBy}, r.transcriptPage)
}
func (r query) Customer(ctx context.Context, id string) (*backoffice.Customer, error) {
	return one(r.world, ctx, "customer", []any{id}, r.customer)
}
func (r query) Customers(ctx context.Context, first *int, after *string, last *int, before *string, page *int, pageSize *int, filter *backoffice.CustomerFilter, orderBy *backoffice.CustomerOrder) (*customers, error) {
	return one(r.world, ctx, "customers", []any{first, after, last, before, page, pageSize, filter, orderBy}, r.customerPage)
}
func (r query) Relations(ctx context.Context, first *int, after *string, last *int, before *string, page *int, pageSize *int, filter *backoffice.CustomerRelationFilter, asOf *string) (*relations, error) {
	return one(r.world, ctx, "relations", []any{first, after, last, before, page, pageSize, filter, asOf}, r.relationPage)
}
func (r query) Calculations(ctx context.Context, first *int, after *string, last *int, before *string, page_ *int, pageSize *int, filter *backoffice.CalculationFilter, orderBy *backoffice.CalculationOrder) (*backoffice.CalculationConnection, error) {
	return one(r.world, ctx, "calculations", []any{first, after, last, before, page_, pageSize, filter, orderBy}, func(d *rand.Rand) *backoffice.CalculationConnection {
		return page[*backoffice.Calculation, backoffice.CalculationCriteria](r.world, d, some(r.world, d, r.calculation))
	})
}
func (r query) Documents(ctx context.Context, first *int, after *string, last *int, before *string, page_ *int, pageSize *int, filter *backoffice.CustomerDocumentFilter, orderBy *backoffice.CustomerDocumentOrder) (*backoffice.CustomerDocumentConnection, error) {
	return one(r.world, ctx, "documents", []any{first, after, last, before, page_, pageSize, filter, orderBy}, func(d *rand.Rand) *backoffice.CustomerDocumentConnection {
		return page[*backoffice.CustomerDocument, backoffice.DocumentCriteria](r.world, d, some(r.world, d, r.document))
	})
}
func (r query) User(ctx context.Context, id string) (*backoffice.User, error) {
	return one(r.world, ctx, "user", []any{id}, r.user)
}
func (r query) Users(ctx context.Context, first *int, after *string, last *int, before *string, page_ *int, pageSize *int, filter *backoffice.UserFilter, orderBy *backoffice.UserOrder) (*backoffice.UserConnection, error) {
	return one(r.world, ctx, "users", []any{first, after, last, before, page_, pageSize, filter, orderBy}, func(d *rand.Rand) *backoffice.UserConnection {
		return page[*backoffice.User, backoffice.UserCriteria](r.world, d, some(r.world, d, r.user))
	})
}
func (r query) Label(ctx context.Context, id string) (*backoffice.Label, error) {
	return one(r.world, ctx, "label", []any{id}, r.label)
}
func (r query) Labels(ctx context.Context, first *int, after *string, last *int, before *string, page_ *int, pageSize *int, orderBy *backoffice.LabelOrder) (*backoffice.LabelConnection, error) {
	return one(r.world, ctx, "labels", []any{first, after, last, before, page_, pageSize, orderBy}, func(d *rand.Rand) *backoffice.LabelConnection {
		return page[*backoffice.Label, backoffice.LabelCriteria](r.world, d, some(r.world, d, r.label))
	})
}
func (r query) MinfinDocument(ctx context.Context, id string) (*backoffice.MinfinDocument, error) {
	return one(r.world, ctx, "minfinDocument", []any{id}, r.minfin)
}
func (r query) MinfinDocuments(ctx context.Context, first *int, after *string, last *int, before *string, page *int, pageSize *int, filter *backoffice.MinfinDocumentFilter) (*backoffice.MinfinDocumentConnection, error) {
	return one(r.world, ctx, "minfinDocuments", []any{first, after, last, before, page, pageSize, filter}, r.minfinPage)
}
