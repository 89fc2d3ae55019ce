package cache

import (
	"hash/maphash"
	"sync/atomic"
)

// admission decides what is cached. While there is room everything is admitted; then only what was asked for twice
// lately, so that a walk over more than fits costs neither copies nor evictions. It remembers one bit of a key's
// digest: now and then a key is admitted at once because another has the same bit. If all that is asked for again and
// again does not fit, admitting more of it pushes out as much: then only one in some is.
type admission struct {
	full      atomic.Bool
	churns    atomic.Bool
	sightings atomic.Int64 // since the bits were cleared
	again     atomic.Int64 // misses of what was asked for lately
	hits      *atomic.Int64
	before    atomic.Int64 // of hits, when churns was set
	bits      []atomic.Uint64
	room      int64 // how many sightings are remembered
}

const (
	churnPeriod = 1024 // misses between two checks whether the cache churns
	churnHits   = 2    // it does with fewer hits a miss
	churnAdmits = 8    // one in so many is admitted then
)

// bitsEach is the number of bits for each remembered sighting: one key in so many is taken for another.
const bitsEach = 8

// admit reports whether what was read of a key is admitted; strict is as if there were no room.
func (d *admission) admit(to key, strict bool) bool {
	if !strict && !d.full.Load() {
		return true
	}
	digest := maphash.Comparable(seed, to)
	word, bit := &d.bits[digest/64%uint64(len(d.bits))], uint64(1)<<(digest%64)
	if word.Load()&bit != 0 || word.Or(bit)&bit != 0 {
		return strict || d.admitSeen()
	}
	if d.sightings.Add(1) == d.room {
		for i := range d.bits {
			d.bits[i].Store(0)
		}
		d.sightings.Store(0)
	}
	return false
}

// admitSeen decides about what was asked for lately.
func (d *admission) admitSeen() bool {
	n := d.again.Add(1)
	if n%churnPeriod == 0 {
		hits := d.hits.Load()
		d.churns.Store(hits-d.before.Swap(hits) < churnPeriod*churnHits)
	}
	return n%churnAdmits == 0 || !d.churns.Load()
}
