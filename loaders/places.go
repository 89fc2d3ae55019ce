package loaders

import (
	"hash/maphash"
	"sync"
)

// places numbers texts in the order in which they were added. It is a map[string]int that costs half as much, since it
// never forgets a single text and is used again by other requests. The zero value works.
type places struct {
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

// of gives the number of a text, a new one if need be.
func (p *places) of(key string) int {
	if 2*len(p.keys) >= len(p.slots) {
		p.fill(make([]slot, max(16, 2*len(p.slots))), len(p.keys))
	}
	hash := uint32(maphash.String(seed, key))
	at, number := p.look(key, hash)
	if number >= 0 {
		return number
	}
	p.keys = append(p.keys, key)
	p.slots[at] = slot{hash, uint32(len(p.keys))}
	return len(p.keys) - 1
}

// since are the texts from a number on.
func (p *places) since(number int) []string { return p.keys[number:len(p.keys):len(p.keys)] }

// known gives the number of a text, -1 for one that was not added.
func (p *places) known(key string) int {
	if len(p.keys) == 0 {
		return -1
	}
	_, number := p.look(key, uint32(maphash.String(seed, key)))
	return number
}

// look finds a text, or the slot where it is to be.
func (p *places) look(key string, hash uint32) (at, number int) {
	mask := len(p.slots) - 1
	for at = int(hash) & mask; p.slots[at].number != 0; at = (at + 1) & mask {
		if s := p.slots[at]; s.hash == hash && p.keys[s.number-1] == key {
			return at, int(s.number - 1)
		}
	}
	return at, -1
}

// fill moves to other slots, with the first n texts.
func (p *places) fill(slots []slot, n int) {
	mask := len(slots) - 1
	for _, s := range p.slots {
		if s.number == 0 || int(s.number) > n {
			continue
		}
		at := int(s.hash) & mask
		for slots[at].number != 0 {
			at = (at + 1) & mask
		}
		slots[at] = s
	}
	p.slots = slots
}

// cut forgets all texts but the first n.
func (p *places) cut(n int) {
	if n == 0 {
		clear(p.slots)
	} else {
		p.fill(make([]slot, len(p.slots)), n)
	}
	clear(p.keys[n:])
	p.keys = p.keys[:n]
}

// unused holds places that were cut to nothing.
var unused = sync.Pool{New: func() any { return new(places) }}

// mostKept is how many texts places may have had to be used again.
const mostKept = 4096

// giveBack lets others use them.
func (p *places) giveBack() {
	if len(p.keys) <= mostKept {
		p.cut(0)
		unused.Put(p)
	}
}
