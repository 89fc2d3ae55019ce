package ownership_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"example.org/backoffice/backoffice/ownership"
)

// BenchmarkStakes computes everything of a graph with as many holdings as one may have. "tangled" is the worst: all
// companies are in one ring, and each has two holders and two holdings. A tenth of the shares is unknown.
func BenchmarkStakes(b *testing.B) {
	for name, companies := range map[string]int{"dense": 60, "knotted": 300, "tangled": 1_000} {
		b.Run(name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(7, 8))
			byHeld := map[string][]ownership.Holding{}
			percentage := func(of float64) ownership.Percent {
				p, _ := ownership.ParsePercent(ownership.Decimal(of * float64(companies) / ownership.MaxHoldings))
				return p
			}
			for i := range ownership.MaxHoldings {
				share, vote := percentage(99.9), percentage(98.7) // three numbers that differ
				if i%10 == 0 {
					share = ownership.Percent{}
				}
				held, holder := i%companies, (i+1)%companies
				if i >= companies {
					holder = (held + 1 + r.IntN(companies-1)) % companies
				}
				byHeld[id(held)] = append(byHeld[id(held)], ownership.Holding{
					RelationID: id(i), HolderID: id(holder), HeldID: id(held), Share: share, Vote: vote,
				})
			}
			read := func(_ context.Context, ids []string) (found []ownership.Holding, _ error) {
				for _, held := range ids {
					found = append(found, byHeld[held]...)
				}
				return found, nil
			}
			b.ReportAllocs()
			for b.Loop() {
				graphs, err := ownership.Read(b.Context(), []string{id(0)}, ownership.Owners, ownership.MaxDepth, read)
				if err != nil {
					b.Fatal(err)
				}
				graphs[0].Stakes()
				graphs[0].Cycles()
			}
		})
	}
}

func id(i int) string { return fmt.Sprintf("c%04d", i) }
