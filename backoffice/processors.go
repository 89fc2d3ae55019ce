package backoffice

import "runtime"

// Processors is how many processors the program has. GOMAXPROCS may be higher (gateway.Tune).
var Processors = runtime.GOMAXPROCS(0)
