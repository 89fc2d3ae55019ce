package gateway

import (
	"os"
	"runtime"
	"runtime/debug"

	"example.org/backoffice/backoffice"
)

// gcPercent lets the heap of a program that does not serve grow to three times its live data before a collection.
const gcPercent = 200

// working is a server's memory besides its cache. A request leaves nothing in it: 32 callers at a time take some 20 MB.
const working = 32 << 20

// leastPercent is how much the heap may grow in any case, so that the collector does not run all the time.
const leastPercent = 50

// memoryLimit is where the collector works harder rather than let the heap grow: the memory of concurrent requests,
// which depends on the processors, and that of the rest of the program.
func memoryLimit() int64 { return 256<<20 + int64(backoffice.Processors)*96<<20 }

// TuneFor is Tune for a server with a cache of so many bytes. The larger it is, the smaller the share of live data by
// which the heap grows: under Tune, a full cache would take three times its memory.
func TuneFor(cache Size) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(max(leastPercent, int(gcPercent*working/(working+int64(cache)))))
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit() + int64(cache))
	}
}

// threadsPerProcessor is how many goroutines may run at one time per processor. Go lets a goroutine run for 10 ms, and
// polls for requests when one stops. With as many threads as processors, a small request waits for long statements.
// With more, the system's scheduler shares the processors, and it prefers threads that slept.
const threadsPerProcessor = 2

// Tune configures Go's scheduler and garbage collector for a server, unless GOMAXPROCS, GOGC or GOMEMLIMIT is set.
func Tune() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(threadsPerProcessor * backoffice.Processors)
	}
	TuneFor(0)
}
