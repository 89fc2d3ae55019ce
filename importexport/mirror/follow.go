package mirror

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
)

// touched is the state of a record according to the feed.
type touched struct {
	Deleted bool     `json:"deleted,omitempty"` // by its last entry
	Parents []parent `json:"parents,omitempty"` // it belonged or belongs to them
}

// open keeps a change that is not applied yet.
func (at *place) open(of backoffice.Noun, id string, t touched) {
	if at.Open[of] == nil {
		at.Open[of] = map[string]touched{}
	}
	at.Open[of][id] = t
}

// close drops a change that was applied.
func (at *place) close(of backoffice.Noun, id string) {
	if delete(at.Open[of], id); len(at.Open[of]) == 0 {
		delete(at.Open, of)
	}
}

// ids are the records with open changes that are, or are not, deletions, sorted.
func (at *place) ids(of backoffice.Noun, deleted bool) (ids []string) {
	for id, t := range at.Open[of] {
		if t.Deleted == deleted {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// take adds changes to the open ones.
func (at *place) take(found []change) {
	for _, c := range found {
		of, err := backoffice.ParseChangeNoun(c.Noun)
		if err != nil { // of a later version
			continue
		}
		t := at.Open[of][c.ID]
		t.Deleted = c.Action == backoffice.Deleted.APIName()
		t.Parents = append(slices.Clone(t.Parents), c.Parents...)
		at.open(of, c.ID, t)
	}
}

// follow applies the origin's changes to the store. done is false when a full walk is needed.
func (p *pulling) follow(ctx context.Context) (done bool, err error) {
	if p.place, err = p.notedPlace(ctx); err != nil || p.place == nil {
		return false, err
	}
	freed := true // deletions may have freed a unique value of a record that could not be loaded
	for range mostRounds {
		before, deleted := p.place.After, p.deleted()
		known, err := p.gather(ctx)
		if err != nil {
			return false, err
		}
		if !known {
			p.place, p.done = nil, map[backoffice.Noun]*Pulled{}
			return false, p.Store.NoteMirror(ctx, placeNote, nil)
		}
		if p.place.After == before && (!freed || len(p.place.Open) == 0) {
			break
		}
		if err := p.applyOpen(ctx); err != nil {
			return true, err
		}
		if err := p.notePlace(ctx); err != nil {
			return true, err
		}
		freed = p.deleted() > deleted
	}
	return true, p.endFollow(ctx)
}

// deleted counts the records that this run has deleted.
func (p *pulling) deleted() (n int) {
	for _, of := range p.done {
		n += of.Loaded.Deleted
	}
	return n
}

// gather reads all changes since the position. known is false when the feed has no such position, or too many.
func (p *pulling) gather(ctx context.Context) (known bool, err error) {
	short := 0 // pages that end where a customer came into the client's view, or left it
	for page := 0; page < mostPages && short < mostShort; page++ {
		found, end, known, err := p.news(ctx, page == 0)
		if err != nil || !known {
			return known, err
		}
		p.place.take(found)
		if len(found) == 0 && page > 0 || p.place.After >= end {
			return true, nil
		}
		if len(found) < feedPage-1 {
			short++
		}
	}
	return false, nil
}

// readUnread walks through a noun that the last full walk could not read.
func (p *pulling) readUnread(ctx context.Context, n *noun) error {
	done := p.of(n)
	done.seen = nil
	if err := p.walk(ctx, n); err != nil {
		return err
	}
	if done.seen == nil {
		done.Incomplete = whyUnread
	}
	if done.Incomplete != "" {
		return nil
	}
	p.place.Unread = slices.DeleteFunc(p.place.Unread, func(of backoffice.Noun) bool { return of == n.of })
	return p.notePlace(ctx)
}

// endFollow counts unchanged records, and checks whether the origin has more nouns by now.
func (p *pulling) endFollow(ctx context.Context) error {
	for _, n := range nouns {
		if p.mirror.Of(n.of) == nil {
			if err := p.walk(ctx, n); err != nil {
				return p.cut(n, err)
			}
			if p.of(n).Told { // its changes were not followed so far
				return p.Store.NoteMirror(ctx, placeNote, nil)
			}
			continue
		}
		if slices.Contains(p.place.Unread, n.of) {
			if err := p.readUnread(ctx, n); err != nil {
				return p.cut(n, err)
			}
		}
		here, err := n.count(ctx, p.Store)
		if err != nil {
			return err
		}
		done := p.of(n)
		done.Told, done.Missing = true, len(p.place.ids(n.of, true))
		unread := len(p.place.Open[n.of]) - done.Missing - done.Loaded.Rejected
		if unread > 0 && done.Incomplete == "" {
			done.Incomplete = fmt.Sprintf("%d changed records were not found", unread)
		}
		done.Loaded.Unchanged = max(0, here-done.Loaded.Created-done.Loaded.Updated)
	}
	if p.place.Proven {
		return nil
	}
	return p.prove(ctx)
}

// applyOpen applies the open changes: first the records that exist, then the deletions.
func (p *pulling) applyOpen(ctx context.Context) error {
	if err := p.stillMirrors(ctx); err != nil {
		return err
	}
	for _, n := range nouns {
		if p.mirror.Of(n.of) == nil {
			delete(p.place.Open, n.of)
			continue
		}
		done := p.of(n)
		done.Told, done.Incomplete, done.Rejected, done.Loaded.Rejected, done.Loaded.Reasons = true, "", nil, 0, nil
		if err := p.reread(ctx, n); err != nil {
			return err
		}
	}
	for _, n := range deletions() {
		if err := p.deleteTold(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// reread reads the open records of a noun that are not deleted, and loads them. One that it does not find stays open:
// a list may have been cut short, and if the record is gone the feed will report its deletion.
func (p *pulling) reread(ctx context.Context, n *noun) error {
	ids := p.place.ids(n.of, false)
	here, err := n.count(ctx, p.Store)
	if err != nil || len(ids) == 0 {
		return err
	}
	asked := time.Now()
	near, all := p.near(n, ids)
	if !all || len(near) > max(4, here/mostAPage+1) { // then its whole list is less work
		if err := p.walkAnew(ctx, n); err != nil {
			return err
		}
		seen := p.of(n).seen
		ids = slices.DeleteFunc(ids, func(id string) bool {
			_, is := seen[sumOf(id)]
			if is && !slices.Contains(p.of(n).unloaded, id) {
				p.place.close(n.of, id)
			}
			return is
		})
		if near, all = p.near(n, ids); !all {
			near = nil
		}
	}
	lists, err := readEach(near, func(at address) ([]record, error) { return p.readAt(ctx, at) })
	if err != nil {
		return err
	}
	found := map[string]record{}
	for _, r := range slices.Concat(lists...) {
		if _, wanted := slices.BinarySearch(ids, r.id()); wanted {
			found[r.id()] = r
		}
	}
	batch := slices.SortedFunc(maps.Values(found), func(a, b record) int { return strings.Compare(a.id(), b.id()) })
	unloaded, err := p.loadAll(ctx, n, batch)
	if err != nil {
		return err
	}
	if err := p.superseded(ctx, n, asked, batch); err != nil {
		return err
	}
	for id := range found {
		if !slices.Contains(unloaded, id) {
			p.place.close(n.of, id)
		}
	}
	return nil
}

// walkAnew walks through a noun from the beginning. reread reads by itself each changed record that the walk misses.
func (p *pulling) walkAnew(ctx context.Context, n *noun) error {
	for _, note := range []string{seenNote(n), walkNote(n)} {
		if err := p.Store.NoteMirror(ctx, note, nil); err != nil {
			return err
		}
	}
	p.of(n).seen, p.of(n).unloaded = nil, nil // of an earlier round
	err := p.walk(ctx, n)
	p.of(n).Incomplete = ""
	return err
}

// address is the address of a record, or of a list that has it.
type address struct {
	path  string
	query string // encoded
	list  bool
}

// near returns the addresses of records of a noun; all is false when only the noun's whole list has some of them.
func (p *pulling) near(n *noun, ids []string) (found []address, all bool) {
	for _, id := range ids {
		if n.object != "" && !n.head {
			found = append(found, address{path: n.object + url.PathEscape(id) + n.suffix})
			continue
		}
		before := len(found)
		for _, parent := range p.place.Open[n.of][id].Parents {
			of, err := backoffice.ParseChangeNoun(parent.Noun)
			if err != nil || n.below == nil || of != n.hangsOn {
				continue
			}
			path, query := n.below(parent.ID)
			found = append(found, address{path, query.Encode(), true})
		}
		if len(found) == before {
			return nil, false
		}
	}
	slices.SortFunc(found, func(a, b address) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.query, b.query))
	})
	return slices.Compact(found), true
}

// readAt reads the records at an address, none if they are not there.
func (p *pulling) readAt(ctx context.Context, at address) (found []record, err error) {
	if !at.list {
		r, err := p.readOne(ctx, at.path)
		if err != nil || r == nil {
			return nil, err
		}
		return []record{r}, nil
	}
	query, err := url.ParseQuery(at.query)
	if err != nil {
		return nil, err
	}
	_, err = p.eachPage(ctx, at.path, query, func(page []record) (more bool) {
		found = append(found, page...)
		return true
	})
	return found, err
}

// deleteTold deletes records whose deletion the feed reports and which are gone.
func (p *pulling) deleteTold(ctx context.Context, n *noun) error {
	ids := p.place.ids(n.of, true)
	if len(ids) == 0 {
		return nil
	}
	here, err := n.find(ctx, p.Store, ids) // some may have been deleted with their parent
	if err != nil {
		return err
	}
	gone, err := p.deleteGone(ctx, n, here, len(here))
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, is := here[id]; !is || slices.Contains(gone, id) {
			p.place.close(n.of, id)
		}
	}
	return nil
}
