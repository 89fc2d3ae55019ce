package execute_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/backoffice/ownership"
	"example.org/backoffice/graph"
)

type (
	structures  struct{ *world }
	stakes      struct{ *world }
	beneficials struct{ *world }
	differing   struct{ *world }
	stepsOf     struct{ *world }
	ringsOf     struct{ *world }
	heldBy      struct{ structures }
)

func (r root) Ownership() graph.OwnershipResolver                       { return structures(r) }
func (r root) Holdings() graph.HoldingsResolver                         { return heldBy{structures(r)} }
func (r root) Owner() graph.OwnerResolver                               { return stakes(r) }
func (r root) Holding() graph.HoldingResolver                           { return stakes(r) }
func (r root) BeneficialOwner() graph.BeneficialOwnerResolver           { return beneficials(r) }
func (r root) OwnershipDiscrepancy() graph.OwnershipDiscrepancyResolver { return differing(r) }
func (r root) Discrepancy() graph.DiscrepancyResolver                   { return recorded(r) }
func (r root) DiscrepancyConnection() graph.DiscrepancyConnectionResolver {
	return pages[*backoffice.Discrepancy, backoffice.DiscrepancyCriteria](r)
}
func (r root) OwnershipStep() graph.OwnershipStepResolver { return stepsOf(r) }
func (r root) OwnershipRing() graph.OwnershipRingResolver { return ringsOf(r) }

func (r customer) Ownership(ctx context.Context, objs []*backoffice.Customer, asOf *string, maxDepth *int) ([]*ownership.Structure, error) {
	return below(r.world, "ownership", objs, customerKey, []any{asOf, maxDepth}, structureOf(ownership.Owners))
}

func (r customer) Holdings(ctx context.Context, objs []*backoffice.Customer, asOf *string, maxDepth *int) ([]*ownership.Structure, error) {
	return below(r.world, "holdings", objs, customerKey, []any{asOf, maxDepth}, structureOf(ownership.Holdings))
}

// structureOf makes a ring of three, with somebody outside.
func structureOf(direction ownership.Direction) func(d *rand.Rand) *ownership.Structure {
	return func(d *rand.Rand) *ownership.Structure {
		name := func(i int) string { return fmt.Sprint(id(d), i) }
		a, b, c, other := name(0), name(1), name(2), name(3)
		graphs, _ := ownership.Read(context.Background(), []string{a}, direction, 5, func(context.Context, []string) ([]ownership.Holding, error) {
			half, _ := ownership.ParsePercent("50")
			return []ownership.Holding{{RelationID: "1", HolderID: b, HeldID: a, Share: half}, {RelationID: "2", HolderID: c, HeldID: b},
				{RelationID: "3", HolderID: a, HeldID: c, Share: half}, {RelationID: "4", HolderID: other, HeldID: a, Share: half}}, nil
		})
		return ownership.NewStructure(graphs[0], "2026-03-31", func(id string) bool { return id == other })
	}
}

func structureKey(s *ownership.Structure) string { return s.Target() }
func stakeKey(s *ownership.StakeOf) string       { return s.CustomerID }

func firstOf(first *int) int {
	if first == nil || *first < 0 {
		return 3
	}
	return *first
}

func (r structures) Owners(ctx context.Context, objs []*ownership.Structure, first *int) ([][]*ownership.StakeOf, error) {
	return batch(r.world, "owners", objs, structureKey, []any{first}, func(_ *rand.Rand, s *ownership.Structure) []*ownership.StakeOf { return s.First(firstOf(first)) })
}

func (r heldBy) Companies(ctx context.Context, objs []*ownership.Structure, first *int) ([][]*ownership.StakeOf, error) {
	return r.Owners(ctx, objs, first)
}

func (r structures) Rings(ctx context.Context, objs []*ownership.Structure, first *int) ([][]*ownership.Cycle, error) {
	return batch(r.world, "rings", objs, structureKey, []any{first}, func(_ *rand.Rand, s *ownership.Structure) []*ownership.Cycle { return s.Rings(firstOf(first)) })
}

func (r structures) BeneficialOwners(ctx context.Context, objs []*ownership.Structure, rule ownership.Rule, threshold *float64, first *int) ([][]*ownership.BeneficialOwner, error) {
	return batch(r.world, "beneficialOwners", objs, structureKey, []any{rule, threshold, first}, func(d *rand.Rand, s *ownership.Structure) []*ownership.BeneficialOwner {
		return some(r.world, d, func(d *rand.Rand) *ownership.BeneficialOwner {
			return &ownership.BeneficialOwner{Stake: ownership.Stake{CustomerID: id(d), Share: d.Float64() * 100}, Category: pick(d, ownership.Categories)}
		})
	})
}

func (r structures) Discrepancies(ctx context.Context, objs []*ownership.Structure, first *int) ([][]*ownership.Discrepancy, error) {
	return batch(r.world, "discrepancies", objs, structureKey, []any{first}, func(d *rand.Rand, s *ownership.Structure) []*ownership.Discrepancy {
		return some(r.world, d, func(d *rand.Rand) *ownership.Discrepancy {
			return &ownership.Discrepancy{Kind: pick(d, backoffice.DiscrepancyKinds), CustomerID: id(d), RelationID: id(d), Computed: d.Float64() * 100, Certain: d.IntN(2) == 0}
		})
	})
}

func discrepancyKey(d *ownership.Discrepancy) string { return d.CustomerID }

func (r differing) Person(ctx context.Context, objs []*ownership.Discrepancy) ([]*backoffice.Customer, error) {
	return below(r.world, "discrepancy person", objs, discrepancyKey, nil, r.customer)
}

func (r differing) Relation(ctx context.Context, objs []*ownership.Discrepancy) ([]*backoffice.CustomerRelation, error) {
	return below(r.world, "discrepancy relation", objs, discrepancyKey, nil, r.relation)
}

func (r stakes) Person(ctx context.Context, objs []*ownership.StakeOf) ([]*backoffice.Customer, error) {
	return below(r.world, "person", objs, stakeKey, nil, r.customer)
}

func (r stakes) Company(ctx context.Context, objs []*ownership.StakeOf) ([]*backoffice.Customer, error) {
	return r.Person(ctx, objs)
}

func (r stakes) Paths(ctx context.Context, objs []*ownership.StakeOf, first *int) ([][]*ownership.Path, error) {
	return batch(r.world, "paths", objs, stakeKey, []any{first}, func(_ *rand.Rand, s *ownership.StakeOf) []*ownership.Path { return s.Paths(firstOf(first)) })
}

func (r beneficials) Person(ctx context.Context, objs []*ownership.BeneficialOwner) ([]*backoffice.Customer, error) {
	return below(r.world, "beneficial person", objs, func(o *ownership.BeneficialOwner) string { return o.CustomerID }, nil, r.customer)
}

func (r stepsOf) Relation(ctx context.Context, objs []*ownership.Step) ([]*backoffice.CustomerRelation, error) {
	return below(r.world, "step relation", objs, func(s *ownership.Step) string { return s.RelationID }, nil, r.relation)
}

func (r ringsOf) Customers(ctx context.Context, objs []*ownership.Cycle) ([][]*backoffice.Customer, error) {
	return batch(r.world, "ring", objs, func(c *ownership.Cycle) string { return c.CustomerIDs[0] }, nil, func(d *rand.Rand, _ *ownership.Cycle) []*backoffice.Customer { return some(r.world, d, r.customer) })
}
