package rest

import (
	"context"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest/mapping"
)

// Relation makes relatedCustomer the director, UBO, shareholder or contact person of customer.
type Relation struct {
	ID                string       `json:"_id" doc:"The identifier."`
	Kind              RelationKind `json:"kind" doc:"What the related customer is to the customer."`
	CustomerID        string       `json:"customer" doc:"The identifier of the customer."`
	RelatedCustomerID string       `json:"relatedCustomer" doc:"The identifier of the director, UBO, shareholder or contact person."`
	SharePercent      *string      `json:"sharePercent" doc:"The percentage of the customer's shares that relatedCustomer holds, with at most four decimal places."`
	VotePercent       *string      `json:"votePercent" doc:"The percentage of the customer's votes that relatedCustomer has."`
	StartDate         *string      `json:"startDate" doc:"The first day; null if it has no known beginning." example:"2026-03-31"`
	EndDate           *string      `json:"endDate" doc:"The last day; null if it has no known end."`
	Note              *string      `json:"note" doc:"A remark."`
	Nominee           bool         `json:"nominee" doc:"Whether relatedCustomer holds for someone else."`
	CreatedAt         Instant      `json:"createdAt" doc:"When the relation was created."`
	Version           int          `json:"version" doc:"Increases with every change."`
}

type NewRelation struct {
	RelatedCustomerID string       `json:"relatedCustomer" doc:"The identifier of the director, UBO, shareholder or contact person."`
	Kind              RelationKind `json:"kind" doc:"What the related customer is to the customer."`
	RelationChange
}

// RelationChange is a change of a relation: absent fields stay, null clears.
type RelationChange struct {
	SharePercent Optional[string] `json:"sharePercent,omitempty" doc:"The percentage of the customer's shares that relatedCustomer holds: 0 to 100, with at most four decimal places." example:"33.3333"`
	VotePercent  Optional[string] `json:"votePercent,omitempty" doc:"The percentage of the customer's votes that relatedCustomer has: 0 to 100, with at most four decimal places." example:"50"`
	StartDate    Optional[string] `json:"startDate,omitempty" doc:"The first day." example:"2026-03-31"`
	EndDate      Optional[string] `json:"endDate,omitempty" doc:"The last day, which ends the relation." example:"2026-12-31"`
	Note         Optional[string] `json:"note,omitempty" doc:"A remark of at most 200 characters."`
	Nominee      Optional[bool]   `json:"nominee,omitempty" doc:"Whether relatedCustomer holds for someone else."`
}

var shownRelation = mapping.New[backoffice.CustomerRelation, Relation](
	mapping.Convert(func(k backoffice.RelationKind) RelationKind { return RelationKind(k.Label()) }))

type RelationFilters struct {
	CustomerID        Optional[string]       `query:"customer" doc:"The identifier of the customer that has the director, UBO, shareholder or contact person."`
	RelatedCustomerID Optional[string]       `query:"relatedCustomer" doc:"The identifier of the director, UBO, shareholder or contact person."`
	Kind              Optional[RelationKind] `query:"kind" doc:"What the related customer is to the customer."`
}

var relationKind = mapping.Convert(parsed[RelationKind](backoffice.ParseRelationKindLabel))

var (
	relationFilter = mapping.New[RelationFilters, backoffice.CustomerRelationFilter](relationKind)
	relationChange = mapping.New[RelationChange, backoffice.RelationFields]()
	newRelation    = mapping.New[NewRelation, backoffice.RelationDraft](mapping.Except("CustomerID"), relationKind)
)

func (a *API) relations() {
	a.ownership()
	registerList(a, operation("GET /relations", "listAllRelations", "List relations",
		"The relations that match all filters, by identifier."), "", func(ctx context.Context, in *struct {
		RelationFilters
		InForce
		Paging
	}) (*answered[List[Relation]], error) {
		filter := relationFilter.Map(&in.RelationFilters)
		q := question[backoffice.RelationCriteria]{criteria: filter.Criteria()}
		if err := in.on(&q.criteria); err != nil {
			return nil, err
		}
		return list(ctx, a.Store.Relations(), q, in.Paging, shownRelation.Map)
	})
	registerList(a, operation("GET /customers/{customerId}/relations", "listRelations", "List a customer's relations",
		"The relations with the customer on either side."), "", func(ctx context.Context, in *struct {
		OfCustomer
		InForce
		Paging
	}) (*answered[List[Relation]], error) {
		if err := a.exists(ctx, in.CustomerID); err != nil {
			return nil, err
		}
		q := question[backoffice.RelationCriteria]{under: backoffice.OfCustomer, parent: in.CustomerID}
		if err := in.on(&q.criteria); err != nil {
			return nil, err
		}
		return list(ctx, a.Store.Relations(), q, in.Paging, shownRelation.Map)
	})
	register(a, creation("POST /customers/{customerId}/relations", "createRelation", "Create a relation",
		"Creates a relation from the customer to another one and returns it.",
	), backoffice.CustomersWrite, func(ctx context.Context, in *struct {
		OfCustomer
		Idempotent
		Body NewRelation
	}) (*versioned[Relation], error) {
		draft := newRelation.Map(&in.Body)
		draft.CustomerID = in.CustomerID
		r, err := a.Service.CreateRelation(ctx, auth.From(ctx), draft, in.key())
		if err != nil {
			return nil, inPath(err, backoffice.NounCustomer, "customerId")
		}
		return &versioned[Relation]{ETag: etag(r.Version), Body: shownRelation.Map(r)}, nil
	})
	register(a, operation("PATCH /customers/{customerId}/relations/{relationId}", "updateRelation",
		"Update a relation", "Changes the fields that are sent, clears those that are sent as null, and returns the "+
			"relation. To end it, set its last day; delete only what was never true.",
	), backoffice.CustomersWrite, func(ctx context.Context, in *struct {
		OfRelation
		Guarded
		Body RelationChange
	}) (*versioned[Relation], error) {
		if err := a.has(ctx, in.OfRelation); err != nil {
			return nil, err
		}
		r, err := a.Service.UpdateRelation(ctx, auth.From(ctx), in.RelationID, relationChange.Map(&in.Body), in.match)
		if err != nil {
			return nil, inPath(err, backoffice.NounRelation, "id")
		}
		return &versioned[Relation]{ETag: etag(r.Version), Body: shownRelation.Map(r)}, nil
	})
	register(a, operation("DELETE /customers/{customerId}/relations/{relationId}", "deleteRelation",
		"Delete a relation", "Deletes a relation with the customer on either side.",
	), backoffice.CustomersWrite, func(ctx context.Context, in *struct {
		OfRelation
		Guarded
	}) (*nothing, error) {
		if err := a.has(ctx, in.OfRelation); err != nil {
			return nil, err
		}
		err := a.Service.DeleteRelation(ctx, auth.From(ctx), in.RelationID, in.match)
		return &nothing{}, inPath(err, backoffice.NounRelation, "id")
	})
}

type OfRelation struct {
	OfCustomer
	RelationID string `path:"relationId" doc:"The relation's identifier."`
}

// has returns NotFound when the path's relation is unknown or of other customers.
func (a *API) has(ctx context.Context, of OfRelation) error {
	relation, err := one(ctx, a.Store.Relations(), backoffice.NounRelation, of.RelationID)
	if err == nil && relation.CustomerID != of.CustomerID && relation.RelatedCustomerID != of.CustomerID {
		err = unknown(backoffice.NounRelation)
	}
	return err
}

// InForce chooses relations by a day.
type InForce struct {
	AsOf Optional[string] `query:"asOf" doc:"Only relations that are in force on this day." example:"2026-03-31"`
}

func (f InForce) on(c *backoffice.RelationCriteria) (err error) {
	if c.AsOf, err = backoffice.ParseDay(value(f.AsOf)); err != nil {
		err = badParameter("asOf", err.Error())
	}
	return err
}

// exists returns NotFound when the path's customer is unknown.
func (a *API) exists(ctx context.Context, customerID string) error {
	_, err := one(ctx, a.Store.CustomersWithoutNumbers(), backoffice.NounCustomer, customerID)
	return err
}
