// Package rest is the REST interface of the specification: one file per noun. An operation is a Go type for its input,
// a Go type for its output, and what it asks of the domain. The OpenAPI document is generated from those types.
//
// It must not hold a rule: the domain decides what is valid, so GraphQL and REST never disagree. It knows no engine.
package rest
