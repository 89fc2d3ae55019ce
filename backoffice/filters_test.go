package backoffice_test

import (
	"reflect"
	"slices"
	"testing"

	"example.org/backoffice/backoffice"
)

// filterSamples are values of fields of filters that make a difference; a text is sampleText, but for those that are
// checked.
var (
	filterSamples = []any{
		new(true), new(3), new(backoffice.Instant(7)), []string{"a"}, new(backoffice.Company),
		new(backoffice.LegalForms()[0]), new(backoffice.Director), new(backoffice.Incoming), backoffice.SearchFuzzy,
		backoffice.TranscriptStatuses[:1], backoffice.CalculationStates[:1],
		&backoffice.CustomerFilter{City: new("Gent")}, []*backoffice.CustomerFilter{{City: new("Gent")}},
		&backoffice.TranscriptFilter{ChecklistID: new("a")}, []*backoffice.TranscriptFilter{{ChecklistID: new("a")}},
		&backoffice.TranscriptsCondition{Some: &backoffice.TranscriptFilter{ChecklistID: new("a")}},
		&backoffice.RelationsCondition{}, &backoffice.CustomVariableFilter{Key: "car", Equals: new("yes")},
	}
	sampleText  = "abcd"
	textSamples = map[string]string{
		"KboNumber": "0403170701", "AsOf": "2026-03-31", "RegistrationNumber": "85073003328", "SpouseRegistrationNumber": "85073003328",
	}
)

// forgotten are the fields of a filter that change nothing of its criteria when each is set beside base.
func forgotten[F any, C comparable](t *testing.T, base F, criteria func(*F) (C, error)) (fields []string) {
	t.Helper()
	var without C
	for i, field := range append([]reflect.StructField{{}}, reflect.VisibleFields(reflect.TypeFor[F]())...) {
		f := base
		if i > 0 {
			sample := slices.IndexFunc(filterSamples, func(s any) bool { return reflect.TypeOf(s) == field.Type })
			value := reflect.ValueOf(&sampleText)
			switch text, special := textSamples[field.Name]; {
			case special:
				value = reflect.ValueOf(&text)
			case sample >= 0:
				value = reflect.ValueOf(filterSamples[sample])
			}
			reflect.ValueOf(&f).Elem().FieldByIndex(field.Index).Set(value)
		}
		with, err := criteria(&f)
		switch {
		case err != nil && i > 0:
			t.Errorf("%T, %s: %v", f, field.Name, err)
		case i == 0:
			without = with
		case with == without:
			fields = append(fields, field.Name)
		}
	}
	return fields
}

func never[F any, C comparable](criteria func(*F) C) func(*F) (C, error) {
	return func(f *F) (C, error) { return criteria(f), nil }
}

func customerCriteria(f *backoffice.CustomerFilter) (backoffice.CustomerCriteria, error) {
	return f.Criteria(func(_ backoffice.PrivacyField, digits string) (string, error) { return digits, nil })
}

func TestEveryFilterThatIsSetIsACriterion(t *testing.T) {
	t.Parallel()
	for name, fields := range map[string][]string{
		"customers":    forgotten(t, backoffice.CustomerFilter{Search: new("search")}, customerCriteria),
		"transcripts":  forgotten(t, backoffice.TranscriptFilter{}, (*backoffice.TranscriptFilter).Criteria),
		"calculations": forgotten(t, backoffice.CalculationFilter{}, never((*backoffice.CalculationFilter).Criteria)),
		"checklists":   forgotten(t, backoffice.ChecklistFilter{}, never((*backoffice.ChecklistFilter).Criteria)),
		"documents":    forgotten(t, backoffice.CustomerDocumentFilter{}, never((*backoffice.CustomerDocumentFilter).Criteria)),
		"minfin":       forgotten(t, backoffice.MinfinDocumentFilter{}, never((*backoffice.MinfinDocumentFilter).Criteria)),
		"relations":    forgotten(t, backoffice.CustomerRelationFilter{}, never((*backoffice.CustomerRelationFilter).Criteria)),
		"users":        forgotten(t, backoffice.UserFilter{}, (*backoffice.UserFilter).Criteria),
		"a customer's transcripts": forgotten(t, backoffice.TranscriptsCondition{},
			func(c *backoffice.TranscriptsCondition) (backoffice.CustomerCriteria, error) {
				return customerCriteria(&backoffice.CustomerFilter{Transcripts: c})
			}),
		"a customer's relations": forgotten(t, backoffice.RelationsCondition{},
			func(c *backoffice.RelationsCondition) (backoffice.CustomerCriteria, error) {
				return customerCriteria(&backoffice.CustomerFilter{Relations: c})
			}),
	} {
		if len(fields) > 0 {
			t.Errorf("%s are filtered by nothing when %q are set", name, fields)
		}
	}
}

func TestAFilterThatIsForgottenIsFound(t *testing.T) {
	t.Parallel()
	of := reflect.TypeFor[backoffice.CustomerFilter]()
	for i := range of.NumField() {
		name := of.Field(i).Name
		found := forgotten(t, backoffice.CustomerFilter{}, func(f *backoffice.CustomerFilter) (backoffice.CustomerCriteria, error) {
			reflect.ValueOf(f).Elem().Field(i).SetZero()
			return customerCriteria(f)
		})
		if !slices.Contains(found, name) {
			t.Errorf("%s is forgotten, and %q are found", name, found)
		}
	}
}
