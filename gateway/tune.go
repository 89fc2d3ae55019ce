package gateway

import (
	"os"
	"runtime"
	"runtime/debug"

	"example.org/backoffice/backoffice"
)

// gcPercent lets the heap grow to three times what lives before it is collected. What lives is small, for a
// request leaves nothing behind and its rows' memory is used again: at 32 callers at once it costs some 20 MB.
const gcPercent = 200

// memoryLimit is where the collector works harder rather than let the heap grow: what requests may have in memory at one
// time, which depends on the processors, and what the program has besides.
func memoryLimit() int64 { return 256<<20 + int64(backoffice.Processors)*96<<20 }

// living is what lives beside a cache, roughly.
const living = 32 << 20

// TuneFor is Tune for a server that keeps so many bytes in memory: they live as well, and the heap is not to grow by twice as
// much because of them.
func TuneFor(cache Size) {
	if os.Getenv("GOGC") == "" && cache > 0 {
		debug.SetGCPercent(max(gcPercent*living/(living+int(cache)), gcPercent/4))
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit() + int64(cache))
	}
}

// threadsPerProcessor is how many goroutines may run at one time, for each processor. Go lets a goroutine keep its turn for
// 10 ms, and looks whether a request has come when one ends: with as many turns as processors, whoever wants little waits
// behind long statements. With more, the system's scheduler shares the processors, and it lets those go first who slept.
const threadsPerProcessor = 4

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
