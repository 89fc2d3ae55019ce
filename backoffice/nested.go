package backoffice

import (
	"slices"
	"unique"
)

const (
	MaxNesting      = 2  // levels of any and not
	MaxAlternatives = 50 // filters in an any
)

// Nested is an ordered list of criteria. Equal lists are one value, so criteria that contain them can be compared and
// used as map keys. The zero value is empty.
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
// of a nested filter, and never reports whether no row can match them. BadInput for more than MaxNesting levels or
// MaxAlternatives alternatives; other errors are from of.
func anyAndNot[F any, C comparable](
	alternatives []*F, excluded *F, level int, of func(f *F, level int) (C, error), never func(C) bool, anyOf,
	not *Nested[C], nothing *bool,
) error {
	if alternatives == nil && excluded == nil {
		return nil
	}
	if level == MaxNesting {
		return Errorf(BadInput, "any and not can be nested at most %d levels deep", MaxNesting)
	}
	if len(alternatives) > MaxAlternatives {
		return Errorf(BadInput, "any has at most %d filters", MaxAlternatives)
	}
	var all C
	var possible []C
	met := alternatives == nil // by every row
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
	case err != nil || never(c): // excludes nothing
	case c == all:
		*nothing = true
	default:
		*not = NestedOf(c)
	}
	return err
}

type Span struct {
	From, To       Instant // From is inside, To is outside
	HasFrom, HasTo bool
}

// spanOf returns the span between two instants. nil leaves that end open.
func spanOf(from, to *Instant) Span {
	return Span{From: wanted(from), To: wanted(to), HasFrom: from != nil, HasTo: to != nil}
}

func (s Span) Holds(at Instant) bool { return (!s.HasFrom || at >= s.From) && (!s.HasTo || at < s.To) }
