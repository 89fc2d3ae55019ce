package mirror

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"example.org/backoffice/backoffice"
)

const (
	mostAPage = 500 // records; an origin with smaller pages rejects it
	usualPage = 100 // as the specification's links show
	goOnFor   = time.Hour
)

// walk is one reading of all pages of a noun. Its note lets another run continue after the last loaded page.
type walk struct {
	Size     int                 `json:"size"`
	Total    int                 `json:"total"` // as the first page had it
	Latest   int                 `json:"latest"`
	Pages    int                 `json:"pages"` // that were loaded
	Began    backoffice.Instant  `json:"began"`
	Last     string              `json:"last"` // identifier on the last page
	Sorted   bool                `json:"sorted"`
	Why      string              `json:"why"`     // it is incomplete, "" as long as it is not
	Held     bool                `json:"held"`    // some records are tried again at the end
	Numbers  bool                `json:"numbers"` // registration numbers are pulled
	Persons  bool                `json:"persons"` // there are private persons
	Shown    bool                `json:"shown"`   // a record had the field of the number
	History  string              `json:"history"` // of the feed
	After    int64               `json:"after"`   // position in it before the walk, -1 when unknown
	first    []string            // identifiers of the first page, for lists that are not sorted
	seen     map[uint64]struct{} // keyed by sumOf
	held     []held
	unloaded []string // identifiers of records that could not be loaded
}

// held is a record that could not be loaded yet.
type held struct {
	id   string
	name string // in a report
	line []byte
}

// maxHeld bounds the held records in memory, in bytes.
const maxHeld = 16 << 20

func (w *walk) failf(format string, args ...any) {
	if w.Why == "" {
		w.Why = fmt.Sprintf(format, args...)
	}
}

// sumOf is the key of an identifier in walk.seen.
func sumOf(id string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))
	return h.Sum64()
}

func walkNote(n *noun) string { return string(n.of) + " walk" }
func seenNote(n *noun) string { return string(n.of) + " seen " }

func (p *pulling) walk(ctx context.Context, n *noun) error {
	w, first, err := p.beginWalk(ctx, n)
	if err != nil || w == nil {
		return err
	}
	if err := p.mirrors(ctx, n); err != nil {
		return err
	}
	if err := p.pages(ctx, n, w, first); err != nil {
		return err
	}
	return p.endWalk(ctx, n, w)
}

// beginWalk continues an interrupted walk or reads the first page; nil when the origin does not have the noun.
func (p *pulling) beginWalk(ctx context.Context, n *noun) (*walk, *page, error) {
	notes, err := p.Store.MirrorNotes(ctx, walkNote(n))
	if err != nil {
		return nil, nil, err
	}
	if note := notes[walkNote(n)]; note != nil && n.part == nil {
		w := &walk{seen: map[uint64]struct{}{}}
		early := backoffice.InstantOf(p.began.Time().Add(-goOnFor))
		if json.Unmarshal(note, w) == nil && w.Began > early && !w.Held && w.Why == "" && w.Sorted &&
			w.Numbers == (p.Purpose != nil) && (w.After >= 0 || p.place == nil) {
			seen, err := p.Store.MirrorNotes(ctx, seenNote(n))
			if err != nil {
				return nil, nil, err
			}
			for _, sums := range seen {
				for ; len(sums) >= 8; sums = sums[8:] {
					w.seen[binary.BigEndian.Uint64(sums)] = struct{}{}
				}
			}
			return w, nil, nil
		}
		if err := p.Store.NoteMirror(ctx, seenNote(n), nil); err != nil {
			return nil, nil, err
		}
	}
	w := &walk{Size: cmp.Or(p.pageSize, mostAPage), Began: p.began, Sorted: true, Numbers: p.Purpose != nil, After: -1}
	w.seen = map[uint64]struct{}{}
	if p.place != nil {
		w.History, w.After = p.place.History, p.place.After
	}
	first, status, err := p.page(ctx, n, 1, w.Size)
	tooLarge := status == http.StatusBadRequest || status == http.StatusUnprocessableEntity
	if err == nil && tooLarge && w.Size > usualPage {
		w.Size = usualPage
		first, status, err = p.page(ctx, n, 1, w.Size)
	}
	switch {
	case err != nil:
		return nil, nil, err
	case status != http.StatusOK:
		p.of(n)
		if n.of == backoffice.NounCustomer {
			return nil, nil, &errAway{why: fmt.Sprintf("its list of customers returned %d", status)}
		}
		return nil, nil, nil
	case p.needsParts(n, first):
		return nil, nil, nil
	}
	w.Total, w.Latest = *first.Total, *first.Total
	switch count := first.size(); {
	case count > w.Size && count >= w.Total: // the origin has no pages
		w.Size = count + 1
	case count > 0 && count < w.Total: // the origin's size of a page
		w.Size = count
	}
	return w, first, nil
}

func (p *pulling) page(ctx context.Context, n *noun, number, size int) (*page, int, error) {
	query := url.Values{"page": {strconv.Itoa(number)}, "pageSize": {strconv.Itoa(size)}}
	if n.part == nil {
		return p.origin.list(ctx, n.path, query)
	}
	maps.Copy(query, n.part.query)
	got, status, err := p.origin.list(ctx, n.path, query)
	for _, r := range got.Data {
		for field, value := range n.part.fill {
			if r.text(field) == "" {
				r[field] = value
			}
		}
	}
	return got, status, err
}

func (o *origin) list(ctx context.Context, path string, query url.Values) (*page, int, error) {
	read := page{asked: time.Now()}
	status, err := o.get(ctx, path, query, answerTime, read.read)
	return &read, status, err
}

// last is the number of the last page. After a page filled by the last records it is an empty one: that confirms Total.
func (w *walk) last() int { return w.Latest/w.Size + 1 }

// pages reads the pages, some ahead, and loads them in order.
func (p *pulling) pages(ctx context.Context, n *noun, w *walk, first *page) error {
	type answer struct {
		page   *page
		status int
		err    error
	}
	if w.Total <= w.Size && first != nil && first.size() < w.Size { // the first page is all of it
		return p.take(ctx, n, w, first)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var ahead []chan answer
	next := w.Pages + 1
	ask := func() {
		for len(ahead) < mostAtOnce && next <= w.last() {
			got := make(chan answer, 1)
			ahead = append(ahead, got)
			if next == 1 && first != nil {
				got <- answer{first, http.StatusOK, nil}
			} else {
				go func(number int) {
					page, status, err := p.page(ctx, n, number, w.Size)
					got <- answer{page, status, err}
				}(next)
			}
			next++
		}
	}
	for ask(); len(ahead) > 0; ask() {
		got := <-ahead[0]
		ahead = ahead[1:]
		switch {
		case got.err != nil:
			return got.err
		case got.status != http.StatusOK && w.Pages > 0 && w.Pages*w.Size >= w.Total: // the empty one behind the last
			return nil
		case got.status != http.StatusOK:
			w.failf("page %d of its list returned %d", w.Pages+1, got.status)
			return nil
		}
		if err := p.take(ctx, n, w, got.page); err != nil {
			return err
		}
		if w.Why != "" && got.page.size() == 0 { // the list may be endless
			return nil
		}
	}
	return nil
}

// take checks a page, loads its records, and notes that they are here.
func (p *pulling) take(ctx context.Context, n *noun, w *walk, got *page) error {
	if err := p.stillMirrors(ctx); err != nil {
		return err
	}
	w.Pages++
	w.check(got)
	sums := make([]byte, 0, 8*len(got.Data))
	fresh := got.Data[:0:0]
	for _, r := range got.Data {
		id := r.id()
		if id <= w.Last {
			w.Sorted = false
		}
		w.Last = id
		sum := sumOf(id)
		if _, twice := w.seen[sum]; twice {
			w.failf("a record is on two of its pages")
			continue
		}
		w.seen[sum] = struct{}{}
		sums = binary.BigEndian.AppendUint64(sums, sum)
		fresh = append(fresh, r)
	}
	if w.Pages == 1 {
		w.first = backoffice.Map(got.Data, record.id)
	}
	if w.first == nil && !w.Sorted {
		w.failf("its order changed while being read")
	}
	if err := p.load(ctx, n, w, fresh); err != nil {
		return err
	}
	if err := p.superseded(ctx, n, got.asked, fresh); err != nil {
		return err
	}
	if p.Progress != nil {
		p.Progress(n.of, len(w.seen), w.Latest)
	}
	if w.Pages >= w.last() || !w.Sorted || n.part != nil { // it ends now, or cannot be continued
		return nil
	}
	note, err := json.Marshal(w)
	if err != nil {
		return fmt.Errorf("recording a sweep: %w", err)
	}
	seen := fmt.Sprintf("%s%08d", seenNote(n), w.Pages)
	return p.Store.NoteMirror(ctx, "", map[string][]byte{walkNote(n): note, seen: sums})
}

// check checks a page against the totals.
func (w *walk) check(got *page) {
	expected := max(0, min(w.Size, *got.Total-(w.Pages-1)*w.Size))
	switch {
	case *got.Total != w.Total:
		w.failf("its total changed while being read, from %d to %d", w.Total, *got.Total)
	case got.size() != expected:
		w.failf("page %d has %d records instead of %d", w.Pages, got.size(), expected)
	}
	for _, at := range got.unnamed {
		w.failf("record %d of page %d (%d a page) has no identifier", at, w.Pages, w.Size)
	}
	w.Latest = max(w.Latest, min(*got.Total, w.Latest+w.Size)) // grows by at most a page at a time
}

// endWalk finishes a walk of a whole noun, and notes missing records.
func (p *pulling) endWalk(ctx context.Context, n *noun, w *walk) error {
	if err := p.finish(ctx, n, w); err != nil {
		return err
	}
	if w.Why == "" {
		if err := p.notEmptied(ctx, n, w); err != nil {
			return err
		}
	}
	p.of(n).Pages += w.Pages
	p.of(n).sample, p.of(n).seen, p.of(n).unloaded = w.Last, w.seen, w.unloaded
	p.of(n).history, p.of(n).after = w.History, w.After
	p.of(n).Incomplete = w.Why
	if w.Pages > 1 {
		for _, note := range []string{seenNote(n), walkNote(n)} {
			if err := p.Store.NoteMirror(ctx, note, nil); err != nil {
				return err
			}
		}
	}
	return p.noteMissing(ctx, n, w)
}

// finish tries rejected records again, and checks whether the walk is complete.
func (p *pulling) finish(ctx context.Context, n *noun, w *walk) error {
	records := backoffice.Map(w.held, func(h held) record { return record{"_id": textOf(h.id)} })
	if err := p.loadHeld(ctx, n, w); err != nil {
		return err
	}
	if err := p.superseded(ctx, n, p.began.Time(), records); err != nil {
		return err
	}
	if err := p.sameOrder(ctx, n, w); err != nil {
		return err
	}
	if w.Why == "" && len(w.seen) != w.Total {
		w.failf("its total is %d, and it has %d records", w.Total, len(w.seen))
	}
	if n.of == backoffice.NounCustomer && w.Numbers && w.Persons && !w.Shown {
		w.failf("it shows no registration numbers; the credential needs privacy.read there")
	}
	return nil
}

// sameOrder reads the first page of a list in an unknown order again, to detect that the order changed.
func (p *pulling) sameOrder(ctx context.Context, n *noun, w *walk) error {
	if w.Sorted || w.first == nil || w.Pages < 2 || w.Why != "" {
		return nil
	}
	again, status, err := p.page(ctx, n, 1, w.Size)
	if err != nil {
		return err
	}
	has := func(r record, id string) bool { return r.id() == id }
	if status != http.StatusOK || *again.Total != w.Total || !slices.EqualFunc(again.Data, w.first, has) {
		w.failf("its order changed while being read")
	}
	return nil
}

// notEmptied distrusts an empty list of a noun that has records here.
func (p *pulling) notEmptied(ctx context.Context, n *noun, w *walk) error {
	if w.Total > 0 || p.AllowDeletions > 0 {
		return nil
	}
	here, err := n.count(ctx, p.Store)
	if err == nil && here > 0 {
		w.failf("its list is empty, but %d records are here; if that is right, pass --allow-deletions", here)
	}
	return err
}
