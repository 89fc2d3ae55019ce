package resolvers

import (
	"context"
	"strconv"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/backoffice/ownership"
	"example.org/backoffice/graph"
	"example.org/backoffice/loaders"
)

type (
	owners           struct{ *Root }
	holdings         struct{ owners }
	stake            struct{}
	beneficialOwner  struct{}
	discrepancy      struct{}
	ownershipStep    struct{}
	ownershipRing    struct{}
	structures       = []*ownership.Structure
	stakes           = []*ownership.StakeOf
	beneficialOwners = []*ownership.BeneficialOwner
	discrepancies    = []*ownership.Discrepancy
)

func (r *Root) Ownership() graph.OwnershipResolver                       { return owners{r} }
func (r *Root) Holdings() graph.HoldingsResolver                         { return holdings{owners{r}} }
func (r *Root) Owner() graph.OwnerResolver                               { return stake{} }
func (r *Root) Holding() graph.HoldingResolver                           { return stake{} }
func (r *Root) BeneficialOwner() graph.BeneficialOwnerResolver           { return beneficialOwner{} }
func (r *Root) OwnershipDiscrepancy() graph.OwnershipDiscrepancyResolver { return discrepancy{} }
func (r *Root) OwnershipStep() graph.OwnershipStepResolver               { return ownershipStep{} }
func (r *Root) OwnershipRing() graph.OwnershipRingResolver               { return ownershipRing{} }

func (r customer) Ownership(ctx context.Context, customers []*backoffice.Customer, asOf *string, maxDepth *int) (
	structures, error) {
	return r.structures(ctx, customers, ownership.Owners, asOf, maxDepth)
}

func (r customer) Holdings(ctx context.Context, customers []*backoffice.Customer, asOf *string, maxDepth *int) (
	structures, error) {
	return r.structures(ctx, customers, ownership.Holdings, asOf, maxDepth)
}

// structures reads the graphs of all customers together, one statement a level, and then the types of all that are in
// them.
func (r customer) structures(ctx context.Context, of []*backoffice.Customer, direction ownership.Direction,
	asOf *string, maxDepth *int) (structures, error) {
	depth := ownership.MaxDepth
	if maxDepth != nil {
		depth = *maxDepth
	}
	loaders.From(ctx).ExpectMore()
	read := func(keys []string) (structures, error) {
		return ownership.Structures(ctx, keys, ownership.Question{
			Direction: direction, Depth: depth, AsOf: asOf, Today: backoffice.Today(time.Now()),
		}, loaded{})
	}
	return found(ids(of, (*backoffice.Customer).Identity), read)
}

// loaded reads through the request's loaders.
type loaded struct{}

var (
	holdingFields = loaders.NewFields([]string{"customer", "relatedCustomer", "sharePercent", "votePercent",
		"startDate", "endDate", "nominee"})
	typeFields = loaders.NewFields([]string{"type"})
)

func (loaded) Relations(ctx context.Context, list backoffice.ListQuery[backoffice.RelationCriteria],
	customerIDs []string) ([]backoffice.Page[*backoffice.CustomerRelation], error) {
	return relationNoun.of(ctx).Pages(loaders.WithFields(ctx, holdingFields), list, customerIDs)
}

func (loaded) Customers(ctx context.Context, ids []string) ([]*backoffice.Customer, error) {
	return customers.of(ctx).All(loaders.WithFields(ctx, typeFields), ids)
}

// each is the list of each object, nil for none.
func each[P, V any](objects []*P, first *int, byDefault, limit int, of func(*P, int) []V) ([][]V, error) {
	n, err := most(first, byDefault, limit)
	lists := make([][]V, len(objects))
	for i, object := range objects {
		if object != nil && err == nil {
			lists[i] = append([]V{}, of(object, n)...)
		}
	}
	return lists, err
}

func (owners) Owners(_ context.Context, of structures, first *int) ([]stakes, error) {
	return each(of, first, backoffice.DefaultPageSize, backoffice.MaxPageSize, (*ownership.Structure).First)
}

func (holdings) Companies(_ context.Context, of structures, first *int) ([]stakes, error) {
	return each(of, first, backoffice.DefaultPageSize, backoffice.MaxPageSize, (*ownership.Structure).First)
}

func (owners) Rings(_ context.Context, of structures, first *int) ([][]*ownership.Cycle, error) {
	return each(of, first, backoffice.DefaultPageSize, backoffice.MaxPageSize, (*ownership.Structure).Rings)
}

const (
	defaultPaths = 5
	mostPaths    = 50
)

func (stake) Paths(_ context.Context, of stakes, first *int) ([][]*ownership.Path, error) {
	return each(of, first, defaultPaths, mostPaths, (*ownership.StakeOf).Paths)
}

func (owners) BeneficialOwners(ctx context.Context, of structures, rule ownership.Rule, threshold *float64,
	first *int) ([]beneficialOwners, error) {
	least := ""
	if threshold != nil {
		least = strconv.FormatFloat(*threshold, 'f', -1, 64)
	}
	return ofDays(ctx, of, first, func(of structures) ([]beneficialOwners, error) {
		return ownership.BeneficialOwners(ctx, of, rule, least, loaded{})
	})
}

func (owners) Discrepancies(ctx context.Context, of structures, first *int) ([]discrepancies, error) {
	return ofDays(ctx, of, first, func(of structures) ([]discrepancies, error) {
		return ownership.Discrepancies(ctx, of, loaded{})
	})
}

// ofDays reads the first results of each structure, those of one day together.
func ofDays[T any](
	ctx context.Context, of structures, first *int, read func(structures) ([][]T, error),
) ([][]T, error) {
	n, err := most(first, backoffice.DefaultPageSize, backoffice.MaxPageSize)
	if err != nil {
		return nil, err
	}
	loaders.From(ctx).ExpectMore()
	answers := make([][]T, len(of))
	err = grouped(ctx, answers, func(i int) (day string, asks bool) {
		if of[i] == nil {
			return "", false
		}
		return of[i].AsOf, true
	}, func(places []int) ([][]T, error) {
		all, err := read(backoffice.Map(places, func(place int) *ownership.Structure { return of[place] }))
		for i := range all {
			all[i] = all[i][:min(n, len(all[i]))]
		}
		return all, err
	})
	return answers, err
}

func (stake) Person(ctx context.Context, of stakes) ([]*backoffice.Customer, error) {
	return linked(ctx, customers.of(ctx), of, func(s *ownership.StakeOf) string { return s.CustomerID })
}

func (s stake) Company(ctx context.Context, of stakes) ([]*backoffice.Customer, error) {
	return s.Person(ctx, of)
}

func (beneficialOwner) Person(ctx context.Context, of beneficialOwners) ([]*backoffice.Customer, error) {
	return linked(ctx, customers.of(ctx), of, func(o *ownership.BeneficialOwner) string { return o.CustomerID })
}

func (discrepancy) Person(ctx context.Context, of discrepancies) ([]*backoffice.Customer, error) {
	return linked(ctx, customers.of(ctx), of, func(d *ownership.Discrepancy) string { return d.CustomerID })
}

func (discrepancy) Relation(ctx context.Context, of discrepancies) ([]*backoffice.CustomerRelation, error) {
	return linked(ctx, relationNoun.of(ctx), of, func(d *ownership.Discrepancy) string { return d.RelationID })
}

func (ownershipStep) Relation(ctx context.Context, of []*ownership.Step) ([]*backoffice.CustomerRelation, error) {
	return linked(ctx, relationNoun.of(ctx), of, func(s *ownership.Step) string { return s.RelationID })
}

func (ownershipRing) Customers(ctx context.Context, of []*ownership.Cycle) ([][]*backoffice.Customer, error) {
	return listed(ctx, customers.of(ctx), of, func(c *ownership.Cycle) []string { return c.CustomerIDs })
}
