package ownership_test

import (
	"encoding/xml"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.org/backoffice/backoffice/ownership"
)

var (
	boxes  = regexp.MustCompile(`<g><title>([^<]*)</title><rect x="([-\d.]+)" y="([-\d.]+)"`)
	arrows = regexp.MustCompile(`<path fill="none" stroke="([^"]+)"[^>]*?(stroke-dasharray="6 4")? d="M`)
)

func picture(t *testing.T, g *ownership.Graph, describe ownership.Describe) string {
	t.Helper()
	drawn := string(g.Picture(describe))
	var anything struct{}
	if err := xml.Unmarshal([]byte(drawn), &anything); err != nil {
		t.Fatal(err, drawn)
	}
	if again := string(g.Picture(describe)); again != drawn {
		t.Error("drawn otherwise the second time")
	}
	return drawn
}

func TestAPictureShowsEveryHolding(t *testing.T) {
	t.Parallel()
	drawn := picture(t, owners(t, "A 60/70.5 T\n p ? A\n T 10 A"), describe)
	for _, part := range []string{
		`<title id="ownership-title">Owners of Name of T</title>`,
		"Name of A holds 60 % of Name of T and 70.5 % of its votes. ",
		"Name of p holds an unknown share of Name of A. ",
		"Name of T holds 10 % of Name of A. ",
		">60 %, votes 70.5 %</text>", ">10 %</text>", ">?</text>", ">natural person</text>", ">company</text>",
		">Dashed arrow: the share is unknown.</text>", ">Red arrow: it closes a ring.</text>",
	} {
		if !strings.Contains(drawn, part) {
			t.Errorf("%s is not in %s", part, drawn)
		}
	}
	if strings.Count(drawn, `stroke-dasharray`) != 1 || strings.Count(drawn, `stroke="#b3261e"`) != 1 {
		t.Error(drawn)
	}
	for _, outside := range []string{"href", "class=", "style=", "<script", "url("} {
		if strings.Contains(drawn, outside) {
			t.Errorf("it needs %s", outside)
		}
	}
}

func TestANameIsTextAndFits(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		`<b a="1">&'`: "&lt;b a=&#34;1&#34;&gt;&amp;&#39;",
		"A name that is much too long for its box": "A name that is muc…",
		"MINISTERIE VAN FINANCIËN":                 "MINISTERIE VAN…",
		"株式会社株式会社株式会社株式会社":                         "株式会社株式会社株式…",
		"Illi, Fill & Jill (ltd)":                  "Illi, Fill &amp; Jill (ltd)",
		"\x00\xff":                                 "��",
		"":                                         "",
	} {
		g := owners(t, "")
		drawn := picture(t, g, func(string) ownership.Party { return ownership.Party{Name: name} })
		if !strings.Contains(drawn, `fill="#111111">`+want+`</text>`) {
			t.Errorf("%q is not in %s", want, drawn)
		}
	}
}

func TestAPictureLeavesOutTheSmallestShares(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for i := range 200 {
		fmt.Fprintf(&lines, "p%03d 0.%03d T\n", i, 100+i)
	}
	lines.WriteString("A 40 T\n z 100 A")
	drawn := picture(t, owners(t, lines.String()), describe)
	if n := len(boxes.FindAllString(drawn, -1)); n != 60 {
		t.Error(n)
	}
	for part, want := range map[string]bool{"shares: 143.": true, "of p199": true, "of z": true, "of p100": false} {
		if strings.Contains(drawn, part) != want {
			t.Errorf("%s: %v", part, !want)
		}
	}
}

func TestBoxesDoNotOverlapAndArrowsPointDown(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	number := func(text string) float64 { n, _ := strconv.ParseFloat(text, 64); return n }
	for graph := range 500 {
		holdings, _ := randomHoldings(r)
		g := graphOf(t, holdings, ownership.Direction(graph%2), "0")
		drawn := picture(t, g, func(id string) ownership.Party { return ownership.Party{Name: id} })
		found := boxes.FindAllStringSubmatch(drawn, -1)
		if len(found) != len(g.Stakes())+1 || len(arrows.FindAllString(drawn, -1)) != len(g.Holdings()) {
			t.Fatalf("graph %d: %d boxes, %s", graph, len(found), drawn)
		}
		row := map[string]float64{}
		for i, one := range found {
			row[one[1]] = number(one[3])
			for _, other := range found[:i] {
				if one[3] == other[3] && math.Abs(number(one[2])-number(other[2])) < 172 {
					t.Fatalf("graph %d: %s is on %s", graph, one[1], other[1])
				}
			}
		}
		up := 0
		for _, h := range g.Holdings() {
			if row[h.HolderID] > row[h.HeldID] {
				up++
			}
		}
		if red := strings.Count(drawn, `stroke="#b3261e"`); red != up || up > 0 && len(g.Cycles()) == 0 {
			t.Fatalf("graph %d: %d arrows point up, %d are red, %d rings", graph, up, red, len(g.Cycles()))
		}
	}
}
