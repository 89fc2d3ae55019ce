package store

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

var criteriaSamples = []any{
	backoffice.NewIDs([]string{"a"}), backoffice.Span{From: 1, HasFrom: true}, backoffice.RelationsCriteria{AtLeast: 1},
	backoffice.VariableCriteria{Set: true, Key: "car", Text: "yes"},
	backoffice.VariableRange{Set: true, Key: "car", Most: 1},
	backoffice.NestedOf(backoffice.CustomerCriteria{City: "gent"}),
	backoffice.NestedOf(backoffice.TranscriptCriteria{ChecklistID: "a"}),
}

// unasked are the criteria of a noun that change nothing of its condition when each is set alone.
func unasked[T any, C comparable](of *table[T, C]) (fields []string) {
	condition := func(c C, d *Dialect) string { return fmt.Sprint(of.conditionOf(c, d), of.argumentsOf(c, d, nil)) }
	var none C
	for i := range reflect.TypeFor[C]().NumField() {
		var c C
		field := reflect.ValueOf(&c).Elem().Field(i)
		sample := slices.IndexFunc(criteriaSamples, func(s any) bool { return reflect.TypeOf(s) == field.Type() })
		switch {
		case sample >= 0:
			field.Set(reflect.ValueOf(criteriaSamples[sample]))
		case field.Kind() == reflect.String:
			field.SetString("abcd")
		case field.Kind() == reflect.Bool:
			field.SetBool(true)
		case field.CanInt():
			field.SetInt(1)
		default:
			field.SetUint(1)
		}
		for _, d := range []*Dialect{SQLite, Postgres} {
			if condition(c, d) == condition(none, d) {
				fields = append(fields, reflect.TypeFor[C]().Field(i).Name)
				break
			}
		}
	}
	return fields
}

func TestEveryCriterionIsAskedOfTheDatabase(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct{ unasked, elsewhere []string }{
		"customers":     {unasked(customerTable), []string{"Fuzzy"}}, // by mostSimilar
		"transcripts":   {unasked(transcriptTable), nil},
		"calculations":  {unasked(calculationTable), nil},
		"checklists":    {unasked(checklistTable), nil},
		"documents":     {unasked(documentTable), nil},
		"minfin":        {unasked(minfinTable), nil},
		"discrepancies": {unasked(discrepancyTable), nil},
		"relations":     {unasked(relationTable), []string{"Direction"}}, // by the end that is read under a customer
		"users":         {unasked(userTable), nil},
		"labels":        {unasked(labelTable), nil},
	} {
		if !slices.Equal(of.unasked, of.elsewhere) {
			t.Errorf("%s: %q are not asked of the database, not %q", name, of.unasked, of.elsewhere)
		}
	}
}

func TestACriterionThatIsForgottenIsFound(t *testing.T) {
	t.Parallel()
	for i := range checklistTable.criteria {
		broken := *checklistTable
		broken.criteria = slices.Delete(slices.Clone(broken.criteria), i, i+1)
		if found := unasked(&broken); len(found) != 1 {
			t.Errorf("criterion %d is forgotten, and %q are found", i, found)
		}
	}
}

func TestAlternativesThatDifferInOneValueAreAskedForAtOnce(t *testing.T) {
	t.Parallel()
	var users, mixed []backoffice.TranscriptCriteria
	for i := range backoffice.MaxAlternatives {
		user := fmt.Sprint("u", i)
		users = append(users, backoffice.TranscriptCriteria{ResponsibleID: user, IsCompleted: backoffice.Yes})
		mixed = append(mixed, backoffice.TranscriptCriteria{ResponsibleID: user, IsCompleted: backoffice.Tristate(i % 2)},
			backoffice.TranscriptCriteria{ChecklistID: user}, backoffice.TranscriptCriteria{ChecklistID: "c", CustomerID: user})
	}
	two := backoffice.TranscriptCriteria{ChecklistID: "c", CustomerID: "d"}
	for _, of := range []struct {
		alternatives []backoffice.TranscriptCriteria
		arms         int
	}{{users, 1}, {mixed, 4}, {append(mixed, two), 4}, {append(users, two), 2}} {
		arms := transcriptTable.merged(of.alternatives)
		values := 0
		for _, one := range arms {
			values += max(len(one.values), 1)
		}
		if len(arms) != of.arms || values != len(of.alternatives) {
			t.Errorf("%d alternatives are %d, with %d values", len(of.alternatives), len(arms), values)
		}
		for _, d := range []*Dialect{SQLite, Postgres} {
			c := backoffice.TranscriptCriteria{Any: backoffice.NestedOf(of.alternatives...)}
			text, args := transcriptTable.conditionOf(c, d), transcriptTable.argumentsOf(c, d, nil)
			if asked := strings.Count(text, "?"); asked != len(args) || asked > 2*of.arms {
				t.Errorf("%d arguments for %s", len(args), text)
			}
		}
	}
}
