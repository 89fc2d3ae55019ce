// Package limits bounds what one GraphQL request may ask for, before anything of it is executed.
//
// Three passes, each linear and each a gate for the next, dearer one: Scan counts the words of the document without
// parsing it; Measure bounds its depth, its root fields and the work that validating it would be; Price turns a
// validated document into formulas whose values, the cost and the length of its lists, depend only on a request's
// variables. All three look at a fragment once, however often it is spread, so a small document cannot ask for much
// work here either.
//
// The reasons for every number are in docs/limits.md. The package knows no HTTP and executes nothing.
package limits
