package store

import (
	"sync"

	"example.org/backoffice/backoffice"
)

// slab allocates records in blocks. The blocks of a pooled batch are reused.
type slab[T any] struct {
	block []T
	next  int               // the size of the next block
	batch *backoffice.Batch // nil when the caller owns the rows
	from  *blocks[T]
	whole *block[T] // what block is a part of, when the batch owns it
}

const maxSlab = 64

func (s *slab[T]) new() *T {
	if len(s.block) == cap(s.block) {
		s.grow()
	}
	s.block = s.block[:len(s.block)+1]
	if s.whole != nil {
		s.whole.used = len(s.block)
	}
	return &s.block[len(s.block)-1]
}

func (s *slab[T]) grow() {
	if s.batch != nil {
		s.whole = s.from.take()
		s.batch.Borrow(s.whole)
		s.block = s.whole.rows[:0]
		return
	}
	s.next = min(max(s.next, 4), maxSlab)
	s.block = make([]T, 0, s.next)
	s.next *= 2
}

// block is reusable memory for records. The unused ones are erased.
type block[T any] struct {
	rows [maxSlab]T
	used int
	of   *blocks[T]
}

type blocks[T any] struct{ free sync.Pool }

func (b *blocks[T]) take() *block[T] {
	if free, ok := b.free.Get().(*block[T]); ok {
		return free
	}
	return &block[T]{of: b}
}

func (b *block[T]) Release() {
	clear(b.rows[:b.used])
	b.used = 0
	b.of.free.Put(b)
}
