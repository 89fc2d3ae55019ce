package export

import (
	"bytes"
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/graphqlhttp"
)

// pageRows is how many rows a page has, or fewer where such a page would cost too much or be too long.
const pageRows = backoffice.MaxPageSize

// mostPages is how many pages of an export are in memory: one being written, one being answered, one being read.
const mostPages = 3

type walk struct {
	*Endpoint
	list  *rootList
	size  int64 // of a page
	cost  int   // of a page
	at    place // of the next page to hand over
	moved func()
}

type place struct {
	after string
	left  int64 // rows that may still be requested
}

// newWalk finds a page size that may be executed. Errors: those of Price.
func (e *Endpoint) newWalk(s *rootList) (_ *walk, err error) {
	w := &walk{Endpoint: e, list: s, size: pageRows, at: place{s.after, s.first}}
	if w.at.left < 0 {
		w.at.left = math.MaxInt64
	}
	for {
		if w.cost, err = w.config.GraphQL.Price(s.query, s.variables(w.size, w.at.after)); err == nil || w.size == 1 {
			return w, err
		}
		w.size /= 2
	}
}

type leaf struct {
	part *graphqlhttp.Part
	rows int   // the offset of the list in the part's data; 0 until known
	next place // of the next page
	last bool
	held *atomic.Int64
}

func (l *leaf) end() {
	l.part.End()
	l.held.Add(-1)
}

// read reads a page. It checks again that the credential is valid, and has the scopes. begun is called at most once,
// with the start of the next page, as soon as that is known: before the whole page is read, or known to be good.
func (w *walk) read(ctx context.Context, at place, begun func(place)) (*leaf, error) {
	ctx, err := w.list.admit(ctx)
	if err != nil {
		return nil, err
	}
	l, asked := &leaf{held: &w.pages}, min(w.size, at.left)
	l.part, err = w.config.GraphQL.Part(ctx, w.list.query, w.list.variables(asked, at.after), w.cost, func(b []byte) {
		if l.rows == 0 && l.open(b, at.left-asked) && !l.last {
			begun(l.next)
		}
	})
	if err != nil {
		return nil, err
	}
	if w.pages.Add(1); l.rows == 0 {
		l.end()
		return nil, errForm
	}
	return l, nil
}

var errForm = errors.New("an answer does not have the shape that the export selected")

// open looks in an answer, or in the part written so far, for what the walk has to know, and reports whether it is
// there; left is how many rows may be requested after the page:
// {"customers":{"+page":{"hasNextPage":true,"endCursor":"…"},"nodes":[…]}}.
func (l *leaf) open(b []byte, left int64) bool {
	_, rest, _ := bytes.Cut(b, []byte(`:{"`+pageName+`":{"hasNextPage":`))
	page, list, whole := bytes.Cut(rest, []byte(`},"`))
	more, cursor, _ := bytes.Cut(page, []byte(`,"endCursor":`))
	_, list, found := bytes.Cut(list, []byte(`":`))
	if !whole || !found || len(list) == 0 || list[0] != '[' || len(cursor) == 0 {
		return false
	}
	l.next = place{left: left}
	if !isNull(cursor, 0) {
		l.next.after = string(appendText(nil, cursor))
	}
	l.last = string(more) != "true" || l.next.after == "" || left == 0
	l.rows = len(b) - len(list)
	return true
}

type reading struct {
	done chan struct{}
	leaf *leaf
	err  error
}

// leaves calls do with each page, in order; the register has recorded a page before do gets it. A page that is too long
// is requested again with half the rows. After the first page, one that is unavailable is requested again, for as long
// as one page may take; when the credential's budget is spent, until there is enough again.
func (w *walk) leaves(ctx context.Context, do func(*leaf) error) error {
	begun := w.at
	var since time.Time
	for pause := time.Duration(0); ; {
		from := w.at
		ofReading, err := w.follow(ctx, do)
		switch {
		case err == nil || !ofReading || ctx.Err() != nil:
			return err
		case graphqlhttp.IsKind(backoffice.TooLarge, err) && w.size > 1:
			w.size /= 2
			continue
		case w.at == begun:
			return err
		case graphqlhttp.IsKind(backoffice.RateLimited, err): // the budget is certain to come back
			since, pause = time.Now(), budgetPause
			w.moved()
		case !graphqlhttp.IsKind(backoffice.Unavailable, err):
			return err
		}
		if w.at != from || pause == 0 {
			since, pause = time.Now(), firstPause
		}
		if time.Since(since)+pause > w.config.Limits.Time {
			return err
		}
		if backoffice.Sleep(ctx, pause) != nil {
			return err
		}
		pause = min(2*pause, longestPause)
	}
}

// How long the walk waits before it asks again.
const (
	firstPause   = 50 * time.Millisecond
	longestPause = time.Second
	budgetPause  = 200 * time.Millisecond
)

// follow reads pages from w.at on and passes them to do, until one of the two fails; ofReading reports which.
func (w *walk) follow(ctx context.Context, do func(*leaf) error) (ofReading bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	room := make(chan struct{}, mostPages)
	coming := make(chan *reading, mostPages)
	go w.readAhead(ctx, w.at, room, coming)
	defer func() {
		cancel()
		for r := range coming {
			if <-r.done; r.leaf != nil {
				r.leaf.end()
			}
		}
	}()
	for r := range coming {
		if <-r.done; r.err != nil {
			return true, r.err
		}
		if err = r.leaf.part.MayLeave(); err == nil {
			err = do(r.leaf)
		}
		w.at = r.leaf.next
		last := r.leaf.last
		r.leaf.end()
		<-room
		if err != nil || last {
			return false, err
		}
	}
	return false, ctx.Err()
}

// readAhead starts to read each page once its start is known and there is room, and closes coming after the last.
func (w *walk) readAhead(ctx context.Context, at place, room chan struct{}, coming chan<- *reading) {
	defer close(coming)
	for {
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
			return
		}
		r := &reading{done: make(chan struct{})}
		coming <- r
		next := make(chan place, 1)
		go func() {
			defer close(r.done)
			defer func() {
				if panicked := recover(); panicked != nil { // it ends this export alone
					r.err = w.config.GraphQL.Recover(ctx, panicked)
				}
			}()
			r.leaf, r.err = w.read(ctx, at, func(behind place) { next <- behind })
		}()
		select {
		case at = <-next:
		case <-r.done:
			select {
			case at = <-next:
			default: // it is the last one, or failed
				return
			}
		}
	}
}
