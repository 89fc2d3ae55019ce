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
	CreatedAt         Instant      `json:"createdAt" doc:"When the relation was created."`
}

type NewRelation struct {
	RelatedCustomerID string       `json:"relatedCustomer" doc:"The identifier of the director, UBO, shareholder or contact person."`
	Kind              RelationKind `json:"kind" doc:"What the related customer is to the customer."`
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
	newRelation    = mapping.New[NewRelation, backoffice.RelationDraft](mapping.Except("CustomerID"), relationKind)
)

func (a *API) relations() {
	registerList(a, operation("GET /relations", "listAllRelations", "List relations",
		"The relations that match all filters, by identifier."), "", func(ctx context.Context, in *struct {
		RelationFilters
		Paging
	}) (*answered[List[Relation]], error) {
		filter := relationFilter.Map(&in.RelationFilters)
		q := question[backoffice.RelationCriteria]{criteria: filter.Criteria()}
		return list(ctx, a.Store.Relations(), q, in.Paging, shownRelation.Map)
	})
	registerList(a, operation("GET /customers/{customerId}/relations", "listRelations", "List a customer's relations",
		"The relations with the customer on either side."), "", func(ctx context.Context, in *struct {
		OfCustomer
		Paging
	}) (*answered[List[Relation]], error) {
		if err := a.exists(ctx, in.CustomerID); err != nil {
			return nil, err
		}
		q := question[backoffice.RelationCriteria]{under: backoffice.OfCustomer, parent: in.CustomerID}
		return list(ctx, a.Store.Relations(), q, in.Paging, shownRelation.Map)
	})
	register(a, creation("POST /customers/{customerId}/relations", "createRelation", "Create a relation",
		"Creates a relation from the customer to another one and returns it.",
	), backoffice.CustomersWrite, func(ctx context.Context, in *struct {
		OfCustomer
		Idempotent
		Body NewRelation
	}) (*answered[Relation], error) {
		draft := newRelation.Map(&in.Body)
		draft.CustomerID = in.CustomerID
		relation, err := a.Service.CreateRelation(ctx, auth.From(ctx), draft, in.key())
		if err != nil {
			return nil, inPath(err, backoffice.NounCustomer, "customerId")
		}
		return &answered[Relation]{shownRelation.Map(relation)}, nil
	})
	register(a, operation("DELETE /customers/{customerId}/relations/{relationId}", "deleteRelation",
		"Delete a relation", "Deletes a relation with the customer on either side.",
	), backoffice.CustomersWrite, func(ctx context.Context, in *struct {
		OfCustomer
		RelationID string `path:"relationId" doc:"The relation's identifier."`
	}) (*nothing, error) {
		relation, err := one(ctx, a.Store.Relations(), backoffice.NounRelation, in.RelationID)
		if err != nil {
			return nil, err
		}
		if relation.CustomerID != in.CustomerID && relation.RelatedCustomerID != in.CustomerID {
			return nil, unknown(backoffice.NounRelation)
		}
		if err := a.Service.DeleteRelation(ctx, auth.From(ctx), in.RelationID); err != nil {
			return nil, inPath(err, backoffice.NounRelation, "id")
		}
		return &nothing{}, nil
	})
}

// exists returns NotFound when the path's customer is unknown.
func (a *API) exists(ctx context.Context, customerID string) error {
	if backoffice.CheckID(customerID) != nil {
		return unknown(backoffice.NounCustomer)
	}
	nouns, err := backoffice.ReadNouns(ctx, a.Store, []string{customerID})
	if err == nil && nouns[customerID] != backoffice.NounCustomer {
		err = unknown(backoffice.NounCustomer)
	}
	return err
}
