package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
)

// tally counts what happened by what is said about it, and puts rows aside that are left out.
type tally struct {
	counts, details map[string]int
	at              place
	rejects         *rejects // nil for nowhere
}

// place is the row that is being looked at.
type place struct {
	file, header, text string
	line               int
}

func newTally() *tally { return &tally{counts: map[string]int{}, details: map[string]int{}} }

// leaveOut counts the row and puts it aside.
func (t *tally) leaveOut(why string) error {
	t.add(t.at.file + ": left out, " + why)
	return t.rejects.put(t.at, why)
}

func (t *tally) add(what string)       { t.counts[what]++ }
func (t *tally) addDetail(what string) { t.details[what]++ }

// write prints the counts by name, then the ten most frequent details.
func (t *tally) write(w io.Writer) error {
	for _, what := range slices.Sorted(maps.Keys(t.counts)) {
		if _, err := fmt.Fprintf(w, "%8d  %s\n", t.counts[what], what); err != nil {
			return err
		}
	}
	details := slices.SortedFunc(maps.Keys(t.details), func(a, b string) int {
		return cmp.Or(t.details[b]-t.details[a], cmp.Compare(a, b))
	})
	for _, what := range details[:min(10, len(details))] {
		if _, err := fmt.Fprintf(w, "%8d    %s\n", t.details[what], what); err != nil {
			return err
		}
	}
	return nil
}
