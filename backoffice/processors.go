package backoffice

import "runtime"

// Processors is how many processors the system gives the program; GOMAXPROCS may be more (gateway.Tune).
var Processors = runtime.GOMAXPROCS(0)
