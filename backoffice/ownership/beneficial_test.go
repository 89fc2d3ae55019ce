package ownership_test

import (
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/backoffice/ownership"
)

func TestARuleNamesBeneficialOwners(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines                string
		belgium, eu, tenOnly string
	}{
		// Article 52: 25 % or more; shares are multiplied along a chain, and the results of the chains are added.
		"exactly a quarter": {"A 50 T\n p 50 A\n q 50 A\n d 50 T", "d=OWNERSHIP ",
			"d=OWNERSHIP p=OWNERSHIP q=OWNERSHIP ", "d=OWNERSHIP p=OWNERSHIP q=OWNERSHIP "},
		"a quarter of four places": {"p 25 T\n q 25.0001 T\n r 24.9999 T", "q=OWNERSHIP ", "q=OWNERSHIP p=OWNERSHIP ",
			"q=OWNERSHIP p=OWNERSHIP r=OWNERSHIP "},
		"a quarter of thirds": {"A 75 T\n p 33.3333 A\n q 33.3334 A", "q=OWNERSHIP ", "q=OWNERSHIP p=CONTROL ",
			"q=OWNERSHIP p=OWNERSHIP "},
		"hardly more than a quarter": {"A 50.1001 T\n p 49.9001 A", "p=OWNERSHIP ", "p=OWNERSHIP ", "p=OWNERSHIP "},
		"hardly less than ten": {"A 51.3239 T\n p 19.4841 A", "d=SENIOR_MANAGER ", "d=SENIOR_MANAGER ",
			"d=SENIOR_MANAGER "},
		"chains added": {"p 10 T\n A 18 T\n p 100 A", "p=OWNERSHIP ", "p=OWNERSHIP ", "p=OWNERSHIP "},
		// The law of 2018: more than 25 % held by a company that a natural person controls. 60 % of 40 % is 24 %.
		"control of a holder": {"A 40 T\n p 60 A", "p=CONTROL ", "p=CONTROL ", "p=OWNERSHIP "},
		// Article 53: 50 % plus one of the shares or of the votes is control, of each company in the chain.
		"a majority of shares": {"A 30 T\n B 60/40 A\n p 60/10 B", "d=SENIOR_MANAGER ", "p=CONTROL ", "p=OWNERSHIP "},
		// Article 54: ownership interest in a company that controls the target. 30 % of 60 % is 18 %.
		"share of a controller": {"A 60 T\n p 30 A\n B 70 A\n q 40 B", "d=SENIOR_MANAGER ", "p=CONTROL q=CONTROL ",
			"p=OWNERSHIP q=OWNERSHIP "},
		"votes": {"p 1/30 T\n q 30/0 T", "q=OWNERSHIP p=OWNERSHIP ", "q=OWNERSHIP p=OWNERSHIP ",
			"q=OWNERSHIP p=OWNERSHIP "},
		"companies are no": {"A 100 T", "d=SENIOR_MANAGER ", "d=SENIOR_MANAGER ", "d=SENIOR_MANAGER "},
		"nobody":           {"p 5 T\n d 4 T", "d=SENIOR_MANAGER ", "d=SENIOR_MANAGER ", "d=SENIOR_MANAGER "},
	} {
		g := owners(t, c.lines)
		for rule, want := range map[ownership.Rule]string{
			ownership.Belgium2018: c.belgium, ownership.EU2024: c.eu, ownership.Custom: c.tenOnly,
		} {
			found, err := g.BeneficialOwners(rule, percent(t, "10"), natural, []string{"D", "d"})
			got := ""
			for _, owner := range found {
				got += owner.CustomerID + "=" + string(owner.Category) + " "
			}
			if err != nil || got != want {
				t.Errorf("%s by %s: %s, not %s (%v)", name, rule, got, want, err)
			}
		}
	}
}

func TestNoDirectorStandsInForOwnersWhoMayHaveBeenCutOff(t *testing.T) {
	t.Parallel()
	for depth, want := range map[int]int{1: 0, 2: 1} {
		r := &recorded{holdings: holdingsOf(t, "A 100 T\n p 5 A")}
		graphs, err := ownership.Read(t.Context(), []string{"T"}, ownership.Owners, depth, r.each)
		if err != nil {
			t.Fatal(err)
		}
		found, err := graphs[0].BeneficialOwners(ownership.EU2024, ownership.Percent{}, natural, []string{"d"})
		if err != nil || len(found) != want {
			t.Errorf("%d levels: %+v %v", depth, found, err)
		}
		written, err := graphs[0].Statements(published, describe, found)
		const annotated = `"motivation":"commenting","statementPointerTarget":""}]`
		if err != nil || strings.Count(string(written), annotated) != 1-want {
			t.Errorf("%d levels: %s %v", depth, written, err)
		}
	}
}

func TestOwnRulesNeedAThreshold(t *testing.T) {
	t.Parallel()
	for _, threshold := range []string{"", "0"} {
		_, err := owners(t, "p 5 T").BeneficialOwners(ownership.Custom, percent(t, threshold), natural, nil)
		if backoffice.KindOf(err) != backoffice.BadInput {
			t.Error(err)
		}
	}
}

func TestASeniorManagerKeepsAStake(t *testing.T) {
	t.Parallel()
	g, directors := owners(t, "d 4 T"), []string{"d", "e"}
	found, err := g.BeneficialOwners(ownership.EU2024, ownership.Percent{}, natural, directors)
	if err != nil || len(found) != 2 || found[0].Share != 4 || found[1].Share != 0 {
		t.Errorf("%+v %v", found, err)
	}
}
