// Package rest is the REST interface of the specification: one file per noun, an operation of which is a Go type for
// what comes in, a Go type for what goes out, and what to ask the domain. The OpenAPI document is generated from those
// types.
//
// It must not hold a rule: what a number, a filter or a write has to be is the domain's to say, so that GraphQL and
// this interface never disagree. It knows no SQL and no engine.
package rest
