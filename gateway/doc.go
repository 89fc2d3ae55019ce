// Package gateway assembles the server: it opens a store, stored files and keys, and mounts GraphQL, REST, GraphiQL and
// the documentation on one handler. It is the only package that knows both a transport and an engine.
//
// It must not know a command line, nor hold a rule of the domain.
package gateway
