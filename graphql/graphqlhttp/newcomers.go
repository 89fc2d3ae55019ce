package graphqlhttp

import (
	"net/netip"
	"slices"
	"sync"
)

// newcomers are the sockets on which nobody has signed in. When there are too many, the address that has the most
// loses its oldest, so that whoever opens sockets and says nothing keeps nobody else out.
type newcomers struct {
	mu sync.Mutex
	n  int
	of map[netip.Prefix][]*newcomer // the oldest first
}

type newcomer struct {
	from  netip.Prefix
	close func()
}

// enter adds a socket. leave is called when somebody has signed in on it, or it ends; more than once does nothing.
func (all *newcomers) enter(from netip.Addr, closeIt func()) (leave func()) {
	one := &newcomer{prefixOf(from), closeIt}
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.of == nil {
		all.of = map[netip.Prefix][]*newcomer{}
	}
	all.of[one.from] = append(all.of[one.from], one)
	if all.n++; all.n > mostNewcomers {
		oldest := all.oldest()
		all.remove(oldest)
		go oldest.close()
	}
	return func() {
		all.mu.Lock()
		defer all.mu.Unlock()
		all.remove(one)
	}
}

func (all *newcomers) oldest() *newcomer {
	var most []*newcomer
	for _, of := range all.of {
		if len(of) > len(most) {
			most = of
		}
	}
	return most[0]
}

func (all *newcomers) remove(one *newcomer) {
	of := all.of[one.from]
	at := slices.Index(of, one)
	if at < 0 {
		return
	}
	all.n--
	if of = slices.Delete(of, at, at+1); len(of) == 0 {
		delete(all.of, one.from)
	} else {
		all.of[one.from] = of
	}
}

// prefixOf is what one client has: an address of version 4, and of version 6 a network of 64 bits.
func prefixOf(from netip.Addr) netip.Prefix {
	bits := 64
	if from = from.Unmap(); from.Is4() {
		bits = 32
	}
	prefix, _ := from.Prefix(bits)
	return prefix
}
