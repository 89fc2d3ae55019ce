package cache

import (
	"context"

	"example.org/backoffice/backoffice"
)

// What a restricted credential may see is part of its queries, so no two of them share a list or a total. They share
// rows with everybody: whether a row is visible is an answer of its own, which is checked first.

// restricted is the restriction of the caller, with the nouns that decide what is visible.
type restricted struct {
	to   backoffice.Restriction
	goes nounSet
}

func restrictedIn(ctx context.Context) restricted {
	r := backoffice.RestrictionOf(ctx)
	if !r.IsSet() {
		return restricted{}
	}
	goes := nounSet(1 << customers)
	for _, f := range r.Alternatives() {
		if len(f.Labels) > 0 {
			goes |= 1<<users | 1<<labels
		}
		if len(f.Years) > 0 {
			goes |= 1<<transcripts | 1<<years
		}
	}
	return restricted{r, goes}
}

func (r restricted) isSet() bool { return r.to != backoffice.Restriction{} }

type askedWithin struct {
	to       backoffice.Restriction
	question any
}

func (r restricted) question(of any) any {
	if !r.isSet() {
		return of
	}
	return askedWithin{r.to, of}
}

// depends are the nouns on which an answer depends: with a restriction on whole nouns, though it is about one parent.
func (r restricted) depends(of nounSet, noun int) nounSet {
	if !r.isSet() {
		return of
	}
	return of | r.goes | 1<<noun
}

// isVisible is the query whether a record exists for a restricted caller.
type isVisible struct{}
