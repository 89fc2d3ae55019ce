package gateway

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"example.org/backoffice/backoffice"
)

// gcPercent lets the heap of a program that does not serve grow to three times what lives before it is collected.
const gcPercent = 200

// working is how large a server's heap may be, beside its cache, before it is collected. What lives is small, for a request
// leaves nothing behind: at 32 callers at once it takes some 20 MB.
const working = 32 << 20

// leastPercent is by how much the heap may grow in any case: a server that holds more than it should has other worries than
// memory, and collecting all the time would be one more.
const leastPercent = 50

// memoryLimit is where the collector works harder rather than let the heap grow: what requests may have in memory at one
// time, which depends on the processors, and what the program has besides.
func memoryLimit() int64 { return 256<<20 + int64(backoffice.Processors)*96<<20 }

// TuneFor is Tune for a server that keeps up to so many bytes in memory. Its heap is collected when it has grown to these and what it
// works with: a share of what lives, as GOGC has it, would have the collector run all the time while the cache is small,
// and take twice its memory when it is full.
func TuneFor(cache Size) {
	if os.Getenv("GOGC") == "" {
		paceTo(working + int64(cache))
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit() + int64(cache))
	}
}

// paceTo has each collection of the heap say when the next one begins: at a size in bytes, as far as possible.
func paceTo(size int64) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	percent := 0
	type collected struct{ _ *byte } // with a pointer in it: what has none shares its memory with others, and may live on with them
	var pace func(*collected)
	pace = func(*collected) {
		metrics.Read(live)
		next := leastPercent
		if lives := int64(max(live[0].Value.Uint64(), 8<<20)); size > lives {
			next = max(next, int((size-lives)*100/lives))
		}
		if 10*next < 9*percent || 10*next > 11*percent { // setting it stops the world for a moment
			percent = next
			debug.SetGCPercent(percent)
		}
		runtime.SetFinalizer(new(collected), pace) // of an object that nobody has: it runs after the next collection
	}
	pace(nil)
}

// threadsPerProcessor is how many goroutines may run at one time, for each processor. Go lets a goroutine keep its turn for
// 10 ms, and looks whether a request has come when one ends: with as many turns as processors, whoever wants little waits
// behind long statements. With more, the system's scheduler shares the processors, and it lets those go first who slept.
const threadsPerProcessor = 2

// Tune sets Go's scheduler and garbage collector to what a server needs, unless the environment says GOMAXPROCS, GOGC or
// GOMEMLIMIT.
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
