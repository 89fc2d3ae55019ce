package gateway

import (
	"os"
	"runtime"
	"sync"
)

// network is a pipe to this process that shows when Go's scheduler has polled the network: if idle, or after 10 ms.
// While large requests queue it is never idle, and would not see small ones arrive.
type network struct {
	read, write *os.File

	mu      sync.Mutex
	waiting []chan struct{}
}

// processNetwork is nil when no pipe could be made.
var processNetwork = sync.OnceValue(func() *network {
	read, write, err := os.Pipe()
	if err != nil {
		return nil
	}
	n := &network{read: read, write: write}
	go n.listen()
	return n
})

// listen resumes the waiting goroutines, after those that the same poll made ready.
func (n *network) listen() {
	var written [1]byte
	for {
		if _, err := n.read.Read(written[:]); err != nil {
			return
		}
		runtime.Gosched()
		n.resume()
	}
}

func (n *network) resume() {
	n.mu.Lock()
	waiting := n.waiting
	n.waiting = nil
	n.mu.Unlock()
	for _, one := range waiting {
		close(one)
	}
}

// yield returns after all that had arrived over the network has started, as runtime.Gosched does for what can run.
func (n *network) yield() {
	if n == nil {
		runtime.Gosched()
		return
	}
	done := make(chan struct{})
	n.mu.Lock()
	n.waiting = append(n.waiting, done)
	first := len(n.waiting) == 1
	n.mu.Unlock()
	if first { // a pipe accepts a byte immediately
		if _, err := n.write.Write([]byte{0}); err != nil {
			n.resume()
		}
	}
	<-done
}
