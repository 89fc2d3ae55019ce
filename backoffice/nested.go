package backoffice

import (
	"slices"
	"unique"
)

// Bounds of filters within filters.
const (
	// MaxNesting is how deep any and not may be nested.
	MaxNesting      = 2
	MaxAlternatives = 50
)

// Nested are criteria within criteria, in their order. Equal ones are one value, so that criteria with them can be
// compared, and be the keys of maps. The zero value is none.
type Nested[C comparable] struct{ link unique.Handle[nestedLink[C]] }

type nestedLink[C comparable] struct {
	first C
	rest  Nested[C]
}

func NestedOf[C comparable](criteria ...C) (n Nested[C]) {
	for _, c := range slices.Backward(criteria) {
		n = Nested[C]{unique.Make(nestedLink[C]{c, n})}
	}
	return n
}

func (n Nested[C]) IsSet() bool { return n != Nested[C]{} }

func (n Nested[C]) List() (list []C) {
	for n.IsSet() {
		link := n.link.Value()
		list, n = append(list, link.first), link.rest
	}
	return list
}

// anyAndNot sets the criteria of a filter's any and not. level is how deep the filter is nested, of makes the criteria
// of a nested filter, and never reports whether nothing meets some. Errors: BadInput for more than MaxNesting levels or
// MaxAlternatives alternatives, and those of of.
func anyAndNot[F any, C comparable](
	alternatives []*F, excluded *F, level int, of func(f *F, level int) (C, error), never func(C) bool, anyOf,
	not *Nested[C], nothing *bool,
) error {
	if alternatives == nil && excluded == nil {
		return nil
	}
	if level == MaxNesting {
		return Errorf(BadInput, "any and not lie in each other at most %d levels deep", MaxNesting)
	}
	if len(alternatives) > MaxAlternatives {
		return Errorf(BadInput, "any has at most %d filters", MaxAlternatives)
	}
	var all C
	var possible []C
	met := alternatives == nil // by everything
	for _, f := range alternatives {
		c, err := of(f, level+1)
		if err != nil {
			return err
		}
		if met = met || c == all; !never(c) && !slices.Contains(possible, c) {
			possible = append(possible, c)
		}
	}
	switch {
	case met:
	case len(possible) == 0:
		*nothing = true
	default:
		*anyOf = NestedOf(possible...)
	}
	if excluded == nil {
		return nil
	}
	c, err := of(excluded, level+1)
	switch {
	case err != nil || never(c): // which excludes nobody
	case c == all:
		*nothing = true
	default:
		*not = NestedOf(c)
	}
	return err
}

type Span struct {
	From, To       Instant // From belongs to it, To does not
	HasFrom, HasTo bool
}

// spanOf is the span between two instants, of which either may be missing.
func spanOf(from, to *Instant) Span {
	return Span{From: wanted(from), To: wanted(to), HasFrom: from != nil, HasTo: to != nil}
}

func (s Span) Holds(at Instant) bool { return (!s.HasFrom || at >= s.From) && (!s.HasTo || at < s.To) }
