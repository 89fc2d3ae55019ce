package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"sync"
	"time"

	"example.org/backoffice/store"
)

// pool gives connections to callers in turn, the most recently used first: its pages are in its cache.
type pool struct {
	db        *sql.DB
	health    *health
	scheduler *store.Scheduler
	dog       *watchdog
	limit     time.Duration // of a statement; 0 is none
	mu        sync.Mutex
	idle      []*lease
	ended     bool
}

type lease struct {
	*conn
	slot *store.Slot
}

func newPool(db *sql.DB, size int, wait, limit time.Duration, dog *watchdog, h *health) *pool {
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return &pool{db: db, health: h, scheduler: store.NewScheduler(size, wait), dog: dog, limit: limit}
}

func (p *pool) acquire(ctx context.Context) (*lease, error) {
	slot, err := p.scheduler.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	if p.ended {
		p.mu.Unlock()
		p.scheduler.Release(slot)
		return nil, store.ErrClosed
	}
	if last := len(p.idle) - 1; last >= 0 {
		l := p.idle[last]
		p.idle = p.idle[:last]
		p.mu.Unlock()
		l.slot = slot
		return l, nil
	}
	p.mu.Unlock()
	c, err := p.open(ctx)
	if err != nil {
		p.health.note(code(err), classify(ctx, err))
		p.scheduler.Release(slot)
		return nil, err
	}
	return &lease{c, slot}, nil
}

func (p *pool) open(ctx context.Context) (*conn, error) {
	opened, err := p.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	c := &conn{sql: opened, young: map[string]driver.Stmt{}, health: p.health}
	if err := p.dog.watch(c, p.limit); err != nil {
		_ = opened.Close()
		return nil, err
	}
	return c, nil
}

func (p *pool) release(l *lease) {
	slot := l.slot // the next holder of the connection writes there
	p.mu.Lock()
	if p.ended || l.broken {
		p.dog.leave(l.conn)
		l.close()
	} else {
		p.idle = append(p.idle, l)
	}
	p.mu.Unlock()
	p.scheduler.Release(slot)
}

// end closes idle connections, and each one that is returned from now on.
func (p *pool) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for _, l := range p.idle {
		p.dog.leave(l.conn)
		l.close()
	}
	p.idle = nil
}

func (p *pool) Send(ctx context.Context, statements ...*store.Statement) {
	l, err := p.acquire(ctx)
	if err != nil {
		for _, s := range statements {
			s.Err = classify(ctx, err)
		}
		return
	}
	defer p.release(l)
	l.Send(ctx, statements...)
}
