package gateway

import (
	"os"
	"runtime"
	"runtime/debug"

	"example.org/backoffice/backoffice"
)

// gcPercent lets the heap of a program that does not serve grow to three times what lives before it is collected.
const gcPercent = 200

// working is what a server takes beside its cache. What lives is small, for a request leaves nothing behind: at 32
// callers at once it takes some 20 MB.
const working = 32 << 20

// leastPercent is by how much the heap may grow in any case: collecting all the time would be one more worry.
const leastPercent = 50

// memoryLimit is where the collector works harder rather than let the heap grow: what requests may have in memory at
// one time, which depends on the processors, and what the program has besides.
func memoryLimit() int64 { return 256<<20 + int64(backoffice.Processors)*96<<20 }

// TuneFor is Tune for a server that keeps up to so many bytes in memory. The larger that is, the smaller is the share of
// what lives by which the heap grows: as Tune has it, a full cache would take three times its memory.
func TuneFor(cache Size) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(max(leastPercent, int(gcPercent*working/(working+int64(cache)))))
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit() + int64(cache))
	}
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
