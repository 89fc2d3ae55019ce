package mapping_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest/mapping"
)

type (
	word string

	part   struct{ Street graphql.Omittable[*string] }
	change struct {
		ID      string
		Name    graphql.Omittable[*string]
		Scopes  graphql.Omittable[[]string]
		Kind    graphql.Omittable[*word]
		Address graphql.Omittable[*part]
	}
	draft struct {
		Name    *string
		Scopes  []string
		Kind    word
		Address *part
	}

	address struct{ Street backoffice.Optional[string] }
	fields  struct {
		Name    backoffice.Optional[string]
		Scopes  backoffice.Optional[[]string]
		Kind    backoffice.Optional[word]
		Address backoffice.Optional[address]
	}
)

func TestAbsentNullAndAValueStayThreeThings(t *testing.T) {
	t.Parallel()
	updates := mapping.New[change, fields](mapping.Except("ID"))
	name := "Els"
	for state, want := range map[string]struct {
		from change
		to   fields
	}{
		"absent": {change{}, fields{}},
		"null": {
			change{Name: graphql.OmittableOf[*string](nil), Scopes: graphql.OmittableOf[[]string](nil), Address: graphql.OmittableOf[*part](nil)},
			fields{Name: backoffice.Null[string](), Scopes: backoffice.Null[[]string](), Address: backoffice.Null[address]()},
		},
		"a value": {
			change{Name: graphql.OmittableOf(&name), Scopes: graphql.OmittableOf([]string{}), Address: graphql.OmittableOf(&part{Street: graphql.OmittableOf[*string](nil)})},
			fields{Name: backoffice.Value(name), Scopes: backoffice.Value([]string{}), Address: backoffice.Value(address{backoffice.Null[string]()})},
		},
	} {
		if diff := cmp.Diff(want.to, updates.Map(&want.from), unexported); diff != "" {
			t.Errorf("%s: %s", state, diff)
		}
	}
}

var unexported = cmp.Exporter(func(reflect.Type) bool { return true })

func TestInACreationNilIsAbsent(t *testing.T) {
	t.Parallel()
	creations := mapping.New[draft, fields]()
	name := "Els"
	for _, want := range []struct {
		from draft
		to   fields
	}{
		{draft{}, fields{Scopes: backoffice.Value[[]string](nil), Kind: backoffice.Value[word]("")}},
		{
			draft{Name: &name, Scopes: []string{"a"}, Kind: "k", Address: &part{}},
			fields{backoffice.Value(name), backoffice.Value([]string{"a"}), backoffice.Value[word]("k"), backoffice.Value(address{})},
		},
	} {
		if diff := cmp.Diff(want.to, creations.Map(&want.from), unexported); diff != "" {
			t.Error(diff)
		}
	}
}

func TestATextThatIsMissingIsNilAndValuesAreConvertedByTheirTypes(t *testing.T) {
	t.Parallel()
	type row struct {
		Name, Code backoffice.Text
		Form       word
		Number     int
	}
	type shown struct {
		Name, Code *string
		Form       *backoffice.LegalForm
		Number     string
	}
	shows := mapping.New[row, shown](mapping.Convert(func(n int) string { return fmt.Sprint(n) }))
	code, form := "C-1", backoffice.LegalForm("bv")
	if diff := cmp.Diff(shown{Code: &code, Form: &form, Number: "7"}, shows.Map(&row{Code: "C-1", Form: "bv", Number: 7})); diff != "" {
		t.Error(diff)
	}
}

func TestAFieldThatHasNoneInTheOtherIsToldWhenTheMappingIsMade(t *testing.T) {
	t.Parallel()
	type one struct{ Name string }
	type two struct{ Name, Website string }
	type other struct{ Name int }
	for want, made := range map[string]func(){
		"has no value for Website":    func() { mapping.New[one, two]() },
		"has no field for Website":    func() { mapping.New[two, one]() },
		"to int":                      func() { mapping.New[one, other]() },
		"has a field Phone":           func() { mapping.New[one, one](mapping.Except("Phone")) },
		"has no field for Name of":    func() { mapping.New[two, two](mapping.Except("Website")); mapping.New[one, struct{}]() },
		"has no value for Address of": func() { mapping.New[one, struct{ Address string }]() },
	} {
		func() {
			defer func() {
				if told := fmt.Sprint(recover()); !strings.Contains(told, want) {
					t.Errorf("%q, and not %q", told, want)
				}
			}()
			made()
		}()
	}
}
