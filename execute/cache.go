package execute

import (
	"container/list"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// planCache keeps plans by the text of their document, the operation's name and what @skip and @include come to.
// It holds at most limit bytes and drops what was used longest ago. A document without a text is not to be kept.
type planCache struct {
	mu    sync.Mutex
	limit int
	bytes int
	texts map[text]*list.Element // of *document
	used  list.List
}

// text tells which operation of which document is meant.
type text struct{ query, operation string }

// document is an operation with its plans: one for each combination of conditions that was asked for.
type document struct {
	text       text
	conditions []string // the variables that @skip and @include look at
	plans      map[string]*plan
	bytes      int
}

func newPlanCache(limit int) *planCache {
	return &planCache{limit: limit, texts: map[text]*list.Element{}}
}

// find returns the plan for an operation with these variables, or nil, and the key under which to put it.
func (c *planCache) find(operation *graphql.OperationContext) (*plan, planKey) {
	t := text{operation.RawQuery, operation.Operation.Name}
	c.mu.Lock()
	element := c.texts[t]
	if element != nil {
		c.used.MoveToFront(element)
		d := element.Value.(*document)
		key := planKey{t, d.conditions, values(d.conditions, operation.Variables)}
		p := d.plans[key.values]
		c.mu.Unlock()
		return p, key
	}
	c.mu.Unlock()
	conditions := conditionsOf(operation)
	return nil, planKey{t, conditions, values(conditions, operation.Variables)}
}

type planKey struct {
	text       text
	conditions []string
	values     string
}

func (c *planCache) put(key planKey, p *plan) {
	if key.text.query == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	element := c.texts[key.text]
	if element == nil {
		d := &document{text: key.text, conditions: key.conditions, plans: map[string]*plan{}, bytes: 2 * len(key.text.query)}
		c.bytes += d.bytes
		element = c.used.PushFront(d)
		c.texts[key.text] = element
	}
	d := element.Value.(*document)
	if d.plans[key.values] == nil {
		d.plans[key.values] = p
		d.bytes += p.bytes
		c.bytes += p.bytes
	}
	for c.bytes > c.limit && c.used.Len() > 0 {
		last := c.used.Back()
		old := last.Value.(*document)
		c.bytes -= old.bytes
		delete(c.texts, old.text)
		c.used.Remove(last)
	}
}

// values writes what the conditions come to.
func values(conditions []string, variables map[string]any) string {
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

// conditionsOf finds the variables in @skip and @include of the operation and of all fragments.
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
