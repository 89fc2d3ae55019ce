// Package limits bounds what GraphQL requests ask for, hold in memory and spend.
//
// Three linear passes each protect the next, more expensive one. Scan counts the tokens of a document without parsing
// it. Measure bounds its depth, root fields and validation. Price makes formulas of a validated document for its cost
// and the length of its lists. They depend only on a request's variables and the size of the store. All three read a
// fragment once, however often it is spread, so a small document cannot cause much work here either.
//
// The numbers are explained in docs/limits.md. The package knows no HTTP and executes nothing.
package limits
