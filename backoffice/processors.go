package backoffice

import "runtime"

// Processors is how many processors the program may use, as the system tells it. GOMAXPROCS may be set to more later:
// see gateway.Tune.
var Processors = runtime.GOMAXPROCS(0)
