package graphqlhttp

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// oneFieldOfSubscription is the specification's rule that a subscription has one root field, which no directive leaves
// out. gqlparser's rule ignores aliases and directives.
var oneFieldOfSubscription = core.Rule{
	Name: "SingleFieldSubscriptions",
	RuleFunc: func(observers *core.Events, addError core.AddErrFunc) {
		observers.OnOperation(func(_ *core.Walker, operation *ast.OperationDefinition) {
			if operation.Operation != ast.Subscription {
				return
			}
			keys, visited := map[string]bool{}, map[string]bool{}
			var walk func(ast.SelectionSet)
			walk = func(set ast.SelectionSet) {
				for _, part := range set {
					switch part := part.(type) {
					case *ast.Field:
						keys[part.Alias] = true
						if len(keys) == 2 || strings.HasPrefix(part.Name, "__") {
							addError(core.Message("A subscription must have one non-introspection root field."),
								core.At(part.Position))
						}
						notLeftOut(part.Directives, addError)
					case *ast.InlineFragment:
						notLeftOut(part.Directives, addError)
						walk(part.SelectionSet)
					case *ast.FragmentSpread:
						notLeftOut(part.Directives, addError)
						if part.Definition != nil && !visited[part.Name] {
							visited[part.Name] = true
							walk(part.Definition.SelectionSet)
						}
					}
				}
			}
			walk(operation.SelectionSet)
		})
	},
}

func notLeftOut(directives ast.DirectiveList, addError core.AddErrFunc) {
	for _, d := range directives {
		if d.Name == "skip" || d.Name == "include" {
			addError(core.Message(`The root field of a subscription cannot have the directive "@%s".`, d.Name),
				core.At(d.Position))
		}
	}
}
