package gateway

import (
	"os"
	"runtime"
	"runtime/debug"
)

// gcPercent lets the heap grow to three times what lives before it is collected. What lives is small, for a
// request leaves nothing behind and its rows' memory is used again: at 32 callers at once it costs some 20 MB.
const gcPercent = 200

// memoryLimit is where the collector works harder rather than let the heap grow: what requests may have in memory at one
// time, which depends on the processors, and what the program has besides.
func memoryLimit() int64 { return 256<<20 + int64(runtime.GOMAXPROCS(0))*96<<20 }

// TuneMemory sets the garbage collector to what a server needs, unless the environment says GOGC or GOMEMLIMIT.
func TuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit())
	}
}
