package postgres

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// gathering collects what its parties ask. When each of them waits for an answer or has left, all that was asked is sent
// in one trip; then they go on, and may ask again.
type gathering struct {
	ctx   context.Context
	reads *reads

	mu      sync.Mutex
	running int // parties that neither wait nor have left
	asked   []*question
}

// party is one of the callers; its context leads to it. Its fields are under the gathering's mutex.
type party struct {
	of            *gathering
	waiting, left bool
}

type partyKey struct{}

// question is one statement with its answer.
type question struct {
	ctx  context.Context
	of   *party
	text string
	args []any
	each func(*store.Row) error

	handed bool // a row was handed over, so it can't be asked once more
	err    error
	done   chan struct{} // closed when each is called no more and err holds
}

var errUnanswered = errors.New("the statement was not answered")

// Together implements store.Engine.
func (e *engine) Together(ctx context.Context, n int) []backoffice.Party {
	g := &gathering{ctx: ctx, reads: e.reads, running: n}
	parties := make([]backoffice.Party, n)
	for i := range parties {
		p := &party{of: g}
		parties[i] = backoffice.Party{Context: context.WithValue(ctx, partyKey{}, p), Leave: p.leave}
	}
	return parties
}

// together runs the statements of parties with those of the others, and any other by itself.
type together struct{ *reads }

// Query implements store.Conn.
func (t together) Query(ctx context.Context, text string, args []any, each func(*store.Row) error) error {
	p, _ := ctx.Value(partyKey{}).(*party)
	if p == nil {
		return t.reads.Query(ctx, text, args, each)
	}
	q := &question{ctx: ctx, of: p, text: text, args: args, each: each, err: errUnanswered, done: make(chan struct{})}
	batch, joined := p.ask(q)
	switch {
	case !joined:
		return t.reads.Query(ctx, text, args, each)
	case batch != nil:
		p.of.send(batch)
		return q.err
	}
	select {
	case <-q.done:
	case <-ctx.Done():
		if p.withdraw(q) {
			return classify(ctx, ctx.Err())
		}
		<-q.done // its rows may be in the caller's hands just now
	}
	return q.err
}

// ask puts a question to the gathering. It has not joined when its party waits already, in another goroutine, or has
// left. The batch, when there is one, is for the caller to send: everybody waits for it.
func (p *party) ask(q *question) (batch []*question, joined bool) {
	g := p.of
	g.mu.Lock()
	defer g.mu.Unlock()
	if p.waiting || p.left {
		return nil, false
	}
	p.waiting = true
	g.running--
	g.asked = append(g.asked, q)
	return g.ready(), true
}

// leave counts the party out; the last one to leave sends what the others wait for.
func (p *party) leave() {
	g := p.of
	g.mu.Lock()
	if p.left {
		g.mu.Unlock()
		return
	}
	p.left = true
	if !p.waiting {
		g.running--
	}
	batch := g.ready()
	g.mu.Unlock()
	if batch != nil {
		g.send(batch)
	}
}

// withdraw takes a question back; false when it is on its way.
func (p *party) withdraw(q *question) bool {
	g := p.of
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.asked, q)
	if i < 0 {
		return false
	}
	g.asked = slices.Delete(g.asked, i, i+1)
	g.resume(p)
	return true
}

// ready takes what was asked when nobody runs any more.
func (g *gathering) ready() []*question {
	if g.running > 0 || len(g.asked) == 0 {
		return nil
	}
	batch := g.asked
	g.asked = nil
	return batch
}

func (g *gathering) resume(p *party) {
	p.waiting = false
	if !p.left {
		g.running++
	}
}

// send asks a batch and hands out the answers. All parties count as running again before the first one wakes.
func (g *gathering) send(batch []*question) {
	defer func() {
		g.mu.Lock()
		for _, q := range batch {
			g.resume(q.of)
		}
		g.mu.Unlock()
		for _, q := range batch {
			close(q.done)
		}
	}()
	if len(batch) > 1 {
		g.sendAsOne(batch)
	}
	// A statement that fails takes those after it along: what was not answered is asked once more, each by itself.
	for _, q := range batch {
		if errors.Is(q.err, errUnanswered) && !q.handed {
			q.err = g.reads.Query(q.ctx, q.text, q.args, q.each)
		}
	}
}

// sendAsOne sends a batch in one trip. It leaves questions unanswered when something goes wrong, unless nothing else may be hoped for.
func (g *gathering) sendAsOne(batch []*question) {
	var statements pgx.Batch
	for _, q := range batch {
		statements.Queue(q.text, q.args...)
	}
	sent := false
	err := g.reads.send(g.ctx, &statements, func(results pgx.BatchResults) (answered int, err error) {
		sent = true
		for _, q := range batch {
			rows, err := results.Query()
			if err != nil {
				rows.Close()
				return answered, classify(g.ctx, err)
			}
			if err := q.take(rows); err != nil {
				if q.handed {
					answered++
				}
				return answered, err
			}
			answered++
		}
		return answered, nil
	})
	for _, q := range batch {
		if !sent || errors.Is(err, errSilent) && errors.Is(q.err, errUnanswered) {
			q.err = err
		}
	}
}

// take reads the answer; an error says that the connection has no more to give.
func (q *question) take(rows pgx.Rows) error {
	var refused error
	n := 0
	err := scan(rows, func(row *store.Row) error {
		if n%64 == 0 { // asking a context is as dear as reading a row
			refused = classify(q.ctx, q.ctx.Err())
		}
		n++
		if refused == nil {
			q.handed = true
			refused = q.each(row)
		}
		return refused
	})
	if refused != nil {
		q.err = refused
		return nil
	}
	err = classify(q.of.of.ctx, err)
	if err == nil || q.handed {
		q.err = err
	}
	return err
}
