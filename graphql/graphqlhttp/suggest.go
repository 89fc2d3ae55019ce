package graphqlhttp

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"

	"example.org/backoffice/backoffice"
)

// longestMistyped bounds the work of a suggestion. No name of the schema is nearly as long.
const longestMistyped = 64

// didYouMean adds the most similar names of the schema to a message, by the rules of graphql-js. The schema is public.
// Nothing is compared for a fault that is not reported.
func didYouMean(typed string, names func() []string) core.ErrorOption {
	return func(fault *gqlerror.Error) {
		if len(typed) > longestMistyped {
			return
		}
		known := names()
		slices.Sort(known) // the order of equally similar ones
		core.SuggestListQuoted("Did you mean", typed, known)(fault)
	}
}

// suggestion is what didYouMean adds, for a value that is not the document's.
func suggestion(typed string, names func() []string) string {
	fault := gqlerror.Error{Message: "."}
	didYouMean(typed, names)(&fault)
	return strings.TrimSuffix(fault.Message, ".")
}

// orFragment does the same for a field that a type lacks. Of an interface it names the types that have it.
func orFragment(schema *ast.Schema, of *ast.Definition, typed string) core.ErrorOption {
	return func(fault *gqlerror.Error) {
		var types []string
		if of.IsAbstractType() {
			for _, one := range schema.GetPossibleTypes(of) {
				if one.Fields.ForName(typed) != nil {
					types = append(types, one.Name)
				}
			}
		}
		if slices.Sort(types); types != nil {
			core.Suggestf("to use an inline fragment on %s", core.QuotedOrList(types...))(fault)
			return
		}
		didYouMean(typed, func() []string { return namesOf(of.Fields) })(fault)
	}
}

func namesOf(fields ast.FieldList) (names []string) {
	for _, field := range fields {
		names = append(names, field.Name)
	}
	return names
}

func valuesOf(enum *ast.Definition) []string {
	return backoffice.Map(enum.EnumValues, func(v *ast.EnumValueDefinition) string { return v.Name })
}
