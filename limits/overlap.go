package limits

import "github.com/vektah/gqlparser/v2/ast"

// comparing plays the validator's search for fields that cannot be merged ("OverlappingFieldsCanBeMerged", gqlparser
// v2.5.64) through without types, so that it counts at least every comparison that the real one makes. The order and
// the memories are those of the original; what is refused here would have cost far more there.
type comparing struct {
	limit, steps int
	fragments    map[string]*ast.FragmentDefinition
	sets         map[setKey]*fieldSet
	pairs        map[[2]string]bool
	joins        map[join]bool
}

type setKey struct {
	first *ast.Selection
	n     int
}

type join struct {
	set      *fieldSet
	fragment string
}

// fieldSet is the fields of one selection set by response name, inline fragments included, and its spreads.
type fieldSet struct {
	fields  map[string][]*ast.Field
	spreads []string
}

func (c *comparing) full() bool { return c.steps > c.limit }

func (c *comparing) set(selections ast.SelectionSet) *fieldSet {
	key := setKey{n: len(selections)}
	if key.n > 0 {
		key.first = &selections[0]
	}
	if known := c.sets[key]; known != nil {
		return known
	}
	set := &fieldSet{}
	set.collect(selections)
	c.sets[key] = set
	return set
}

func (f *fieldSet) collect(selections ast.SelectionSet) {
	for _, selection := range selections {
		switch selection := selection.(type) {
		case *ast.Field:
			if f.fields == nil {
				f.fields = make(map[string][]*ast.Field, len(selections))
			}
			f.fields[selection.Alias] = append(f.fields[selection.Alias], selection)
		case *ast.InlineFragment:
			f.collect(selection.SelectionSet)
		case *ast.FragmentSpread:
			f.spreads = append(f.spreads, selection.Name)
		}
	}
}

// everywhere compares within a selection set and within every one below it.
func (c *comparing) everywhere(selections ast.SelectionSet) {
	if c.full() || len(selections) == 0 {
		return
	}
	c.within(selections)
	for _, selection := range selections {
		switch selection := selection.(type) {
		case *ast.Field:
			c.everywhere(selection.SelectionSet)
		case *ast.InlineFragment:
			c.everywhere(selection.SelectionSet)
		}
	}
}

func (c *comparing) within(selections ast.SelectionSet) {
	set := c.set(selections)
	for _, fields := range set.fields {
		for i, a := range fields {
			for _, b := range fields[i+1:] {
				if c.fields(a, b); c.full() {
					return
				}
			}
		}
	}
	for i, a := range set.spreads {
		c.setAndFragment(set, a)
		for _, b := range set.spreads[i+1:] {
			if c.twoFragments(a, b); c.full() {
				return
			}
		}
	}
}

func (c *comparing) fields(a, b *ast.Field) {
	c.steps += 1 + len(a.Arguments)*len(b.Arguments) + weightOf(a.Arguments) + weightOf(b.Arguments)
	if c.full() || len(a.SelectionSet) == 0 && len(b.SelectionSet) == 0 {
		return
	}
	setA, setB := c.set(a.SelectionSet), c.set(b.SelectionSet)
	c.between(setA, setB)
	for _, spread := range setB.spreads {
		c.setAndFragment(setA, spread)
	}
	for _, spread := range setA.spreads {
		c.setAndFragment(setB, spread)
	}
	for _, spreadA := range setA.spreads {
		for _, spreadB := range setB.spreads {
			if c.twoFragments(spreadA, spreadB); c.full() {
				return
			}
		}
	}
}

func (c *comparing) between(a, b *fieldSet) {
	c.steps += 1 + len(a.fields)
	for name, fieldsA := range a.fields {
		fieldsB := b.fields[name]
		for _, fieldA := range fieldsA {
			for _, fieldB := range fieldsB {
				if c.fields(fieldA, fieldB); c.full() {
					return
				}
			}
		}
	}
}

func (c *comparing) setAndFragment(set *fieldSet, name string) {
	c.steps++
	fragment := c.fragments[name]
	if c.full() || fragment == nil || c.joins[join{set, name}] {
		return
	}
	c.joins[join{set, name}] = true
	other := c.set(fragment.SelectionSet)
	if other == set {
		return
	}
	c.between(set, other)
	for _, spread := range other.spreads {
		if c.setAndFragment(set, spread); c.full() {
			return
		}
	}
}

func (c *comparing) twoFragments(a, b string) {
	c.steps++
	if a == b || c.full() {
		return
	}
	key := [2]string{min(a, b), max(a, b)}
	fragmentA, fragmentB := c.fragments[a], c.fragments[b]
	if fragmentA == nil || fragmentB == nil || c.pairs[key] {
		return
	}
	c.pairs[key] = true
	setA, setB := c.set(fragmentA.SelectionSet), c.set(fragmentB.SelectionSet)
	c.between(setA, setB)
	for _, spread := range setB.spreads {
		if c.twoFragments(a, spread); c.full() {
			return
		}
	}
	for _, spread := range setA.spreads {
		if c.twoFragments(spread, b); c.full() {
			return
		}
	}
}
