package store

import (
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// An entry of the change log keeps its parents in two texts: the identifiers, parted by blanks, and a letter for the
// noun of each. So a program of before, which knows the identifiers alone, still finds what an entry drops from its
// memory.

// letters stand for backoffice.ParentNouns. The first is for a noun that nobody told.
const letters = "-ykcut"

func parentIDs(c *backoffice.Change) string {
	var b strings.Builder
	for i, parent := range c.Parents {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(parent.ID)
	}
	return b.String()
}

func parentLetters(c *backoffice.Change) string {
	text := make([]byte, len(c.Parents))
	for i, parent := range c.Parents {
		text[i] = letterOf(parent.Noun)
	}
	return string(text)
}

func letterOf(noun backoffice.Noun) byte {
	return letters[max(slices.Index(backoffice.ParentNouns[:], noun), 0)]
}

// parentsFrom reads the two texts. The second is "" in the entries of programs that did not tell.
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
	return parents
}
