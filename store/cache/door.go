package cache

import (
	"hash/maphash"
	"sync/atomic"
)

// door is the admission policy. While there is room everything is admitted; then only what was asked for twice lately,
// so that a walk over more than fits costs neither copies nor evictions. It remembers one bit of a key's digest: now
// and then a key is admitted at once because another has the same bit.
type door struct {
	full   atomic.Bool
	knocks atomic.Int64 // since the bits were cleared
	bits   []atomic.Uint64
	room   int64 // how many sightings are remembered
}

// bitsEach is the number of bits for each remembered sighting: one key in so many is taken for another.
const bitsEach = 8

func newDoor(bytes int) *door {
	room := max(bytes/leastEntry, 64)
	return &door{bits: make([]atomic.Uint64, room*bitsEach/64), room: int64(room)}
}

// opens reports whether what was read of a key is admitted; strict is as if there were no room.
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
