package ownership_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice/ownership"
)

// holdingsOf reads lines "holder share held" or "holder share/votes held"; a share of "?" is unknown. Relations are
// numbered by letters.
func holdingsOf(t *testing.T, lines string) (holdings []ownership.Holding) {
	t.Helper()
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		if len(words) != 3 {
			continue
		}
		share, vote, _ := strings.Cut(strings.ReplaceAll(words[1], "?", ""), "/")
		holdings = append(holdings, ownership.Holding{
			RelationID: words[0] + words[2], HolderID: words[0], HeldID: words[2],
			Share: percent(t, share), Vote: percent(t, vote),
		})
	}
	return holdings
}

func percent(t *testing.T, text string) ownership.Percent {
	t.Helper()
	p, err := ownership.ParsePercent(text)
	if err != nil {
		t.Fatal(text, err)
	}
	return p
}

// recorded answers from holdings, and counts how often it was asked.
type recorded struct {
	holdings  []ownership.Holding
	direction ownership.Direction
	asked     [][]string
}

func (r *recorded) each(_ context.Context, ids []string) (found []ownership.Holding, err error) {
	r.asked = append(r.asked, ids)
	for _, h := range r.holdings {
		from := h.HeldID
		if r.direction == ownership.Holdings {
			from = h.HolderID
		}
		if slices.Contains(ids, from) {
			found = append(found, h)
		}
	}
	return found, nil
}

func graphOf(
	t *testing.T, holdings []ownership.Holding, direction ownership.Direction, target string,
) *ownership.Graph {
	t.Helper()
	r := &recorded{holdings: holdings, direction: direction}
	graphs, err := ownership.Read(t.Context(), []string{target}, direction, ownership.MaxDepth, r.each)
	if err != nil {
		t.Fatal(err)
	}
	return graphs[0]
}

func owners(t *testing.T, lines string) *ownership.Graph {
	t.Helper()
	return graphOf(t, holdingsOf(t, lines), ownership.Owners, "T")
}

// natural persons have small letters in these tests.
func natural(id string) bool { return strings.ToLower(id) == id }

// shown is a stake as "share/votes/control".
func shown(s ownership.Stake) string {
	return ownership.Decimal(s.Share) + "/" + ownership.Decimal(s.Vote) + "/" + ownership.Decimal(s.Control)
}

func stakeOf(t *testing.T, g *ownership.Graph, id string) ownership.Stake {
	t.Helper()
	stakes := g.Stakes()
	i := slices.IndexFunc(stakes, func(s ownership.Stake) bool { return s.CustomerID == id })
	if i < 0 {
		t.Fatal("no stake of", id)
	}
	return stakes[i]
}

func TestChainsAreMultipliedAndAdded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ lines, want string }{
		// The FAQ of the Belgian register (2 April 2019), in the summary of Grant Thornton Belgium: 10 % directly and
		// 18 % through a company that the person has all of are 28 %, more than 25 %.
		"direct and indirect": {"p 10 T\n A 18 T\n p 100 A", "28/28/28"},
		// The accountants of Gecobo (August 2019): 90 % of a company that has 30 % are 27 %, more than 25 %.
		"a chain of two": {"NV2 30 T\n p 90 NV2", "27/27/30"},
		// The definition in balance of payments statistics: B1 and B2 own 20 % and 40 % of C, and A owns 100 % and 80 %
		// of them: 52 %.
		"two chains": {"B1 20 T\n B2 40 T\n p 100 B1\n p 80 B2", "52/52/60"},
		// The FAQ of the Securities and Exchange Commission of Pakistan: Mr. BA has 21 %, 70 % of the 30 % of company B.
		// He controls B with its 30 %.
		"a chain": {"B 30 T\n p 70 B", "21/21/30"},
		// T-rank on the regulation of 2024: who has all votes of a company with 30 % directs 30 %; who has 30 % of the
		// votes of a company with 100 % directs none.
		"all of a minority":   {"H 30 T\n p 100 H", "30/30/30"},
		"minority of all":     {"H 100 T\n p 30 H", "30/30/0"},
		"votes beside shares": {"H 40/60 T\n p 10/51 H", "4/30.6/60"},
		// Unknown votes are no more than known ones leave: A has 20 of 100, and not 60.
		"votes that are left": {"A 60 T\n q 40/80 T\n p 60 A", "36/12/20"},
		"left for two":        {"p 45 T\n A 15 T\n q 40/60 T\n p 100 A", "60/40/40"},
		"half is no control":  {"H 100 T\n p 50 H", "50/50/0"},
		// Owned by each other: what T has of itself through S belongs to p as well.
		"a ring":   {"p 50 T\n S 50 T\n T 100 S", "100/100/50"},
		"together": {"p 100 A\n p 30 B\n A 30 B\n B 60 T", "36/36/60"},
	} {
		if got := shown(stakeOf(t, owners(t, c.lines), "p")); got != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
	}
}

func TestAnUnknownShareWidensTheBounds(t *testing.T) {
	t.Parallel()
	g := owners(t, "p ? A\n q 40 A\n A 50 T\n r 50 T")
	if p := stakeOf(t, g, "p"); p.Share != 0 || ownership.Decimal(p.UpperBound) != "30" || p.Direct {
		t.Errorf("p %+v", p)
	}
	if q := stakeOf(t, g, "q"); ownership.Decimal(q.Share) != "20" || ownership.Decimal(q.UpperBound) != "20" {
		t.Errorf("q %+v", q)
	}
	if got := g.UnknownShares(); got != 1 || g.Complete(natural) {
		t.Error(got)
	}
}

func TestAClosedRingHasNobodyBehindIt(t *testing.T) {
	t.Parallel()
	g := owners(t, "A 100 T\n B 100 A\n C 100 B\n A 0 C\n B 100 C")
	for _, s := range g.Stakes() {
		if s.Share > 100 || s.UpperBound > 100 {
			t.Errorf("%+v", s)
		}
	}
	cycles := g.Cycles()
	if len(cycles) != 1 || !cycles[0].Closed || !slices.Equal(cycles[0].CustomerIDs, []string{"A", "B", "C"}) {
		t.Errorf("%+v", cycles)
	}
	cycles = owners(t, "A 100 T\n B 100 A\n A 100 B").Cycles()
	if len(cycles) != 1 || !cycles[0].Closed {
		t.Errorf("%+v", cycles)
	}
	if cycles = owners(t, "A 90 T\n p 10 T\n T 50 A\n q 50 A").Cycles(); len(cycles) != 1 || cycles[0].Closed {
		t.Errorf("%+v", cycles)
	}
}

func TestACompanyWithMoreThanAllIsReadAsRecorded(t *testing.T) {
	t.Parallel()
	g := owners(t, "p 60 T\n q 60 T\n A 60 T\n p 100 A")
	if p := stakeOf(t, g, "p"); p.Share != 100 || p.UpperBound != 100 || p.Control != 100 {
		t.Errorf("%+v", p)
	}
	if q := shown(stakeOf(t, g, "q")); q != "60/60/60" || g.Complete(natural) {
		t.Error(q)
	}
}

func TestAGraphIsCompleteIfEveryCompanyHasAll(t *testing.T) {
	t.Parallel()
	for lines, want := range map[string]bool{
		"p 60 T\n A 40 T\n q 100 A": true,
		"p 60 T\n A 40 T":           false, // nobody holds A
		"p 60 T":                    false,
		"p 33.3333 T\n q 33.3333 T\n r 33.3334 T": true,
		"p 33.3333 T\n q 33.3333 T\n r 33.3333 T": false,
		"": false,
	} {
		if got := owners(t, lines).Complete(natural); got != want {
			t.Errorf("%q: %v", lines, got)
		}
	}
}

func TestThreeCompaniesBetweenAreComplex(t *testing.T) {
	t.Parallel()
	for lines, want := range map[string]bool{
		"A 100 T\n B 100 A\n p 100 B":                       false,
		"A 100 T\n B 100 A\n C 100 B\n p 100 C":             true,
		"p 50 T\n A 50 T\n B 100 A\n C 100 B\n p 100 C":     true, // the longest chain counts
		"A 100 T\n B 50 A\n A 50 B\n p 50 A\n p 50 B":       false,
		"A 100 T\n B 50 A\n C 100 B\n A 50 C\n p 50 A":      true, // the ring has three
		"A 100 T\n B 100 A\n C 100 B\n D 100 C":             true,
		"A 100 T\n B 100 A\n C 100 B":                       false,
		"A 100 T\n B 100 A\n p 100 B\n C 100 X\n X 100 Y\n": false,
	} {
		if got := owners(t, lines).Complex(); got != want {
			t.Errorf("%q: %v", lines, got)
		}
	}
	if layers := owners(t, "p 50 T\n A 50 T\n B 100 A\n p 100 B").Layers(); layers != 2 {
		t.Error(layers)
	}
}

func TestWhatACustomerHoldsIsComputedAlike(t *testing.T) {
	t.Parallel()
	holdings := holdingsOf(t, "T 60 A\n T 10 B\n A 50 B\n B 100 C\n C 10 A")
	g := graphOf(t, holdings, ownership.Holdings, "T")
	for id, want := range map[string]string{
		"A": "64.2105/64.2105/70", "B": "42.1053/42.1053/60", "C": "42.1053/42.1053/100",
	} {
		if got := shown(stakeOf(t, g, id)); got != want {
			t.Errorf("%s: %s, not %s", id, got, want)
		}
	}
	if a := stakeOf(t, g, "A"); !a.Direct {
		t.Errorf("%+v", a)
	}
}

func TestARingThatKeepsNearlyAllIsExact(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for i := range 20 {
		fmt.Fprintf(&lines, "C%d 99.9999 C%d\np 0.0001 C%d\n", i+1, i, i)
	}
	ring := strings.NewReplacer("C20 ", "T ", "C0\n", "T\n").Replace(lines.String())
	if p := stakeOf(t, owners(t, ring), "p"); math.Abs(p.Share-100) > 1e-9 || math.Abs(p.UpperBound-100) > 1e-9 {
		t.Errorf("%.15f", p.Share)
	}
}
