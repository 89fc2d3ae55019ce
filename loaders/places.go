package loaders

import (
	"hash/maphash"
	"sync"
)

// places numbers texts in the order in which they were added. It is a map[string]int that costs half as much, since it
// never forgets a single text and is used again by other requests. The zero value works.
type places struct {
	slots  []uint32 // number + 1 of the text, or 0; as many as a power of two, at most half of them in use
	keys   []string
	hashes []uint32 // of the keys
}

// seed is new in every process, so that nobody can choose identifiers that collide.
var seed = maphash.MakeSeed()

// of gives the number of a text, a new one if need be.
func (p *places) of(key string) int {
	if 2*len(p.keys) >= len(p.slots) {
		p.grow()
	}
	hash := uint32(maphash.String(seed, key))
	slot, number := p.look(key, hash)
	if number >= 0 {
		return number
	}
	p.keys, p.hashes = append(p.keys, key), append(p.hashes, hash)
	p.slots[slot] = uint32(len(p.keys))
	return len(p.keys) - 1
}

// since are the texts from a number on.
func (p *places) since(number int) []string { return p.keys[number:len(p.keys):len(p.keys)] }

// known gives the number of a text, -1 for one that was not added.
func (p *places) known(key string) int {
	if len(p.slots) == 0 {
		return -1
	}
	_, number := p.look(key, uint32(maphash.String(seed, key)))
	return number
}

// look finds a text, or the slot where it is to be.
func (p *places) look(key string, hash uint32) (slot uint32, number int) {
	mask := uint32(len(p.slots) - 1)
	for slot = hash & mask; p.slots[slot] != 0; slot = (slot + 1) & mask {
		number = int(p.slots[slot] - 1)
		if p.hashes[number] == hash && p.keys[number] == key {
			return slot, number
		}
	}
	return slot, -1
}

func (p *places) grow() {
	p.slots = make([]uint32, max(16, 2*len(p.slots)))
	p.fill()
}

func (p *places) fill() {
	mask := uint32(len(p.slots) - 1)
	for i, hash := range p.hashes {
		slot := hash & mask
		for p.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		p.slots[slot] = uint32(i + 1)
	}
}

// cut forgets all texts but the first n.
func (p *places) cut(n int) {
	clear(p.slots)
	clear(p.keys[n:])
	p.keys, p.hashes = p.keys[:n], p.hashes[:n]
	p.fill()
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
