package loaders

import "sync"

// keyIndex numbers texts in the order in which they were added. Its memory is pooled. The zero value is ready to use.
type keyIndex struct {
	numbers map[string]int
	keys    []string
}

func (k *keyIndex) add(key string) int {
	number, known := k.numbers[key]
	if !known {
		if k.numbers == nil {
			k.numbers = map[string]int{}
		}
		number = len(k.keys)
		k.numbers[key], k.keys = number, append(k.keys, key)
	}
	return number
}

func (k *keyIndex) since(number int) []string { return k.keys[number:len(k.keys):len(k.keys)] }

// find returns the number of a text, -1 for one that was not added.
func (k *keyIndex) find(key string) int {
	if number, known := k.numbers[key]; known {
		return number
	}
	return -1
}

// cut forgets all texts but the first n.
func (k *keyIndex) cut(n int) {
	for _, key := range k.keys[n:] {
		delete(k.numbers, key)
	}
	clear(k.keys[n:])
	k.keys = k.keys[:n]
}

var unused = sync.Pool{New: func() any { return new(keyIndex) }}

// mostKept is the most texts that a pooled index may have held.
const mostKept = 4096

func (k *keyIndex) release() {
	if len(k.keys) <= mostKept {
		k.cut(0)
		unused.Put(k)
	}
}

func (l *Loaders) borrowKeys() *keyIndex {
	k := unused.Get().(*keyIndex)
	l.keys = append(l.keys, k)
	return k
}
