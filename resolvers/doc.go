// Package resolvers maps GraphQL's fields to the domain: one file per noun. A resolver takes all parents of its level,
// asks a loader once with all its keys and returns one result per parent; it does not know its caller. A mutation
// authorises, calls the domain and wraps the result.
//
// It must hold no rule of the domain and no SQL.
package resolvers
