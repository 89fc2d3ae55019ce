package ownership_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice/ownership"
)

func TestPathsAreTheLargestChainsOfAll(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for graph := range 1_000 {
		holdings, _ := randomHoldings(r)
		direction := ownership.Direction(graph % 2)
		g := graphOf(t, holdings, direction, "0")
		for _, s := range g.Stakes() {
			all := everyChain(g.Holdings(), direction, "0", s.CustomerID, map[string]bool{})
			slices.Sort(all)
			slices.Reverse(all)
			for _, first := range []int{0, 1, 3, 10_000} {
				paths := g.Paths(s.CustomerID, first)
				if len(paths) != min(first, len(all)) {
					t.Fatalf("graph %d: %d of %d paths to %s", graph, len(paths), len(all), s.CustomerID)
				}
				for i, path := range paths {
					if got := path.Steps[len(path.Steps)-1].Cumulative; math.Abs(got-min(100, all[i])) > 1e-9 {
						t.Fatalf("graph %d: path %d is %v, not %v", graph, i, got, all[i])
					}
				}
			}
		}
	}
}

// everyChain returns the percentages of all chains that pass nobody twice.
func everyChain(
	holdings []ownership.Holding, direction ownership.Direction, from, to string, passed map[string]bool,
) (found []float64) {
	if from == to {
		return []float64{100}
	}
	passed[from] = true
	for _, h := range holdings {
		near, far := h.HeldID, h.HolderID
		if direction == ownership.Holdings {
			near, far = far, near
		}
		if near == from && !passed[far] {
			for _, rest := range everyChain(holdings, direction, far, to, passed) {
				found = append(found, rest*upperShare(holdings, h)/100)
			}
		}
	}
	delete(passed, from)
	return found
}

func TestAPathShowsItsSteps(t *testing.T) {
	t.Parallel()
	g := owners(t, "p 10 T\n A 50 T\n p 50 A\n B ? A\n p 80 B")
	var got strings.Builder
	for _, path := range g.Paths("p", 5) {
		for _, s := range path.Steps {
			fmt.Fprintf(&got, "%s %s→%s %v, ", s.RelationID, s.Share, ownership.Decimal(s.Cumulative), s.AtMost)
		}
		got.WriteByte('\n')
	}
	want := "AT 50→50 false, pA 50→25 false, \n" +
		"AT 50→50 false, BA →25 true, pB 80→20 true, \n" +
		"pT 10→10 false, \n"
	if got.String() != want {
		t.Errorf("%s", got.String())
	}
	if g.Paths("T", 5) != nil || g.Paths("nobody", 5) != nil {
		t.Error("a path to nobody")
	}
}

func TestPathsEndWhereThereAreTooManyToCount(t *testing.T) {
	t.Parallel()
	var lines strings.Builder // 3^15 chains
	fmt.Fprintln(&lines, "A0 100 T")
	for i := range 15 {
		for j := range 3 {
			fmt.Fprintf(&lines, "B%d.%d 33.3333 A%d\nA%d 100 B%d.%d\n", i, j, i, i+1, i, j)
		}
	}
	g := graphOf(t, holdingsOf(t, strings.ReplaceAll(lines.String(), "A9 ", "p ")), ownership.Owners, "T")
	if paths := g.Paths("p", 5); len(paths) != 5 || len(paths[0].Steps) != 19 {
		t.Error(len(paths))
	}
	lines.Reset() // everybody holds all of everybody
	for i := range 40 {
		for j := range 40 {
			if i != j {
				fmt.Fprintf(&lines, "A%d 100 A%d\n", i, j)
			}
		}
	}
	g = owners(t, "A0 100 T\n p 100 A39\n"+lines.String())
	if paths := g.Paths("p", 5); len(paths) != 5 || len(paths[0].Steps) != 3 {
		t.Error(len(paths))
	}
}
