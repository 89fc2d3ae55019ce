package cache

import (
	"hash/maphash"
	"sync/atomic"
)

// door keeps out what is asked for once. While there is room everything is let in; then only what was asked for twice
// among the last few, so that a walk over more than there is room for costs neither copies nor evictions. What it
// remembers is a bit for a place's digest: now and then one is let in at once because another has the same bit.
type door struct {
	full   atomic.Bool
	knocks atomic.Int64 // since the bits were cleared
	bits   []atomic.Uint64
	room   int64 // how many knocks are remembered
}

// bitsEach are for each knock that is remembered: one place in so many is taken for another.
const bitsEach = 8

func newDoor(bytes int) *door {
	room := max(bytes/leastEntry, 64)
	return &door{bits: make([]atomic.Uint64, room*bitsEach/64), room: int64(room)}
}

// opens reports whether what was read of a place is to be kept; strict is as if there were no room.
func (d *door) opens(to place, strict bool) bool {
	if !strict && !d.full.Load() {
		return true
	}
	digest := maphash.Comparable(seed, to)
	word, bit := &d.bits[digest/64%uint64(len(d.bits))], uint64(1)<<(digest%64)
	if word.Load()&bit != 0 || word.Or(bit)&bit != 0 {
		return true
	}
	if d.knocks.Add(1) == d.room {
		for i := range d.bits {
			d.bits[i].Store(0)
		}
		d.knocks.Store(0)
	}
	return false
}
