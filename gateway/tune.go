package gateway

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"

	"example.org/backoffice/backoffice"
)

// gcPercent lets the heap of a program that does not serve grow to three times what lives before it is collected.
const gcPercent = 200

// working is how large a server's heap may be, beside its cache, before it is collected. What lives is small, for a
// request leaves nothing behind: at 32 callers at once it takes some 20 MB.
const working = 32 << 20

// leastPercent is by how much the heap may grow in any case: a server that holds more than it should has other worries
// than memory, and collecting all the time would be one more.
const leastPercent = 50

// exporting is by how much the heap grows at most while there is an export. It goes on for long and makes rows all the
// time, but has few of them at one time: collecting more often costs it nothing to speak of, and what it would leave
// for minutes others can use.
const exporting = 15 << 20

// memoryLimit is where the collector works harder rather than let the heap grow: what requests may have in memory at
// one time, which depends on the processors, and what the program has besides.
func memoryLimit() int64 { return 256<<20 + int64(backoffice.Processors)*96<<20 }

// TuneFor is Tune for a server that keeps up to so many bytes in memory. Its heap is collected when it has grown to
// these and what it works with: a share of what lives, as GOGC has it, would take twice the memory of a full cache.
func TuneFor(cache Size) {
	if os.Getenv("GOGC") == "" {
		gc.paceTo(working + int64(cache))
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit() + int64(cache))
	}
}

// pacer says how large the program's heap becomes before it is collected. There is one, as the collector is one.
type pacer struct {
	size    atomic.Int64 // in bytes, which the heap grows to; 0 leaves it to GOGC
	exports atomic.Int64 // that go on

	mu      sync.Mutex
	percent int
}

var gc pacer

// paceTo has each collection say when the next one begins: at a size in bytes, as far as possible.
func (p *pacer) paceTo(size int64) {
	p.size.Store(size)
	type collected struct{ _ *byte } // with a pointer in it: what has none shares its memory with others, and may live on with them
	var pace func(*collected)
	pace = func(*collected) {
		p.pace()
		runtime.SetFinalizer(new(collected), pace) // of an object that nobody has: it runs after the next collection
	}
	pace(nil)
}

// pace sets the size of the next collection.
func (p *pacer) pace() {
	size := p.size.Load()
	if size == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	lives := int64(max(live[0].Value.Uint64(), 8<<20))
	growth := size - lives
	if p.exports.Load() > 0 {
		growth = min(growth, exporting)
	}
	next := max(leastPercent, int(growth*100/lives))
	if 10*next < 9*p.percent || 10*next > 11*p.percent { // setting it stops the world for a moment
		p.percent = next
		debug.SetGCPercent(next)
	}
}

// export notes that an export goes on, until the end.
func (p *pacer) export() (end func()) {
	p.exports.Add(1)
	p.pace()
	return func() { p.exports.Add(-1) }
}

// threadsPerProcessor is how many goroutines may run at one time, for each processor. Go lets a goroutine keep its
// turn for 10 ms, and looks whether a request has come when one ends: with as many turns as processors, whoever wants
// little waits behind long statements. With more, the system's scheduler shares the processors, and it lets those go
// first who slept.
const threadsPerProcessor = 2

// Tune sets Go's scheduler and garbage collector to what a server needs, unless the environment says GOMAXPROCS, GOGC
// or GOMEMLIMIT.
func Tune() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(threadsPerProcessor * backoffice.Processors)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit())
	}
}
