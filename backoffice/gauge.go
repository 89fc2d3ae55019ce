package backoffice

// Gauge is a metric of a store, for operators.
type Gauge struct {
	Name   string   // without the program's prefix, such as store_connections_in_use
	Help   string   // one sentence
	Labels []string // name, value, name, value
	Read   func() int64
}
