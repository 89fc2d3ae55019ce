package ownership_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice/ownership"
)

func TestALevelOfAllCompaniesIsReadAtOnce(t *testing.T) {
	t.Parallel()
	r := &recorded{holdings: holdingsOf(t, "A 50 T\n B 50 T\n C 100 A\n C 100 B\n T 10 C\n A 50 U\n p 90 C")}
	graphs, err := ownership.Read(t.Context(), []string{"T", "U", "T"}, ownership.Owners, 20, r.each)
	if err != nil || len(graphs) != 3 {
		t.Fatal(err)
	}
	want := [][]string{{"T", "U"}, {"A", "B"}, {"C"}, {"p"}}
	if !slices.EqualFunc(r.asked, want, slices.Equal) {
		t.Error(r.asked)
	}
	if n := len(graphs[0].Holdings()); n != 6 || graphs[0].Target() != "T" {
		t.Error(n)
	}
	if got := shown(stakeOf(t, graphs[1], "p")); got != "50/50/50" {
		t.Error(got)
	}
}

func TestReadingEndsAtTheLimits(t *testing.T) {
	t.Parallel()
	var chain, wide strings.Builder
	for i := range 40 {
		fmt.Fprintf(&chain, "C%d 100 %s\n", i+1, map[bool]string{true: "T", false: fmt.Sprint("C", i)}[i == 0])
	}
	for i := range 2_001 {
		fmt.Fprintf(&wide, "p%d 0.01 T\n", i)
	}
	for name, c := range map[string]struct {
		lines                  string
		depth, asked, holdings int
		truncated              bool
	}{
		"a level":              {chain.String(), 1, 1, 1, true},
		"all levels":           {chain.String(), 20, 20, 20, true},
		"no more than all":     {chain.String(), 99, 20, 20, true},
		"too many holdings":    {wide.String(), 20, 1, 2_000, true},
		"persons at the end":   {"p 100 T", 1, 1, 1, false},
		"companies at the end": {"A 100 T", 1, 1, 1, true},
		"as many levels":       {"A 100 T\n p 100 A", 2, 2, 2, false},
	} {
		r := &recorded{holdings: holdingsOf(t, c.lines)}
		graphs, err := ownership.Read(t.Context(), []string{"T"}, ownership.Owners, c.depth, r.each)
		if err != nil {
			t.Fatal(err)
		}
		g := graphs[0]
		if len(r.asked) != c.asked || len(g.Holdings()) != c.holdings || g.Truncated(natural) != c.truncated {
			t.Errorf("%s: asked %d times, %d holdings, truncated %v",
				name, len(r.asked), len(g.Holdings()), g.Truncated(natural))
		}
	}
}

func TestReadingFailsAsItsSourceDoes(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	_, err := ownership.Read(t.Context(), []string{"T"}, ownership.Owners, 1,
		func(context.Context, []string) ([]ownership.Holding, error) { return nil, away })
	if !errors.Is(err, away) {
		t.Error(err)
	}
}
