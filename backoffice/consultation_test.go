package backoffice_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
)

func TestTheWordsOfTheDomainAreThoseOfTheSchema(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../schema.graphqls")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	languages := []backoffice.LabelLanguage{backoffice.LabelDutch, backoffice.LabelFrench, backoffice.LabelGerman, backoffice.LabelEnglish}
	for enum, words := range map[string][]string{
		"CustomerType": textsOf(backoffice.CustomerTypes), "RelationKind": textsOf(backoffice.RelationKinds), "LegalForm": textsOf(backoffice.LegalForms()),
		"TranscriptStatus": textsOf(backoffice.TranscriptStatuses), "CalculationState": textsOf(backoffice.CalculationStates),
		"LabelLanguage": textsOf(languages), "PrivacyField": textsOf(backoffice.AllPrivacyFields), "PrivacyOperation": textsOf(backoffice.AllPrivacyOperations),
	} {
		var published []string
		for _, value := range schema.Types[enum].EnumValues {
			published = append(published, value.Name)
		}
		if diff := cmp.Diff(published, words); diff != "" {
			t.Errorf("%s: %s", enum, diff)
		}
	}
}

func textsOf[S ~string](words []S) []string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(word)
	}
	return texts
}
