// Package inputs holds the inputs and payloads of GraphQL's mutations as gqlgen binds them, and turns an input into the
// domain's. In an input of an update, absent, null and a value are three things.
//
// It must not hold a rule: those are the domain's.
package inputs
