package ownership_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/backoffice/ownership"
)

// lines are an office of lines such as "p 25 T"; a kind may follow, and that it is a nominee: "p ? T UBO".
type lines string

func (l lines) Relations(_ context.Context, list backoffice.ListQuery[backoffice.RelationCriteria], customerIDs []string,
) ([]backoffice.Page[*backoffice.CustomerRelation], error) {
	return backoffice.Map(customerIDs, func(id string) (page backoffice.Page[*backoffice.CustomerRelation]) {
		for line := range strings.Lines(string(l)) {
			words := append(strings.Fields(line), "SHAREHOLDER")
			share, vote, _ := strings.Cut(strings.ReplaceAll(words[1], "?", ""), "/")
			if words[2] == id && words[3] == string(list.Criteria.Kind) {
				page.Items = append(page.Items, &backoffice.CustomerRelation{
					ID: words[0] + words[2] + words[3], CustomerID: id, RelatedCustomerID: words[0],
					SharePercent: backoffice.Text(share), VotePercent: backoffice.Text(vote),
					Nominee: slices.Contains(words, "NOMINEE"),
				})
			}
		}
		return page
	}), nil
}

func (lines) Customers(_ context.Context, ids []string) ([]*backoffice.Customer, error) {
	return backoffice.Map(ids, func(id string) *backoffice.Customer {
		c := &backoffice.Customer{ID: id, Type: backoffice.Company}
		if natural(id) {
			c.Type = backoffice.PrivatePerson
		}
		return c
	}), nil
}

// discrepancies are those of T and of U, each as "kind person declared computed", with a question mark if uncertain.
func discrepancies(t *testing.T, office lines, day string) (found []string) {
	t.Helper()
	of, err := ownership.Structures(t.Context(), []string{"T", "U"}, ownership.Question{Depth: 20, AsOf: &day}, office)
	if err != nil {
		t.Fatal(err)
	}
	all, err := ownership.Discrepancies(t.Context(), of, office)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range slices.Concat(all...) {
		line := strings.Join(strings.Fields(fmt.Sprint(d.Kind, " ", d.CustomerID, " ", d.Declared, " ",
			ownership.Decimal(d.Computed))), " ")
		if !d.Certain {
			line += "?"
		}
		if (d.RelationID == "") != (d.Kind == backoffice.NotDeclared) {
			t.Error(line, d.RelationID)
		}
		found = append(found, line)
	}
	return found
}

func TestDeclaredOwnersAreComparedWithTheComputedOnes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		office lines
		want   []string
	}{
		"all as declared":     {"p 60 T\nq 40 T\np 60 T UBO\nq ? T UBO", nil},
		"nothing is recorded": {"p ? V UBO", nil},
		"through two levels":  {"A 100 T\np 100 A\np 100 T UBO", nil},
		"one is not declared": {"p 60 T\nq 40 T\np 60 T UBO", []string{"NOT_DECLARED q 40"}},
		"one owns too little": {"p 75 T\nq 25 T\np 75 T UBO\nq 25 T UBO", []string{"NOT_COMPUTED q 25 25"}},
		"one owns nothing":    {"p 100 T\np 100 T UBO\nq ? T UBO", []string{"NOT_COMPUTED q 0"}},
		"another share":       {"p 60 T\nq 40 T\np 70 T UBO\nq 40 T UBO", []string{"PERCENTAGE p 70 60"}},
		"two decimal places":  {"p 33.3333 T\nq 66.6667 T\np 33.33 T UBO\nq 66.67 T UBO", nil},
		"a hundredth":         {"p 60 T\nq 40 T\np 60.01 T UBO\nq 40 T UBO", []string{"PERCENTAGE p 60.01 60"}},
		"more than all of it": {"p 100 T\nq 30 T\np 70 T UBO\nq 30 T UBO", []string{"PERCENTAGE p 70 100?"}},
		"a rounded seventh":   {"p 14.2858 T\nq 85.7143 T", []string{"NOT_DECLARED q 85.7143"}},
		"three thirds": {"p 33.3333 T\nq 33.3333 T\nr 33.3333 T\np 36 T UBO\nq 33.33 T UBO\nr 33.9 T UBO\ns 30 T UBO",
			[]string{"NOT_COMPUTED s 30 0", "PERCENTAGE p 36 33.3333", "PERCENTAGE r 33.9 33.3333?"}},
		"a third is missing": {"p 33.3333 T\nq 33.3333 T\np 36 T UBO\nq 33.33 T UBO\ns 30 T UBO",
			[]string{"NOT_COMPUTED s 30 0?", "PERCENTAGE p 36 33.3333?"}},
		"thirds in a ring":     {"A 99.99 T\nT 99.98 A\np 0.01 A\ns 30 T UBO", []string{"NOT_COMPUTED s 30 0?", "NOT_DECLARED p 33.3322"}},
		"all of each other":    {"A 100 T\nT 100 A\np 1 A", []string{"NOT_DECLARED p 100?"}},
		"a holder is missing":  {"p 60 T\np 70 T UBO\nq ? T UBO", []string{"NOT_COMPUTED q 0?", "PERCENTAGE p 70 60?"}},
		"less than is certain": {"p 60 T\np 50 T UBO", []string{"PERCENTAGE p 50 60"}},
		"a share is unknown":   {"p ? T\nq 60 T\np ? T UBO", []string{"NOT_COMPUTED p 0?", "NOT_DECLARED q 60"}},
		"a director for want":  {"A 100 T\nd ? T DIRECTOR", []string{"NOT_DECLARED d 0?"}},
		"a director instead": {"p 20 T\nq 20 T\nr 20 T\ns 20 T\nt 20 T\nd ? T DIRECTOR",
			[]string{"NOT_DECLARED d 0"}},
		"a declared director": {"p 20 T\nq 20 T\nr 20 T\ns 20 T\nt 20 T\nd ? T DIRECTOR\nd ? T UBO", nil},
		"a manager who is not recorded": {"p 20 T\nq 20 T\nr 20 T\ns 20 T\nt 20 T\nd ? T UBO",
			[]string{"NOT_COMPUTED d 0?"}},
		"a nominee": {"p 60 T SHAREHOLDER NOMINEE\nq 40 T\nr 60 T UBO\nq 40 T UBO",
			[]string{"NOT_COMPUTED r 60 0?", "NOT_DECLARED p 60?"}},
		"two companies": {"p 100 T\nq 100 U\nq 100 U UBO\nr ? U UBO",
			[]string{"NOT_DECLARED p 100", "NOT_COMPUTED r 0"}},
		"votes are missing": {"p 80/10 T\nq 20 T\np 80 T UBO\nr ? T UBO", []string{"NOT_COMPUTED r 0?"}},
		"all votes are known": {"p 80/10 T\nq 20/90 T\np 80 T UBO\nr ? T UBO",
			[]string{"NOT_COMPUTED r 0", "NOT_DECLARED q 20"}},
		"votes of a holder are missing": {"A 40/60 T\np 30 T\nr 30/30 T\np 100 A\np 70 T UBO\nr 30 T UBO\nq ? T UBO",
			[]string{"NOT_COMPUTED q 0?"}},
	} {
		if got := discrepancies(t, c.office, "2026-03-31"); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}

func TestTheRuleOfTheDayDecides(t *testing.T) {
	t.Parallel()
	const office = "p 75 T\nq 25 T\np 75 T UBO\nq 25 T UBO"
	if got := discrepancies(t, office, "2027-07-09"); len(got) != 1 {
		t.Error("exactly 25 % is not more than 25 %:", got)
	}
	if got := discrepancies(t, office, "2027-07-10"); len(got) != 0 {
		t.Error("it is 25 % or more:", got)
	}
	want := []string{"NOT_DECLARED p 25"} // whatever the others have
	if got := discrepancies(t, "p 25/25 T\nq ? T", "2027-07-10"); !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}
