// Package resolvers turns GraphQL's fields into the domain: one file per noun. A resolver takes all parents of its
// level, asks a loader once with all its keys and returns as many results; it does not know who calls it. A mutation
// authorises, calls the domain and wraps what came of it.
//
// It must hold no rule of the domain and no SQL.
package resolvers
