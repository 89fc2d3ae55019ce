package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// note is what the feed has to tell of something that was acknowledged: it was sent as a checker's step from, and its
// answer came in step to.
type note struct {
	id, action string
	which      int // of the UPDATED of one record, from 1
	from, to   int
}

// follower pages the change feed from before a fault until all is well, by GraphQL and REST in turn.
type follower struct {
	*checker
	after string           // the cursor of the last change
	began int              // the number of the last change before
	last  int              // that was told
	told  map[string][]int // the numbers of the changes of a record and action
	pages int
}

type change struct {
	Cursor, ObjectID, ID, Action string // ID is what REST calls ObjectID
	Sequence                     int
}

// begin notes where the feed ends.
func (f *follower) begin() error {
	var found struct{ Changes struct{ LatestCursor string } }
	if err := f.client.Decode(&found, `{ changes(first: 0) { latestCursor } }`, nil); err != nil {
		return fmt.Errorf("the feed cannot be followed: %w", err)
	}
	f.after, f.told = found.Changes.LatestCursor, map[string][]int{}
	_, number, _ := strings.Cut(f.after, ".")
	var err error
	f.began, err = strconv.Atoi(number)
	f.last = f.began
	return err
}

func (f *follower) run(until <-chan struct{}) {
	for {
		select {
		case <-until:
			return
		default:
		}
		if n, _ := f.page(); n == 0 {
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// page reads the next page.
func (f *follower) page() (changes int, ok bool) {
	f.pages++
	var page []change
	if f.pages%2 == 0 {
		var found struct{ Changes struct{ Nodes []change } }
		ok = f.answered(&found, `query($after: String!) { changes(after: $after, first: 50) { nodes { cursor sequence objectId action } } }`, map[string]any{"after": f.after})
		page = found.Changes.Nodes
	} else {
		a, err := f.asks().Get("/changes?limit=50&after=" + f.after)
		var found struct{ Changes []change }
		if ok = f.rest(a, err, http.StatusOK); ok {
			if err := json.Unmarshal(a.Body, &found); err != nil {
				f.of.addf(&f.of.wrong, "a page of changes is %.200s", a.Body)
				return 0, false
			}
		}
		page = found.Changes
	}
	for _, c := range page {
		if c.Sequence <= f.last {
			f.of.addf(&f.of.gaps, "change %d is told after change %d", c.Sequence, f.last)
		}
		key := c.ObjectID + c.ID + " " + c.Action
		f.told[key] = append(f.told[key], c.Sequence)
		f.after, f.last = c.Cursor, c.Sequence
	}
	return len(page), ok
}

// finish reads to the end of the feed, and looks whether it told all that was acknowledged, once, in order.
func (f *follower) finish(checkers []*checker) {
	if !patiently(func() bool {
		for {
			if n, ok := f.page(); !ok || n == 0 {
				return ok
			}
		}
	}) {
		f.of.addf(&f.of.gaps, "the feed cannot be read to its end after %s", f.after)
		return
	}
	for _, w := range checkers {
		for i, id := range w.ids {
			if told, made := len(f.told[id+" UPDATED"]), w.versions[i]-w.begun[i]; told != made {
				f.of.addf(&f.of.gaps, "%d changes of a customer are told, of %d", told, made)
			}
		}
		f.follows(w)
	}
}

// follows looks for what one checker was answered: what was acknowledged before something else was sent is told first.
func (f *follower) follows(w *checker) {
	type placed struct {
		note
		at int
	}
	var all []placed
	for _, n := range w.notes {
		switch told := f.told[n.id+" "+n.action]; {
		case n.action == "UPDATED" && n.which <= len(told):
			all = append(all, placed{n, told[n.which-1]})
		case n.action != "UPDATED" && len(told) == 1:
			all = append(all, placed{n, told[0]})
		default:
			f.of.addf(&f.of.gaps, "%s of %s (%d) is told %d times", n.action, n.id, n.which, len(told))
		}
	}
	byEnd := slices.SortedFunc(slices.Values(all), func(a, b placed) int { return a.to - b.to })
	slices.SortFunc(all, func(a, b placed) int { return a.from - b.from })
	newest := 0 // among what was answered before
	for _, n := range all {
		for len(byEnd) > 0 && byEnd[0].to < n.from {
			newest, byEnd = max(newest, byEnd[0].at), byEnd[1:]
		}
		if n.at <= newest {
			f.of.addf(&f.of.gaps, "%s of %s is told as change %d, after %d, which was acknowledged before it was sent", n.action, n.id, n.at, newest)
		}
	}
}

// numbered looks whether the numbers of the log go on without a gap.
func (s *environment) numbered(after int) error {
	out, err := s.office.Run("changes", "list", "--format", "jsonl", "--after", strconv.Itoa(after))
	if err != nil {
		return err
	}
	for line := range bytes.Lines(out) {
		var c change
		if err := json.Unmarshal(line, &c); err != nil {
			return err
		}
		if c.Sequence != after+1 {
			s.noted.addf(&s.noted.gaps, "change %d of the log comes after %d", c.Sequence, after)
		}
		after = c.Sequence
	}
	return nil
}
