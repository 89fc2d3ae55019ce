package rest

import (
	"context"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest/mapping"
)

type Discrepancy struct {
	ID              string          `json:"_id" doc:"The identifier."`
	Kind            DiscrepancyKind `json:"kind" doc:"What differs."`
	CustomerID      string          `json:"customer" doc:"The identifier of the company."`
	PersonID        string          `json:"person" doc:"The identifier of the person, who may have been deleted since."`
	DeclaredPercent *string         `json:"declaredPercent" doc:"The share that the UBO relation has."`
	ComputedPercent *string         `json:"computedPercent" doc:"The computed share."`
	SeenAt          Instant         `json:"seenAt" doc:"When it was seen."`
	ClosedAt        Instant         `json:"closedAt" nullable:"true" doc:"Null while it is open."`
	ReportedAt      Instant         `json:"reportedAt" nullable:"true" doc:"Null for not yet."`
	Note            *string         `json:"note" doc:"A remark."`
	Version         int             `json:"version" doc:"Increases with every change."`
}

// DiscrepancyNote is a change of a discrepancy: absent fields stay, null clears.
type DiscrepancyNote struct {
	ReportedAt Optional[Instant] `json:"reportedAt,omitempty" doc:"When it was reported to the UBO register."`
	Note       Optional[string]  `json:"note,omitempty" doc:"A remark of at most 200 characters."`
}

var (
	shownDiscrepancy = mapping.New[backoffice.Discrepancy, Discrepancy](
		mapping.Convert(func(k backoffice.DiscrepancyKind) DiscrepancyKind { return DiscrepancyKind(k) }))
	discrepancyNote   = mapping.New[DiscrepancyNote, backoffice.DiscrepancyFields]()
	discrepancyFilter = mapping.New[DiscrepancyFilters, backoffice.DiscrepancyFilter](mapping.Except("CustomerID"),
		mapping.Convert(func(k DiscrepancyKind) backoffice.DiscrepancyKind { return backoffice.DiscrepancyKind(k) }))
)

type DiscrepancyFilters struct {
	Kind     Optional[DiscrepancyKind] `query:"kind" doc:"What differs."`
	Open     Optional[bool]            `query:"open" doc:"Open ones, or closed ones."`
	Reported Optional[bool]            `query:"reported" doc:"Reported ones, or others."`
}

type OfDiscrepancy struct {
	ID string `path:"discrepancyId" doc:"The discrepancy's identifier."`
}

func (a *API) discrepancies() {
	const whole = " Credentials restricted to some customers see none."
	registerList(a, operation("GET /discrepancies", "listDiscrepancies", "List discrepancies",
		"Where UBO relations differ, or differed, from the computed beneficial owners, by identifier."+whole,
	), "", func(ctx context.Context, in *struct {
		CustomerID Optional[string] `query:"customer" doc:"The identifier of the company."`
		DiscrepancyFilters
		Paging
	}) (*answered[List[Discrepancy]], error) {
		filter := discrepancyFilter.Map(&in.DiscrepancyFilters)
		filter.CustomerID = value(in.CustomerID)
		q := question[backoffice.DiscrepancyCriteria]{criteria: filter.Criteria()}
		return list(ctx, a.Store.Discrepancies(), q, in.Paging, shownDiscrepancy.Map)
	})
	registerList(a, operation("GET /customers/{customerId}/discrepancies", "listCustomerDiscrepancies",
		"List a customer's discrepancies", "Where its UBO relations, or those that name it, differ, or differed, "+
			"from the computed beneficial owners."+whole,
	), "", func(ctx context.Context, in *struct {
		OfCustomer
		DiscrepancyFilters
		Paging
	}) (*answered[List[Discrepancy]], error) {
		if err := a.exists(ctx, in.CustomerID); err != nil {
			return nil, err
		}
		filter := discrepancyFilter.Map(&in.DiscrepancyFilters)
		return list(ctx, a.Store.Discrepancies(), question[backoffice.DiscrepancyCriteria]{
			under: backoffice.OfCustomer, parent: in.CustomerID, criteria: filter.Criteria(),
		}, in.Paging, shownDiscrepancy.Map)
	})
	register(a, operation("GET /discrepancies/{discrepancyId}", "getDiscrepancy", "Get a discrepancy",
		"The discrepancy."+whole), "", func(ctx context.Context, in *struct {
		OfDiscrepancy
		Conditional
	}) (*unlessKnown[Discrepancy], error) {
		d, err := one(ctx, a.Store.Discrepancies(), backoffice.NounDiscrepancy, in.ID)
		if err != nil {
			return nil, err
		}
		return unless(in.Conditional, etag(d.Version), func() (Discrepancy, error) {
			return shownDiscrepancy.Map(d), nil
		})
	})
	register(a, operation("PATCH /discrepancies/{discrepancyId}", "noteDiscrepancy", "Note a discrepancy",
		"Notes when the discrepancy was reported, and a remark: changes the fields that are sent, clears those that "+
			"are sent as null, and returns the discrepancy.",
	), backoffice.CustomersWrite, func(ctx context.Context, in *struct {
		OfDiscrepancy
		Guarded
		Body DiscrepancyNote
	}) (*versioned[Discrepancy], error) {
		d, err := a.Service.NoteDiscrepancy(ctx, auth.From(ctx), in.ID, discrepancyNote.Map(&in.Body), in.match)
		if err != nil {
			return nil, inPath(err, backoffice.NounDiscrepancy, "id")
		}
		return &versioned[Discrepancy]{ETag: etag(d.Version), Body: shownDiscrepancy.Map(d)}, nil
	})
}
