package backoffice

import (
	"context"
	"sync/atomic"
)

// Budget bounds the bytes that one request takes in memory: the rows that are read for it, and its answer. The store
// counts the rows, the writer of the answer its bytes.
type Budget struct {
	answer, rows  int64 // the most of each
	read, written atomic.Int64
	objects       atomic.Int64 // rows that were read
	told          atomic.Int64
	grow          atomic.Pointer[func(bytes int64) error]
	pause         atomic.Pointer[func() (resume func())]
}

// NewBudget takes the most bytes of an answer, and of the rows that are read for it.
func NewBudget(answer, rows int) *Budget { return &Budget{answer: int64(answer), rows: int64(rows)} }

// step is how many more bytes a request takes before it reports them.
const step = 64 << 10

// OnGrowth has grow called with the bytes that the request takes, each time they grow by step. Its error ends the
// request.
func (b *Budget) OnGrowth(grow func(bytes int64) error) { b.grow.Store(&grow) }

// OnWait has pause called when the request begins to wait for others, and resume when the wait is over.
func (b *Budget) OnWait(pause func() (resume func())) { b.pause.Store(&pause) }

// Waits marks the request of a context as waiting, for a database or another request, until over is called. Meanwhile
// others may have the processor.
func Waits(ctx context.Context) (over func()) {
	if b := BudgetOf(ctx); b != nil {
		if pause := b.pause.Load(); pause != nil {
			return (*pause)()
		}
	}
	return func() {}
}

// Objects is how many rows were read so far, rows from memory included.
func (b *Budget) Objects() int { return int(b.objects.Load()) }

func (b *Budget) Read(rows, bytes int) error {
	b.objects.Add(int64(rows))
	if b.read.Add(int64(bytes)) > b.rows {
		return b.tooLarge()
	}
	return b.tell()
}

// Write sets the bytes of the answer so far. Errors: TooLarge, and that of OnGrowth.
func (b *Budget) Write(length int) error {
	if int64(length) > b.answer {
		return b.tooLarge()
	}
	b.written.Store(int64(length))
	return b.tell()
}

func (b *Budget) tooLarge() error {
	return Errorf(TooLarge,
		"the answer would be larger than %d bytes; ask for a smaller page, or for fewer fields", b.answer)
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

func WithBudget(ctx context.Context, budget *Budget) context.Context {
	return WithRequest(ctx, func(r *Request) { r.Budget = budget })
}

// BudgetOf returns the budget of a context, nil without a bound.
func BudgetOf(ctx context.Context) *Budget { return RequestOf(ctx).Budget }
