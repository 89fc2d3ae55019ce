package graphqlhttp

import (
	"net/netip"
	"slices"
	"sync"

	"example.org/backoffice/backoffice"
)

// newcomers are the sockets that have not signed in. When there are too many, the address with the most loses its
// oldest: a client that opens sockets without signing in keeps nobody else out.
type newcomers struct {
	mu sync.Mutex
	n  int
	of map[netip.Prefix][]*newcomer // oldest first
}

type newcomer struct {
	from  netip.Prefix
	close func()
}

// enter adds a socket. Call leave when it has signed in or ended; further calls do nothing.
func (all *newcomers) enter(from netip.Addr, closeIt func()) (leave func()) {
	one := &newcomer{backoffice.NetworkOf(from), closeIt}
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

// stop closes all of them.
func (all *newcomers) stop() {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, of := range all.of {
		for _, one := range of {
			go one.close()
		}
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
