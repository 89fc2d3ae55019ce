package backoffice_test

import (
	"testing"

	"example.org/backoffice/backoffice"
)

func restriction(t *testing.T, f backoffice.RestrictionFields) backoffice.Restriction {
	t.Helper()
	r, err := backoffice.NewRestriction(f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTwoRestrictionsOfTheSameValuesAreOne(t *testing.T) {
	t.Parallel()
	a := restriction(t, backoffice.RestrictionFields{Responsible: []string{"b", "a", "b"}, Years: []string{"2025"}})
	b := restriction(t, backoffice.RestrictionFields{Responsible: []string{"a", "b"}, Years: []string{"2025", "2025"}})
	if a != b || !a.IsSet() || a == restriction(t, backoffice.RestrictionFields{Labels: []string{"a", "b"}, Years: []string{"2025"}}) {
		t.Errorf("%v %v", a, b)
	}
	if none := restriction(t, backoffice.RestrictionFields{}); none.IsSet() || none.String() != "" {
		t.Error(none)
	}
}

func TestAlternativesAreOneRestrictionAndOneWithoutAnyLiftsThem(t *testing.T) {
	t.Parallel()
	north, year := restriction(t, backoffice.RestrictionFields{Labels: []string{"north"}}), restriction(t, backoffice.RestrictionFields{Years: []string{"2025"}})
	either := backoffice.AnyOf(north, year)
	if either != backoffice.AnyOf(year, north, north) || either != backoffice.AnyOf(either, year) || either == north || len(either.Alternatives()) != 2 {
		t.Errorf("%v", either)
	}
	if again, err := backoffice.ParseRestriction(either.String()); err != nil || again != either {
		t.Errorf("%v: %v %v", either, again, err)
	}
	if none := backoffice.AnyOf(north, backoffice.Restriction{}, year); none.IsSet() {
		t.Errorf("%v", none)
	}
	if backoffice.AnyOf(north) != north {
		t.Error("one alternative")
	}
	of := &backoffice.User{ID: "an", LabelIDs: []string{"north"}}
	if c := (&backoffice.Customer{ID: "c"}); !either.AdmitsNew(c, of) || either.AdmitsNew(c, nil) || year.AdmitsNew(c, of) || !either.AdmitsYear(&backoffice.FinancialYear{StartDate: "2030"}) {
		t.Error("what one of them admits is admitted, and nothing else")
	}
}

func TestARestrictionThatIsNotAsItWasWrittenIsNotTakenForNone(t *testing.T) {
	t.Parallel()
	r := restriction(t, backoffice.RestrictionFields{Labels: []string{"l"}, Customers: []string{"c", "b"}})
	if again, err := backoffice.ParseRestriction(r.String()); err != nil || again != r {
		t.Errorf("%v: %v %v", r, again, err)
	}
	for _, text := range []string{"{}", "null", "[]", "{", `{"cities":["Gent"]}`, `{"years":["25"]}`, `{"labels":[]}`, `{"customers":["c","b"]}`, `{"labels":["a b"]}`, r.String() + " ", "[" + r.String() + "]", `[{"years":["2026"]},{}]`, `[{"years":["2026"]},{"labels":["l"]}]`} {
		if got, err := backoffice.ParseRestriction(text); backoffice.KindOf(err) != backoffice.Internal {
			t.Errorf("%s is read as %v, %v", text, got, err)
		}
	}
}

func TestARestrictionOfWhatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	for _, f := range []backoffice.RestrictionFields{
		{Responsible: []string{""}}, {Labels: []string{"a b"}}, {Customers: []string{"ä"}}, {Years: []string{"26"}}, {Years: []string{"2026 2027"}},
	} {
		if r, err := backoffice.NewRestriction(f); backoffice.KindOf(err) != backoffice.Refused {
			t.Errorf("%+v: %v, %v", f, r, err)
		}
	}
}

func TestAWriteIsHeldToTheKindsOfConditionsThatItCanMeet(t *testing.T) {
	t.Parallel()
	an, bruno := &backoffice.User{ID: "an", LabelIDs: []string{"north"}}, &backoffice.User{ID: "bruno"}
	c := &backoffice.Customer{ID: "c"}
	for name, of := range map[string]struct {
		f        backoffice.RestrictionFields
		user     *backoffice.User
		new, old bool
	}{
		"nothing":                {backoffice.RestrictionFields{}, nil, true, true},
		"another user":           {backoffice.RestrictionFields{Responsible: []string{"an"}}, bruno, false, false},
		"its user":               {backoffice.RestrictionFields{Responsible: []string{"an"}}, an, true, true},
		"nobody":                 {backoffice.RestrictionFields{Labels: []string{"north"}}, nil, false, false},
		"a label":                {backoffice.RestrictionFields{Labels: []string{"south", "north"}}, an, true, true},
		"both, of which one not": {backoffice.RestrictionFields{Responsible: []string{"bruno"}, Labels: []string{"north"}}, bruno, false, false},
		"customers":              {backoffice.RestrictionFields{Customers: []string{"d"}}, an, false, true},
		"a year":                 {backoffice.RestrictionFields{Years: []string{"2025"}}, an, false, true},
	} {
		r := restriction(t, of.f)
		if r.AdmitsNew(c, of.user) != of.new || r.AdmitsResponsible(of.user) != of.old {
			t.Errorf("%s: new %v, old %v", name, r.AdmitsNew(c, of.user), r.AdmitsResponsible(of.user))
		}
	}
	years := restriction(t, backoffice.RestrictionFields{Years: []string{"2025"}})
	if !years.AdmitsYear(&backoffice.FinancialYear{StartDate: "2025"}) || years.AdmitsYear(&backoffice.FinancialYear{StartDate: "2026"}) {
		t.Error("years")
	}
	north := restriction(t, backoffice.RestrictionFields{Labels: []string{"north"}})
	if !north.SeesOthers(an, bruno) || !north.SeesOthers(bruno, an) || north.SeesOthers(an, an) || years.SeesOthers(an, bruno) {
		t.Error("labels")
	}
}
