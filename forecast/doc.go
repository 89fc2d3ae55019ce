// Package forecast tells how many statements a query is going to ask a store for, without asking one: the query's own resolvers
// run over an imagined store, in which all that they ask for is there.
//
// It must not know what a resolver asks, nor how a query is executed. What it gives is never shown to anybody.
package forecast
