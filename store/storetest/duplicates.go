package storetest

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

// duplicated is the value that a customer may share, "" without one.
var duplicated = map[backoffice.DuplicateKey]func(*backoffice.Customer) string{
	backoffice.SameEmail:     func(c *backoffice.Customer) string { return backoffice.FoldEmail(string(c.Email)) },
	backoffice.SameKboNumber: func(c *backoffice.Customer) string { return string(c.KboNumber) },
	backoffice.SameNameAndPostalCode: func(c *backoffice.Customer) string {
		if c.Address.PostalCode == "" {
			return ""
		}
		return backoffice.Fold(c.DisplayName) + ", " + backoffice.Fold(string(c.Address.PostalCode))
	},
	backoffice.SimilarNameAndPostalCode: func(c *backoffice.Customer) string {
		name := backoffice.SimilarNameOf(c.DisplayName)
		if c.Address.PostalCode == "" || name == "" {
			return ""
		}
		return name + ", " + backoffice.Fold(string(c.Address.PostalCode))
	},
	backoffice.SameRegistrationNumber: func(c *backoffice.Customer) string { return string(c.Registration.Index()) },
}

func mayReadNumbers(backoffice.PrivacyField) error { return nil }

// checkDuplicates compares groups with those that comparing each customer with each other gives.
func checkDuplicates(t *testing.T, o *office, reader backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria]) {
	t.Helper()
	rapid.Check(t, func(r *rapid.T) {
		var criteria backoffice.CustomerCriteria
		if rapid.Bool().Draw(r, "filtered") {
			criteria = o.customerModel().draw(r)
		}
		key := rapid.SampledFrom(slices.Sorted(maps.Keys(duplicated))).Draw(r, "by")
		first := rapid.SampledFrom([]int{0, 2, backoffice.MaxPageSize}).Draw(r, "first")
		q, err := backoffice.NewDuplicateQuery(criteria, key, &first, mayReadNumbers)
		if err != nil {
			r.Fatal(err)
		}
		got, err := readGroups(t.Context(), reader, q)
		if err != nil {
			r.Fatalf("%+v: %v (%v)", q, err, errorCause(err))
		}
		found := o.customerModel().list(backoffice.ListQuery[backoffice.CustomerCriteria]{Criteria: criteria}, backoffice.NoParent)
		slices.SortFunc(found, func(a, b *backoffice.Customer) int { return cmp.Compare(a.ID, b.ID) })
		type group struct {
			value   string
			members []string
		}
		var want []*group
		total := 0
		for _, c := range found {
			value := duplicated[key](c)
			at := slices.IndexFunc(want, func(g *group) bool { return g.value == value })
			switch {
			case value == "":
			case at < 0:
				want = append(want, &group{value, []string{c.ID}})
			default:
				want[at].members = append(want[at].members, c.ID)
			}
		}
		want = slices.DeleteFunc(want, func(g *group) bool { return len(g.members) < 2 })
		slices.SortFunc(want, func(a, b *group) int {
			return cmp.Or(len(b.members)-len(a.members), cmp.Compare(a.value, b.value))
		})
		for _, g := range want {
			total += len(g.members)
		}
		if got.TotalCount != total || got.GroupCount != len(want) || len(got.Groups) != min(first, len(want)) {
			r.Fatalf("%+v: %d in %d groups, %d shown, want %d in %d", q, got.TotalCount, got.GroupCount, len(got.Groups), total, len(want))
		}
		for i, g := range got.Groups {
			members := want[i].members
			if key == backoffice.SameRegistrationNumber {
				want[i].value = "" // which is not told
			}
			if g.Value() != want[i].value || g.Count != len(members) || !slices.Equal(g.Members, members[:min(len(members), backoffice.MostMembers)]) {
				r.Fatalf("%+v: group %d is %q of %d: %v, want %+v", q, i, g.Value(), g.Count, g.Members, want[i])
			}
		}
	})
}
