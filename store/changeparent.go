package store

import (
	"cmp"
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// An entry of the change log stores its parents in two texts: the identifiers, separated by blanks, and a letter for
// the noun of each. So an older program, which knows the identifiers alone, still finds what to evict from its cache.

// letters encode backoffice.ParentNouns. The first is for an unknown noun.
const letters = "-ykcut"

func letterOf(noun backoffice.Noun) byte {
	return letters[max(slices.Index(backoffice.ParentNouns[:], noun), 0)]
}

// letterOf is the letter for the noun of a parent p of an entry c of the change log.
func (d *Dialect) letterOf() string { return "substr(c.parent_nouns, " + d.placeOf + ", 1)" }

// parentsFrom decodes the two texts, in the order of the identifiers. The second is "" in the entries of older programs.
func parentsFrom(ids, nouns string) []backoffice.ChangeParent {
	list := split[string](ids)
	if list == nil {
		return nil
	}
	parents := make([]backoffice.ChangeParent, len(list))
	for i, id := range list {
		parents[i].ID = id
		if i < len(nouns) {
			if at := strings.IndexByte(letters, nouns[i]); at >= 0 {
				parents[i].Noun = backoffice.ParentNouns[at]
			}
		}
	}
	slices.SortFunc(parents, func(a, b backoffice.ChangeParent) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), strings.Compare(string(a.Noun), string(b.Noun)))
	})
	return parents
}
