package ownership

import (
	"cmp"
	"context"
	"slices"

	"example.org/backoffice/backoffice"
)

// Records reads what structures are made of. Each call is one statement.
type Records interface {
	// Relations reads a page of relations of each customer, in their order.
	Relations(ctx context.Context, list backoffice.ListQuery[backoffice.RelationCriteria], customerIDs []string,
	) ([]backoffice.Page[*backoffice.CustomerRelation], error)
	// Customers reads customers with their types, in their order, nil for a missing one.
	Customers(ctx context.Context, ids []string) ([]*backoffice.Customer, error)
}

// Question is what Structures asks.
type Question struct {
	Direction Direction
	Depth     int     // levels, 1 to MaxDepth
	AsOf      *string // a day; nil: today
	Today     string
}

// Structures reads the structures of customers, in their order, from the shareholder relations in force on a day.
// Errors: BadInput for an invalid depth or day.
func Structures(ctx context.Context, customerIDs []string, q Question, from Records) ([]*Structure, error) {
	if q.Depth < 1 || q.Depth > MaxDepth {
		return nil, backoffice.Errorf(backoffice.BadInput, "maxDepth must be 1 to %d", MaxDepth)
	}
	day := q.Today
	if q.AsOf != nil {
		var err error
		if day, err = backoffice.ParseDay(q.AsOf); err != nil {
			return nil, err
		}
	}
	list := relationsOf(backoffice.Shareholder, day, backoffice.Outgoing)
	if q.Direction == Holdings {
		list.Criteria.Direction = backoffice.Incoming
	}
	each := func(ctx context.Context, ids []string) ([]Holding, error) {
		pages, err := from.Relations(ctx, list, ids)
		if err != nil {
			return nil, err
		}
		return holdingsOf(pages)
	}
	graphs, err := Read(ctx, customerIDs, q.Direction, q.Depth, each)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, g := range graphs {
		all = append(all, g.ids...)
	}
	natural, err := naturalOf(ctx, all, from)
	if err != nil {
		return nil, err
	}
	return backoffice.Map(graphs, func(g *Graph) *Structure { return NewStructure(g, day, natural) }), nil
}

// relationsOf asks for one relation more than a graph may have: then more are known to be missing.
func relationsOf(
	kind backoffice.RelationKind, day string, direction backoffice.RelationDirection,
) backoffice.ListQuery[backoffice.RelationCriteria] {
	return backoffice.ListQuery[backoffice.RelationCriteria]{
		Parent:   backoffice.OfCustomer,
		Criteria: backoffice.RelationCriteria{Kind: kind, Direction: direction, AsOf: day},
		Window:   backoffice.Window{Limit: MaxHoldings + 1},
	}
}

func holdingsOf(pages []backoffice.Page[*backoffice.CustomerRelation]) (all []Holding, err error) {
	for _, page := range pages {
		for _, r := range page.Items {
			h := Holding{
				RelationID: r.ID, HolderID: r.RelatedCustomerID, HeldID: r.CustomerID,
				Nominee: r.Nominee, StartDate: string(r.StartDate), EndDate: string(r.EndDate),
			}
			if h.Share, err = ParsePercent(string(r.SharePercent)); err == nil {
				h.Vote, err = ParsePercent(string(r.VotePercent))
			}
			if err != nil {
				return nil, err
			}
			all = append(all, h)
		}
	}
	return all, nil
}

// naturalOf reads which customers are natural persons.
func naturalOf(ctx context.Context, ids []string, from Records) (Natural, error) {
	slices.Sort(ids)
	customers, err := from.Customers(ctx, slices.Compact(ids))
	natural := map[string]bool{}
	for _, c := range customers {
		if c != nil {
			natural[c.ID] = c.Type == backoffice.PrivatePerson
		}
	}
	return func(id string) bool { return natural[id] }, err
}

// BeneficialOwners returns those of each structure of Owners: see Graph.BeneficialOwners. The rule is "" for the one of
// their day, threshold a decimal, "" for none. Errors: BadInput for a threshold that is none, or that CUSTOM lacks.
func BeneficialOwners(
	ctx context.Context, of []*Structure, rule Rule, threshold string, from Records,
) ([][]*BeneficialOwner, error) {
	least, err := ParsePercent(threshold)
	if err != nil || len(of) == 0 {
		return nil, err
	}
	rule = cmp.Or(rule, ruleOn(of[0].AsOf))
	companies := backoffice.Map(of, (*Structure).Target)
	pages, err := from.Relations(ctx, relationsOf(backoffice.Director, of[0].AsOf, backoffice.Outgoing), companies)
	if err != nil {
		return nil, err
	}
	directors := backoffice.Map(pages, func(p backoffice.Page[*backoffice.CustomerRelation]) []string {
		return backoffice.Map(p.Items, func(r *backoffice.CustomerRelation) string { return r.RelatedCustomerID })
	})
	natural, err := naturalOf(ctx, slices.Concat(directors...), from)
	if err != nil {
		return nil, err
	}
	all := make([][]*BeneficialOwner, len(of))
	for i, s := range of {
		either := func(id string) bool { return s.natural(id) || natural(id) }
		if all[i], err = s.Graph.BeneficialOwners(rule, least, either, directors[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}
