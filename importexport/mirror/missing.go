package mirror

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/importexport"
)

func missingNote(n *noun) string { return string(n.of) + " missing" }

// missing are the records that a noun's walks have not seen: when a complete walk first missed each identifier.
type missing map[string]backoffice.Instant

func (p *pulling) missing(ctx context.Context, n *noun) (missing, error) {
	notes, err := p.Store.MirrorNotes(ctx, missingNote(n))
	known := missing{}
	if note := notes[missingNote(n)]; err == nil && note != nil {
		err = json.Unmarshal(note, &known)
	}
	return known, err
}

func (p *pulling) noteMissingOf(ctx context.Context, n *noun, known missing) error {
	if len(known) == 0 {
		return p.Store.NoteMirror(ctx, missingNote(n), nil)
	}
	return p.putNote(ctx, missingNote(n), known)
}

// noteMissing notes the records that a complete walk has not seen, and drops those that any walk has seen.
func (p *pulling) noteMissing(ctx context.Context, n *noun, w *walk) error {
	known, err := p.missing(ctx, n)
	if err != nil {
		return err
	}
	changed := false
	for id := range known {
		if _, seen := w.seen[sumOf(id)]; seen {
			delete(known, id)
			changed = true
		}
	}
	if w.Why == "" {
		now := missing{}
		here, err := n.count(ctx, p.Store)
		if err != nil {
			return err
		}
		if here != len(w.seen) || p.of(n).Loaded.Rejected > 0 { // else what is here is what was seen
			err = n.each(ctx, p.Store, func(ids []string) error {
				for _, id := range ids {
					if _, seen := w.seen[sumOf(id)]; !seen {
						now[id] = p.began
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		for id := range now {
			if first, before := known[id]; before {
				now[id] = first
			}
		}
		changed = changed || len(now) != len(known)
		known = now
	}
	p.of(n).Missing = len(known)
	if !changed && len(known) == 0 {
		return nil
	}
	return p.noteMissingOf(ctx, n, known)
}

// delete deletes records that two complete walks have missed and that the origin confirms are gone.
func (p *pulling) delete(ctx context.Context, n *noun) error {
	done := p.done[n.of]
	if done == nil || !done.Told || done.Incomplete != "" || done.Missing == 0 {
		return nil
	}
	known, err := p.missing(ctx, n)
	if err != nil {
		return err
	}
	twice := done.twice
	if done.sweep == nil {
		for id, first := range known {
			if first < p.began {
				twice = append(twice, id)
			}
		}
	}
	here, err := n.find(ctx, p.Store, twice) // some may have been deleted with their parent
	if err != nil || len(twice) == 0 {
		return err
	}
	gone, err := p.deleteGone(ctx, n, here, len(known))
	if err != nil || done.Incomplete != "" {
		return err
	}
	for _, id := range twice {
		if _, is := here[id]; !is {
			delete(known, id)
		}
	}
	for _, id := range gone {
		delete(known, id)
	}
	done.Missing = len(known)
	return p.noteMissingOf(ctx, n, known)
}

// deleteGone deletes and returns the records that the origin confirms are gone; none if too many are missing.
func (p *pulling) deleteGone(
	ctx context.Context, n *noun, here map[string]stored, missing int,
) (gone []string, err error) {
	done := p.of(n)
	total, err := n.count(ctx, p.Store)
	if err != nil {
		return nil, err
	}
	before := done.Loaded.Deleted
	if done.sweep != nil {
		before = done.sweep.Deleted
	}
	missing, total = missing+before, total+before
	if allowed := importexport.MostDeletions(total, p.AllowDeletions); len(here) > 0 && missing > allowed {
		done.Incomplete = fmt.Sprintf("%d of %d records no longer exist, and at most %d are deleted at a "+
			"time; --allow-deletions %d deletes them", missing, total, allowed, missing)
		return nil, nil
	}
	if n.object != "" && done.sample != "" {
		if is, err := p.isGone(ctx, n, stored{id: done.sample}); err != nil || is {
			done.Incomplete = "records are missing there, and it has no path to check them one by one"
			return nil, err
		}
	}
	var lines []byte
	for id, s := range here {
		if holds, err := p.holdsSeen(ctx, n, id); err != nil {
			return nil, err
		} else if holds {
			continue
		}
		is, err := p.isGone(ctx, n, s)
		if err != nil {
			return nil, err
		}
		if is {
			lines, gone = append(lines, deletionOf(id)...), append(gone, id)
		}
	}
	if done.sweep != nil && len(gone) > 0 { // noted first, so that a killed pull forgets nothing
		done.sweep.Deleted += len(gone)
		if err := p.putNote(ctx, sweepNote(n), done.sweep); err != nil {
			return nil, err
		}
	}
	if err := p.stillMirrors(ctx); err != nil {
		return nil, err
	}
	loaded, err := p.stream.Load(ctx, n.of, lines, false)
	if err != nil {
		return nil, err
	}
	done.add(loaded)
	if loaded.Rejected > 0 {
		gone = nil
	}
	return gone, nil
}

// isGone asks the origin for the object itself, or for a list that would have it.
func (p *pulling) isGone(ctx context.Context, n *noun, s stored) (bool, error) {
	if n.object != "" {
		method := http.MethodGet
		if n.head {
			method = http.MethodHead
		}
		status, err := p.origin.ask(ctx, method, n.object+url.PathEscape(s.id)+n.suffix, nil, answerTime, nothing)
		return status == http.StatusNotFound, err
	}
	path, query := n.path, url.Values{}
	if n.below != nil {
		path, query = n.below(s.parent)
	}
	for range asksForLists {
		has := false
		status, err := p.eachPage(ctx, path, query, func(page []record) (more bool) {
			has = slices.ContainsFunc(page, func(r record) bool { return r.id() == s.id })
			return !has
		})
		goneToo := status == http.StatusNotFound && n.below != nil // its parent
		if err != nil || has || status != http.StatusOK && !goneToo {
			return false, err
		}
	}
	return true, nil
}

// asksForLists is how often a list must lack an object that has no address of its own.
const asksForLists = 3

func nothing(*http.Response) error { return nil }
