package backoffice

// Gauge is a number by which an operator sees how a store is doing.
type Gauge struct {
	Name   string   // without the program's prefix, such as store_connections_in_use
	Help   string   // one sentence
	Labels []string // name, value, name, value
	Read   func() int64
}
