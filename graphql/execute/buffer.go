package execute

import (
	"context"
	"sync"
)

// borrowed is the buffer of an answer, until it is written.
type borrowed struct{ buffer *[]byte }

type borrowedKey struct{}

// Buffers are pooled. Long ones have a pool of their own, so that no more of them exist than were in use at one time.
var short, long = newBuffers(), newBuffers()

func newBuffers() *sync.Pool { return &sync.Pool{New: func() any { return new([]byte) }} }

// Sizes, in bytes, up to which a buffer is short, and up to which it is pooled. No more than the latter is allocated in
// advance: the last answer's size is a poor guess for the next.
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

// WithBuffer puts the answer of this context's request into a pooled buffer: its Data are valid until release, which
// must be called exactly once, when they are written. In any other context an answer has a buffer of its own.
func WithBuffer(ctx context.Context) (pooled context.Context, release func()) {
	l := &borrowed{}
	return context.WithValue(ctx, borrowedKey{}, l), func() {
		if l.buffer != nil && cap(*l.buffer) <= longestKept {
			buffersFor(cap(*l.buffer)).Put(l.buffer)
		}
		l.buffer = nil
	}
}

// borrow returns an empty buffer. size is that of the last answer of this kind.
func borrow(ctx context.Context, size int) []byte {
	size = min(size+size/8+64, longestKept)
	if l, ok := ctx.Value(borrowedKey{}).(*borrowed); ok && l.buffer == nil {
		l.buffer = buffersFor(size).Get().(*[]byte)
		if cap(*l.buffer) >= size {
			return (*l.buffer)[:0]
		}
	}
	return make([]byte, 0, size)
}

// noteGrown notes where the grown buffer is.
func noteGrown(ctx context.Context, grown []byte) {
	if l, ok := ctx.Value(borrowedKey{}).(*borrowed); ok && l.buffer != nil {
		*l.buffer = grown
	}
}
