package storetest

import (
	"context"
	"sync"

	"example.org/backoffice/store"
)

// Recorder is an engine that notes each different statement on its way to another engine.
type Recorder struct {
	store.Engine
	mu         sync.Mutex
	statements map[string][]any
}

// On puts the recorder in front of an engine.
func (r *Recorder) On(engine store.Engine) store.Engine { r.Engine = engine; return r }

// Statements are the texts of what was asked so far, with the arguments of the first time.
func (r *Recorder) Statements() map[string][]any { return r.statements }

func (r *Recorder) note(text string, args []any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.statements == nil {
		r.statements = map[string][]any{}
	}
	if _, known := r.statements[text]; !known {
		r.statements[text] = append([]any(nil), args...)
	}
}

// Send implements store.Engine.
func (r *Recorder) Send(ctx context.Context, queries []*store.Query, last bool) {
	for _, q := range queries {
		r.note(q.Text, q.Args)
	}
	r.Engine.Send(ctx, queries, last)
}

// Primary implements store.Engine.
func (r *Recorder) Primary() store.Conn { return recorded{r.Engine.Primary(), r} }

// Write implements store.Engine.
func (r *Recorder) Write(ctx context.Context, do func(ctx context.Context, tx store.Conn) error) error {
	return r.Engine.Write(ctx, func(ctx context.Context, tx store.Conn) error {
		on := recorded{tx, r}
		if batchConn, ok := tx.(store.BatchConn); ok {
			return do(ctx, recordedBatchConn{on, batchConn})
		}
		return do(ctx, on)
	})
}

type recorded struct {
	store.Conn
	by *Recorder
}

// Query implements store.Conn.
func (c recorded) Query(ctx context.Context, text string, args []any, each func(*store.Row) error) error {
	c.by.note(text, args)
	return c.Conn.Query(ctx, text, args, each)
}

// Exec implements store.Conn.
func (c recorded) Exec(ctx context.Context, text string, args []any) (int64, error) {
	c.by.note(text, args)
	return c.Conn.Exec(ctx, text, args)
}

type recordedBatchConn struct {
	recorded
	batchConn store.BatchConn
}

// Send implements store.BatchConn.
func (c recordedBatchConn) Send(ctx context.Context, statements []*store.Statement) {
	for _, s := range statements {
		c.by.note(s.Text, s.Args)
	}
	c.batchConn.Send(ctx, statements)
}

// SendLast implements store.BatchConn.
func (c recordedBatchConn) SendLast(statements ...*store.Statement) {
	for _, s := range statements {
		c.by.note(s.Text, s.Args)
	}
	c.batchConn.SendLast(statements...)
}

// Retryable implements store.BatchConn.
func (c recordedBatchConn) Retryable() { c.batchConn.Retryable() }
