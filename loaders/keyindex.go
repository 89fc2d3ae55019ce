package loaders

import (
	"hash/maphash"
	"sync"
)

// keyIndex numbers texts in the order in which they were added. It is a map[string]int that costs half as much, since it
// never forgets a single text and is used again by other requests. The zero value works.
type keyIndex struct {
	slots []slot // as many as a power of two, at most half of them in use
	keys  []string
}

// slot is where a text is looked for first, or one of those behind it.
type slot struct {
	hash   uint32
	number uint32 // of the text, from 1; 0 in a slot that is not in use
}

// seed is new in every process, so that nobody can choose identifiers that collide.
var seed = maphash.MakeSeed()

// add gives the number of a text, a new one if need be.
func (k *keyIndex) add(key string) int {
	if 2*len(k.keys) >= len(k.slots) {
		k.fill(make([]slot, max(16, 2*len(k.slots))), len(k.keys))
	}
	hash := uint32(maphash.String(seed, key))
	at, number := k.look(key, hash)
	if number >= 0 {
		return number
	}
	k.keys = append(k.keys, key)
	k.slots[at] = slot{hash, uint32(len(k.keys))}
	return len(k.keys) - 1
}

// since are the texts from a number on.
func (k *keyIndex) since(number int) []string { return k.keys[number:len(k.keys):len(k.keys)] }

// find gives the number of a text, -1 for one that was not added.
func (k *keyIndex) find(key string) int {
	if len(k.keys) == 0 {
		return -1
	}
	_, number := k.look(key, uint32(maphash.String(seed, key)))
	return number
}

// look finds a text, or the slot where it is to be.
func (k *keyIndex) look(key string, hash uint32) (at, number int) {
	mask := len(k.slots) - 1
	for at = int(hash) & mask; k.slots[at].number != 0; at = (at + 1) & mask {
		if s := k.slots[at]; s.hash == hash && k.keys[s.number-1] == key {
			return at, int(s.number - 1)
		}
	}
	return at, -1
}

// fill moves to other slots, with the first n texts.
func (k *keyIndex) fill(slots []slot, n int) {
	mask := len(slots) - 1
	for _, s := range k.slots {
		if s.number == 0 || int(s.number) > n {
			continue
		}
		at := int(s.hash) & mask
		for slots[at].number != 0 {
			at = (at + 1) & mask
		}
		slots[at] = s
	}
	k.slots = slots
}

// cut forgets all texts but the first n.
func (k *keyIndex) cut(n int) {
	if n == 0 {
		clear(k.slots)
	} else {
		k.fill(make([]slot, len(k.slots)), n)
	}
	clear(k.keys[n:])
	k.keys = k.keys[:n]
}

// unused holds indexes that were cut to nothing.
var unused = sync.Pool{New: func() any { return new(keyIndex) }}

// mostKept is how many texts an index may have had to be used again.
const mostKept = 4096

// giveBack lets others use them.
func (k *keyIndex) giveBack() {
	if len(k.keys) <= mostKept {
		k.cut(0)
		unused.Put(k)
	}
}

// borrowKeys is an index until the loaders are closed.
func (l *Loaders) borrowKeys() *keyIndex {
	k := unused.Get().(*keyIndex)
	l.keys = append(l.keys, k)
	return k
}
