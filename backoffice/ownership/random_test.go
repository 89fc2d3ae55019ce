package ownership_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"example.org/backoffice/backoffice/ownership"
	"gonum.org/v1/gonum/mat"
)

// randomHoldings have rings, diamonds, holdings of each other, and unknown and over-full shares. Customer "0" is the
// target.
func randomHoldings(r *rand.Rand) (holdings []ownership.Holding, customers int) {
	customers = 2 + r.IntN(11)
	left := make([]int, customers)
	for i := range left {
		left[i] = 1_000_000
		if r.IntN(12) == 0 {
			left[i] += r.IntN(500_000) // over-full
		}
	}
	seen := map[[2]int]bool{}
	for range r.IntN(3 * customers) {
		pair := [2]int{r.IntN(customers), r.IntN(customers)}
		if seen[pair] || pair[0] == pair[1] {
			continue
		}
		seen[pair] = true
		share, vote := "", ""
		if r.IntN(10) != 0 {
			units := min(1_000_000, []int{r.IntN(left[pair[1]] + 1), left[pair[1]], left[pair[1]] / 2}[r.IntN(3)])
			left[pair[1]] -= units
			share = shareText(units)
		}
		if r.IntN(5) == 0 {
			vote = shareText(r.IntN(500_000))
		}
		s, _ := ownership.ParsePercent(share)
		v, _ := ownership.ParsePercent(vote)
		holdings = append(holdings, ownership.Holding{
			RelationID: fmt.Sprintf("r%03d", len(holdings)), Share: s, Vote: v,
			HolderID: strconv.Itoa(pair[0]), HeldID: strconv.Itoa(pair[1]),
		})
	}
	return holdings, customers
}

func shareText(units int) string { return ownership.Decimal(float64(units) / 10_000) }

func TestRandomGraphsAreSolvedAsByADenseSolver(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	infinite, compared := 0, 0
	for graph := range 10_000 {
		holdings, customers := randomHoldings(r)
		direction := ownership.Direction(graph % 2)
		g := graphOf(t, holdings, direction, "0")
		read := g.Holdings()
		for name, number := range map[string]struct {
			weight func(h ownership.Holding) float64
			of     func(s ownership.Stake) float64
		}{
			"share": {shareOf, func(s ownership.Stake) float64 { return s.Share }},
			"vote": {
				func(h ownership.Holding) float64 { return votesOf(read, h) },
				func(s ownership.Stake) float64 { return s.Vote },
			},
			"upper": {
				func(h ownership.Holding) float64 { return upperShare(read, h) },
				func(s ownership.Stake) float64 { return s.UpperBound },
			},
		} {
			want := dense(read, customers, direction, number.weight)
			for _, s := range g.Stakes() {
				id, _ := strconv.Atoi(s.CustomerID)
				if math.IsInf(want[id], 1) {
					infinite++
				}
				compared++
				if got, want := number.of(s), 100*min(1, want[id]); math.Abs(got-want) > 1e-9 {
					t.Fatalf("graph %d, %s of %d: %.12f, not %.12f\n%v", graph, name, id, got, want, read)
				}
			}
		}
	}
	t.Logf("%d numbers, %d of them without a finite solution", compared, infinite)
	if infinite == 0 {
		t.Error("no graph is closed or over-full")
	}
}

func shareOf(h ownership.Holding) float64 { return h.Share.Float() }

func votesOf(holdings []ownership.Holding, of ownership.Holding) float64 {
	if of.Vote.Known() {
		return of.Vote.Float()
	}
	told, left, shares := false, 100.0, 0.0
	for _, h := range holdings {
		switch {
		case h.HeldID != of.HeldID:
		case h.Vote.Known():
			told, left = true, left-h.Vote.Float()
		default:
			shares += h.Share.Float()
		}
	}
	if !told || shares == 0 || shares <= left+1e-9 {
		return of.Share.Float()
	}
	return math.Floor(of.Share.Float()/shares*max(0, left)*10_000+1e-6) / 10_000
}

func upperShare(holdings []ownership.Holding, of ownership.Holding) float64 {
	if of.Share.Known() {
		return of.Share.Float()
	}
	left := 1_000_000
	for _, h := range holdings {
		if h.HeldID == of.HeldID {
			left -= int(math.Round(h.Share.Float() * 10_000))
		}
	}
	return float64(max(left, 0)) / 10_000
}

// dense solves x = direct + Aᵀx with a full matrix. What depends on a ring whose spectral radius is 1 or more is
// infinite.
func dense(
	holdings []ownership.Holding, n int, direction ownership.Direction, weight func(ownership.Holding) float64,
) []float64 {
	a := mat.NewDense(n, n, nil) // of whom (row) what (column), seen from the target
	for _, h := range holdings {
		near, far := h.HeldID, h.HolderID
		if direction == ownership.Holdings {
			near, far = far, near
		}
		from, _ := strconv.Atoi(near)
		to, _ := strconv.Atoi(far)
		a.Set(from, to, weight(h)/100)
	}
	reach := make([][]bool, n)
	for i := range reach {
		reach[i] = make([]bool, n)
		for open := []int{i}; len(open) > 0; {
			at := open[len(open)-1]
			open = open[:len(open)-1]
			for j := range n {
				if a.At(at, j) > 0 && !reach[i][j] {
					reach[i][j] = true
					open = append(open, j)
				}
			}
		}
	}
	radii := make([]float64, n)
	for k := range n {
		if reach[k][k] {
			radii[k] = radius(a, reach, k)
		}
	}
	x := make([]float64, n)
	var kept []int
	for j := range n {
		if j != 0 && !reach[0][j] {
			continue
		}
		endless := slices.ContainsFunc(seq(n), func(k int) bool {
			return (k == 0 || reach[0][k]) && (k == j || reach[k][j]) && radii[k] > 1-1e-9
		})
		if endless {
			x[j] = math.Inf(1)
		} else {
			kept = append(kept, j)
		}
	}
	if len(kept) == 0 {
		return x
	}
	system, direct := mat.NewDense(len(kept), len(kept), nil), mat.NewVecDense(len(kept), nil)
	for i, from := range kept {
		direct.SetVec(i, a.At(0, from))
		for j, to := range kept {
			system.Set(j, i, -a.At(from, to))
		}
		system.Set(i, i, 1-a.At(from, from))
	}
	var solution mat.VecDense
	if err := solution.SolveVec(system, direct); err != nil {
		panic(err)
	}
	for i, customer := range kept {
		x[customer] = solution.AtVec(i)
	}
	return x
}

// radius is the spectral radius of a customer's ring.
func radius(a *mat.Dense, reach [][]bool, customer int) float64 {
	ring := slices.DeleteFunc(seq(len(reach)), func(i int) bool { return !reach[customer][i] || !reach[i][customer] })
	part := mat.NewDense(len(ring), len(ring), nil)
	for i, from := range ring {
		for j, to := range ring {
			part.Set(i, j, a.At(from, to))
		}
	}
	var eigen mat.Eigen
	eigen.Factorize(part, mat.EigenNone)
	most := 0.0
	for _, value := range eigen.Values(nil) {
		most = max(most, math.Hypot(real(value), imag(value)))
	}
	return most
}

func seq(n int) (numbers []int) {
	for i := range n {
		numbers = append(numbers, i)
	}
	return numbers
}

func TestControlIsThatOfANaiveFixpoint(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for graph := range 3_000 {
		holdings, customers := randomHoldings(r)
		direction := ownership.Direction(graph % 2)
		g := graphOf(t, holdings, direction, "0")
		for _, s := range g.Stakes() {
			holder, held := s.CustomerID, "0"
			if direction == ownership.Holdings {
				holder, held = held, holder
			}
			if want := naiveControl(g.Holdings(), customers, holder, held); math.Abs(s.Control-want) > 1e-9 {
				t.Fatalf("graph %d, %s: %v, not %v\n%v", graph, s.CustomerID, s.Control, want, g.Holdings())
			}
		}
	}
}

func naiveControl(holdings []ownership.Holding, customers int, holder, of string) float64 {
	controlled := map[string]bool{holder: true}
	votes := func(held string) (sum float64) {
		for _, h := range holdings {
			if h.HeldID == held && controlled[h.HolderID] {
				sum += votesOf(holdings, h)
			}
		}
		return sum
	}
	for range customers {
		for i := range customers {
			if id := strconv.Itoa(i); votes(id) > 50+1e-7 {
				controlled[id] = true
			}
		}
	}
	return min(100, votes(of))
}
