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

func (r *Recorder) note(statements []*store.Statement) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.statements == nil {
		r.statements = map[string][]any{}
	}
	for _, s := range statements {
		if _, known := r.statements[s.Text]; !known {
			r.statements[s.Text] = append([]any(nil), s.Args...)
		}
	}
}

func (r *Recorder) Send(ctx context.Context, statements []*store.Statement, last bool) {
	r.note(statements)
	r.Engine.Send(ctx, statements, last)
}

func (r *Recorder) Primary() store.Sender { return recorded{r.Engine.Primary(), r} }

func (r *Recorder) Write(ctx context.Context, do func(ctx context.Context, tx store.Sender) error) error {
	return r.Engine.Write(ctx, func(ctx context.Context, tx store.Sender) error {
		if far, ok := tx.(store.BatchConn); ok {
			return do(ctx, recordedBatchConn{far, r})
		}
		return do(ctx, recorded{tx, r})
	})
}

type recorded struct {
	store.Sender
	by *Recorder
}

func (r recorded) Send(ctx context.Context, statements ...*store.Statement) {
	r.by.note(statements)
	r.Sender.Send(ctx, statements...)
}

type recordedBatchConn struct {
	store.BatchConn
	by *Recorder
}

func (r recordedBatchConn) Send(ctx context.Context, statements ...*store.Statement) {
	r.by.note(statements)
	r.BatchConn.Send(ctx, statements...)
}

func (r recordedBatchConn) SendLast(statements ...*store.Statement) {
	r.by.note(statements)
	r.BatchConn.SendLast(statements...)
}
