package execute

import (
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// planCache keeps the plans of operations while the handler keeps their documents: its key is an operation's address,
// not its text. When the plans take more than about limit bytes, it forgets them all.
type planCache struct {
	limit int

	mu    sync.Mutex
	bytes int
	known map[*ast.OperationDefinition]*plans
}

type plans struct {
	conditions []string // the variables in @skip and @include
	byValues   map[string]*plan
	bytes      int
}

// find returns the plan for an operation with these variables, or nil, and the key for put.
func (c *planCache) find(operation *graphql.OperationContext) (p *plan, conditions []string, values string) {
	c.mu.Lock()
	if known := c.known[operation.Operation]; known != nil {
		defer c.mu.Unlock()
		values = valuesOf(known.conditions, operation.Variables)
		return known.byValues[values], known.conditions, values
	}
	c.mu.Unlock()
	conditions = conditionsOf(operation)
	return nil, conditions, valuesOf(conditions, operation.Variables)
}

// put keeps a plan unless its document has no text.
func (c *planCache) put(operation *graphql.OperationContext, conditions []string, values string, p *plan) {
	if operation.RawQuery == "" {
		return
	}
	bytes := p.bytes + 2*len(operation.RawQuery)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes += bytes; c.known == nil || c.bytes > c.limit {
		c.known, c.bytes = map[*ast.OperationDefinition]*plans{}, bytes
	}
	of := c.known[operation.Operation]
	if of == nil {
		of = &plans{conditions: conditions, byValues: map[string]*plan{}}
		c.known[operation.Operation] = of
	}
	of.bytes += bytes
	of.byValues[values] = p
}

// forget drops the plans of an operation that will not be executed again.
func (c *planCache) forget(operation *ast.OperationDefinition) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if of := c.known[operation]; of != nil {
		c.bytes -= of.bytes
		delete(c.known, operation)
	}
}

func valuesOf(conditions []string, variables map[string]any) string {
	if len(conditions) == 0 {
		return ""
	}
	key := make([]byte, len(conditions))
	for i, name := range conditions {
		switch value, isBool := variables[name].(bool); {
		case !isBool:
			key[i] = '?'
		case value:
			key[i] = '1'
		default:
			key[i] = '0'
		}
	}
	return string(key)
}

func conditionsOf(operation *graphql.OperationContext) []string {
	var names []string
	seen := map[string]bool{}
	note := func(directives ast.DirectiveList) {
		for _, d := range directives {
			if d.Name != "skip" && d.Name != "include" {
				continue
			}
			if value := d.Arguments.ForName("if").Value; value.Kind == ast.Variable && !seen[value.Raw] {
				seen[value.Raw] = true
				names = append(names, value.Raw)
			}
		}
	}
	var walk func(set ast.SelectionSet)
	walk = func(set ast.SelectionSet) {
		for _, part := range set {
			switch part := part.(type) {
			case *ast.Field:
				note(part.Directives)
				walk(part.SelectionSet)
			case *ast.InlineFragment:
				note(part.Directives)
				walk(part.SelectionSet)
			case *ast.FragmentSpread:
				note(part.Directives)
			}
		}
	}
	walk(operation.Operation.SelectionSet)
	for _, fragment := range operation.Doc.Fragments {
		walk(fragment.SelectionSet)
	}
	return names
}
