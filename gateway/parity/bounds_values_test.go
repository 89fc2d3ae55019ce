package parity

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

// bounded is a noun with the values at the bounds of its fields, as JSON. Both come from the domain's table: a field of
// a new kind has no bounds, and a new rule may take none of them; the test then fails.
type bounded struct {
	file, typ string // its lines, and its type in GraphQL
	fields    []string
	values    map[string][]string
	words     map[string]bool
	free      map[string]bool // free-form objects, which are texts in tables
	version   bool
}

var (
	instantBounds = []string{
		"0001-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.001Z", "9999-12-31T23:59:59.999Z",
	}
	numberBounds = []string{"0", "-0.0", "100", "0.1", "5e-324", "1e308", "33.333333333333336"}
	jsonBounds   = []string{`{}`, `{"a":null}`, `{"𐍈":[1e400,-0,"＝1",{"b":[]}]}`, `{"a":12345678901234567890.10}`}
	textBounds   = []string{
		"a", strings.Repeat("𐍈", backoffice.MaxText), "=1+1", "+1", "-1", "@x", "\tx", "＝1", " x", "x ", `"'`, "\u00a0", "", "a\x00b",
		strings.Repeat("𐍈", backoffice.MaxText+1),
	}
	// formed are values of texts that have a form, and of words that the table does not list.
	formed = map[string][]string{
		"companyType": {"NV", "IN_OPRICHTING", "BV"},
		"color":       {"#000000", "#FFFFFF"}, "email": {"a@b.example", "=a@b.example"}, "language": {"french", "dutch", "english"},
		"startDate": {"0001", "1970", "9999", "1000-01-01", "2020-02-29"}, "endDate": {"1970", "9999", "9999-12-31", "2020-02-29"}, "dueDate": {"1000-01-01", "9999-12-31"},
		"sharePercent": {"0", "100", "33.3333", "0.0001"}, "votePercent": {"99.9999", "050.50", "0"}, "kboNumber": {"0200065765", "1000000021"},
		"phone": {"+32 9 251 11 11", "0"},
	}
)

func quoted(texts []string) (all []string) {
	for _, text := range texts {
		value, _ := json.Marshal(text)
		all = append(all, string(value))
	}
	return all
}

func boundsOf[T any, C comparable](t *testing.T, file, typ string, table *backoffice.Table[T, C]) *bounded {
	t.Helper()
	b := &bounded{file: file, typ: typ, values: map[string][]string{}, words: map[string]bool{}, free: map[string]bool{}, version: table.Version != nil}
	for i := range table.Fields {
		f := &table.Fields[i]
		if f.Refers != "" {
			continue // an identifier has no bounds but those of its noun
		}
		var values []string
		switch at := f.At.(type) {
		case func(*T) *backoffice.Text, func(*T) *string:
			values = append(quoted(formed[f.Name]), quoted(textBounds)...)
		case func(*T) *backoffice.Instant:
			values = quoted(instantBounds)
		case func(*T) *bool:
			values = []string{"false", "true"}
		case func(*T) *float64:
			values = numberBounds
		case func(*T) *backoffice.JSON:
			b.free[f.Name], values = true, jsonBounds
		case func(*T) *[]string:
			values = []string{"[]", `["checklist","annual-accounts"]`}
		case backoffice.Word[T]:
			b.words[f.Name] = true
			values = quoted(formed[f.Name])
			for _, word := range at.Known {
				if at.Label != nil {
					word = at.Label(word)
				}
				values = append(values, quoted([]string{word})...)
			}
		default:
			t.Errorf("%s.%s is of a kind without bounds", typ, f.Name)
		}
		if f.Optional {
			values = append(values, "null")
		}
		b.fields = append(b.fields, f.Name)
		b.values[f.Name] = values
	}
	if b.version {
		b.fields = append(b.fields, "version")
		b.values["version"] = []string{"1", "7", fmt.Sprint(backoffice.MaxVersion)}
	}
	return b
}

func allBounds(t *testing.T) []*bounded {
	return []*bounded{
		boundsOf(t, "labels", "Label", backoffice.LabelTable), boundsOf(t, "users", "User", backoffice.UserTable),
		boundsOf(t, "financialyears", "FinancialYear", backoffice.FinancialYearTable),
		boundsOf(t, "checklists", "Checklist", backoffice.ChecklistTable), boundsOf(t, "customers", "Customer", backoffice.CustomerTable),
		boundsOf(t, "relations", "CustomerRelation", backoffice.RelationTable),
		boundsOf(t, "transcripts", "Transcript", backoffice.TranscriptTable),
		boundsOf(t, "calculations", "Calculation", backoffice.CalculationTable),
		boundsOf(t, "documents", "CustomerDocument", backoffice.DocumentTable), boundsOf(t, "minfin", "MinfinDocument", backoffice.MinfinTable),
	}
}
