package backoffice

import (
	"context"
	"sync/atomic"
)

// Budget bounds the bytes that one request takes in memory: the rows that are read for it, and its answer. A store
// counts the rows, and whoever writes the answer its bytes.
type Budget struct {
	answer, rows  int64 // the most of each
	read, written atomic.Int64
	objects       atomic.Int64 // rows that were read
	told          atomic.Int64
	grow          atomic.Pointer[func(bytes int64) error]
	pause         atomic.Pointer[func() (resume func())]
}

// NewBudget allows so many bytes of an answer, and so many of rows that are read for it.
func NewBudget(answer, rows int) *Budget { return &Budget{answer: int64(answer), rows: int64(rows)} }

// step is after how many bytes more a request tells what it takes.
const step = 64 << 10

// OnGrowth has grow told, again and again, how many bytes the request takes by now; its error ends the request.
func (b *Budget) OnGrowth(grow func(bytes int64) error) { b.grow.Store(&grow) }

// OnWait has pause told when the request begins to wait for what others do, and resume when that has come.
func (b *Budget) OnWait(pause func() (resume func())) { b.pause.Store(&pause) }

// Waits notes that the request of a context waits, for a database or for whoever has what it needs, until over is
// called: meanwhile others may have the processor.
func Waits(ctx context.Context) (over func()) {
	if b := BudgetOf(ctx); b != nil {
		if pause := b.pause.Load(); pause != nil {
			return (*pause)()
		}
	}
	return func() {}
}

// Objects is how many rows were read by now, those from memory among them.
func (b *Budget) Objects() int { return int(b.objects.Load()) }

func (b *Budget) Read(rows, bytes int) error {
	b.objects.Add(int64(rows))
	if b.read.Add(int64(bytes)) > b.rows {
		return b.tooLarge()
	}
	return b.tell()
}

// Write notes how long the answer is by now.
func (b *Budget) Write(length int) error {
	if int64(length) > b.answer {
		return b.tooLarge()
	}
	b.written.Store(int64(length))
	return b.tell()
}

func (b *Budget) tooLarge() error {
	return Errorf(TooLarge, "the answer would be larger than %d bytes; ask for a smaller page, or for fewer fields", b.answer)
}

func (b *Budget) tell() error {
	total, told := b.read.Load()+b.written.Load(), b.told.Load()
	if total < told+step || !b.told.CompareAndSwap(told, total) {
		return nil
	}
	if grow := b.grow.Load(); grow != nil {
		return (*grow)(total)
	}
	return nil
}

// WithBudget bounds what a context's request takes.
func WithBudget(ctx context.Context, budget *Budget) context.Context {
	return WithRequest(ctx, func(r *Request) { r.Budget = budget })
}

// BudgetOf is the budget of a context, nil without a bound.
func BudgetOf(ctx context.Context) *Budget { return RequestOf(ctx).Budget }
