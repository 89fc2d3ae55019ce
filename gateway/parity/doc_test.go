// Package parity tests that a question has one answer: by GraphQL and REST, on each engine, from each server, with and
// without a cache.
package parity
