package execute

import (
	"context"
	"sync"
)

// loan is the buffer of an answer, until it is written.
type loan struct{ buffer *[]byte }

type loanKey struct{}

// Buffers that are used again: the long ones by themselves, so that there are never more of them than there were long
// answers at one time.
var short, long = newBuffers(), newBuffers()

func newBuffers() *sync.Pool { return &sync.Pool{New: func() any { return new([]byte) }} }

// The size, in bytes, up to which a buffer is a short one, and up to which it is used again. No more than the latter is
// made in advance: an answer of one request tells little of that of the next one.
const (
	longestShort = 256 << 10
	longestKept  = 4 << 20
)

func buffersFor(size int) *sync.Pool {
	if size <= longestShort {
		return short
	}
	return long
}

// Lend lets the answer of the request with this context be in a buffer that will be used again: its Data are valid
// until giveBack is called, which is to be done exactly once, when they are written. In any other context an answer has
// a buffer of its own.
func Lend(ctx context.Context) (lent context.Context, giveBack func()) {
	l := &loan{}
	return context.WithValue(ctx, loanKey{}, l), func() {
		if l.buffer != nil && cap(*l.buffer) <= longestKept {
			buffersFor(cap(*l.buffer)).Put(l.buffer)
		}
		l.buffer = nil
	}
}

// borrow returns an empty buffer. size is what the last answer of this kind took.
func borrow(ctx context.Context, size int) []byte {
	size = min(size+size/8+64, longestKept)
	if l, ok := ctx.Value(loanKey{}).(*loan); ok && l.buffer == nil {
		l.buffer = buffersFor(size).Get().(*[]byte)
		if cap(*l.buffer) >= size {
			return (*l.buffer)[:0]
		}
	}
	return make([]byte, 0, size)
}

// lend notes where the buffer has grown to.
func lend(ctx context.Context, grown []byte) {
	if l, ok := ctx.Value(loanKey{}).(*loan); ok && l.buffer != nil {
		*l.buffer = grown
	}
}
