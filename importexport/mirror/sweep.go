package mirror

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"example.org/backoffice/backoffice"
)

// Dependents of customers that the origin lists in no other way are read customer by customer: changed customers by the
// next pull, and all others in a sweep, of which each pull does enough to finish within a day.

const (
	sweepTime = 24 * time.Hour
	// sweepStep is how many customers a sweep reads between two notes of its progress.
	sweepStep = 100
)

// sweep is the progress of a sweep of all customers.
type sweep struct {
	Sweeps  int                `json:"sweeps"`  // that are complete
	Whole   backoffice.Instant `json:"whole"`   // when the last complete one began
	Began   backoffice.Instant `json:"began"`   // when this one did
	Ran     backoffice.Instant `json:"ran"`     // when it last continued
	Cursor  string             `json:"cursor"`  // the last customer read; "" at the beginning of a sweep
	Logged  int64              `json:"logged"`  // changes of customers up to this one of the store's log were read
	Again   []string           `json:"again"`   // customers whose lists could not be read
	Deleted int                `json:"deleted"` // by this sweep: the bound is for all of it
}

func sweepNote(n *noun) string { return string(n.of) + " sweep" }

// due are the customers to read now: those after the cursor, and, when it wraps around, the first ones.
func (r *sweep) due(ids []string, now backoffice.Instant) (behind, first []string) {
	from, found := slices.BinarySearch(ids, r.Cursor)
	if found {
		from++
	}
	if r.Sweeps == 0 { // the first sweep goes as fast as the budget allows
		return ids[from:], nil
	}
	share := float64(now.Time().Sub(r.Ran.Time())) / float64(sweepTime)
	count := max(0, min(len(ids), int(math.Ceil(share*float64(len(ids)))))) // a clock may be put back
	behind = ids[from:min(from+count, len(ids))]
	return behind, ids[:min(count-len(behind), from)]
}

// sweep reads the records of a noun that belong to the customers that are due or changed.
func (p *pulling) sweep(ctx context.Context, n *noun) error {
	notes, err := p.Store.MirrorNotes(ctx, sweepNote(n))
	if err != nil {
		return err
	}
	at := &sweep{Began: p.began}
	if note := notes[sweepNote(n)]; note != nil && json.Unmarshal(note, at) != nil {
		at = &sweep{Began: p.began}
	}
	changed, end, err := p.changedCustomers(ctx, at.Logged)
	if err != nil {
		return err
	}
	if notes[sweepNote(n)] == nil { // the first sweep reads them all
		at.Logged = end
	}
	changed = slices.Compact(slices.Sorted(slices.Values(append(changed, at.Again...))))
	var ids []string
	err = nounOf(backoffice.NounCustomer).each(ctx, p.Store, func(page []string) error {
		ids = append(ids, page...)
		return nil
	})
	if err != nil || len(ids) == 0 {
		p.of(n).Told = p.mirror.Of(n.of) != nil
		return err
	}
	slices.Sort(ids)
	if at.Cursor > ids[len(ids)-1] { // its last customer was deleted
		at.next(p.began)
	}
	t := &portion{pulling: p, n: n, now: missing{}, failed: map[string]bool{}}
	if t.known, err = p.missing(ctx, n); err != nil {
		return err
	}
	behind, first := at.due(ids, p.began)
	steps := slices.Collect(slices.Chunk(behind, sweepStep))
	for _, step := range slices.AppendSeq(steps, slices.Chunk(first, sweepStep)) {
		if told, err := t.read(ctx, step); err != nil || !told {
			return err
		}
		at.Cursor, at.Ran = step[len(step)-1], p.began
		at.Again = t.again(at.Again, step)
		if at.Cursor == ids[len(ids)-1] {
			at.next(p.began)
		}
		if err := p.putNote(ctx, sweepNote(n), at); err != nil {
			return err
		}
	}
	due := slices.Concat(behind, first)
	changed = slices.DeleteFunc(changed, func(id string) bool {
		_, is := slices.BinarySearch(ids, id)
		return !is || slices.Contains(due, id)
	})
	for step := range slices.Chunk(changed, sweepStep) {
		if told, err := t.read(ctx, step); err != nil || !told {
			return err
		}
		at.Again = t.again(at.Again, step)
	}
	at.Logged = end
	if err := p.putNote(ctx, sweepNote(n), at); err != nil {
		return err
	}
	p.of(n).Told, p.of(n).sweep = true, at
	return t.end(ctx)
}

// next ends a sweep, and begins another.
func (r *sweep) next(now backoffice.Instant) {
	r.Sweeps, r.Whole, r.Began, r.Cursor, r.Deleted = r.Sweeps+1, r.Began, now, "", 0
}

// changedCustomers returns the customers written here after a position of the change log, by any pull, and its end.
func (p *pulling) changedCustomers(ctx context.Context, after int64) (ids []string, end int64, err error) {
	for {
		page, err := p.Store.Changes(ctx, after, 1000)
		if err != nil || len(page) == 0 {
			return ids, after, err
		}
		for _, c := range page {
			if after = c.Sequence; c.Noun == backoffice.NounCustomer && c.Done != backoffice.Deleted {
				ids = append(ids, c.ObjectID)
			}
		}
	}
}

// portion is one pull's part of a sweep.
type portion struct {
	*pulling
	n          *noun
	known, now missing // by earlier pulls, and by this one
	failed     map[string]bool
}

// again are the customers that the next pull must read again, after some more were read.
func (t *portion) again(before, read []string) (ids []string) {
	ids = slices.DeleteFunc(before, func(id string) bool { return slices.Contains(read, id) })
	for _, id := range read {
		if t.failed[id] {
			ids = append(ids, id)
		}
	}
	return ids
}

// read reads and loads the dependents of some customers. told is false when the origin has no such lists.
func (t *portion) read(ctx context.Context, customers []string) (told bool, err error) {
	lists, err := readEach(customers, func(id string) (*below, error) { return t.readBelow(ctx, id) })
	if err != nil {
		return false, err
	}
	var records []record
	told = t.mirror.Of(t.n.of) != nil
	for i, list := range lists {
		if list.failed != nil {
			t.failed[customers[i]] = true
			if err := t.leaveOut(t.n, "customer "+customers[i], list.failed); err != nil {
				return false, err
			}
			told = true
		}
		if list.status != http.StatusOK {
			continue
		}
		if !list.whole {
			t.failed[customers[i]] = true
			t.of(t.n).leave(fmt.Sprintf("customer %s: its list does not match its total, "+
				"or has a record without an identifier", customers[i]))
		}
		told = true
		records = append(records, list.records...)
	}
	if !told {
		return t.of(t.n).Told, nil
	}
	if err := t.mirrors(ctx, t.n); err != nil {
		return false, err
	}
	if _, err := t.loadAll(ctx, t.n, records); err != nil {
		return false, err
	}
	t.of(t.n).Pages += len(lists)
	for i, list := range lists {
		if err := t.compare(ctx, customers[i], list); err != nil {
			return false, err
		}
	}
	return true, nil
}

// below is a customer's list.
type below struct {
	records []record
	status  int
	whole   bool // as many as its total says
	unnamed int  // without an identifier
	failed  error
}

// readBelow reads the list of a customer. It requests the first page like the specification, without a page number.
func (t *portion) readBelow(ctx context.Context, customer string) (*below, error) {
	path, query := t.n.below(customer)
	list, ids := &below{}, map[string]bool{}
	for number := 1; ; number++ {
		if number > 1 {
			query.Set("page", strconv.Itoa(number))
		}
		got, status, err := t.origin.list(ctx, path, query)
		if err != nil || status != http.StatusOK {
			return &below{status: status, failed: err}, ctx.Err()
		}
		for _, r := range got.Data {
			if t.n.of == backoffice.NounDocument && r.text("customer") == "" {
				r["customer"] = textOf(customer)
			}
			list.records, ids[r.id()] = append(list.records, r), true
		}
		list.unnamed += len(got.unnamed)
		list.status, list.whole = status, len(ids) == *got.Total && len(list.records) == *got.Total
		if got.size() == 0 || len(list.records)+list.unnamed >= *got.Total {
			return list, nil
		}
	}
}

// compare notes the customer's dependents here that are not in its list, or whose list is gone and the customer not.
func (t *portion) compare(ctx context.Context, customer string, list *below) error {
	_, seen := t.of(nounOf(backoffice.NounCustomer)).seen[sumOf(customer)]
	gone := seen && list.status != http.StatusOK && list.failed == nil
	if !list.whole && !gone {
		return nil
	}
	there := map[string]bool{}
	for _, r := range list.records {
		there[r.id()] = true
		delete(t.known, r.id())
	}
	for _, h := range dependents[backoffice.NounCustomer] {
		if h.of != t.n.of {
			continue
		}
		here, err := h.ids(ctx, t.Store, customer)
		if err != nil {
			return err
		}
		if gone && len(here) > 0 && !t.failed[customer] {
			t.failed[customer] = true
			t.of(t.n).leave(fmt.Sprintf("customer %s: its list returned %d", customer, list.status))
		}
		for _, id := range here {
			if !there[id] && !gone {
				t.now[id] = t.began
			}
		}
	}
	return nil
}

// end notes what two pulls have missed. delete deletes it under the rules for all deletions.
func (t *portion) end(ctx context.Context) error {
	done := t.of(t.n)
	for id := range t.now {
		if first, before := t.known[id]; before && first < t.began {
			done.twice = append(done.twice, id)
		} else {
			t.known[id] = t.began
		}
	}
	here, err := t.n.find(ctx, t.Store, slices.Collect(maps.Keys(t.known)))
	if err != nil {
		return err
	}
	maps.DeleteFunc(t.known, func(id string, _ backoffice.Instant) bool { // some were deleted with their parent
		_, is := here[id]
		return !is
	})
	done.Missing = len(t.known)
	return t.noteMissingOf(ctx, t.n, t.known)
}
