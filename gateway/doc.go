// Package gateway assembles the server: it opens a store, stored files and keys, and mounts GraphQL, REST, GraphiQL and
// the documentation on one handler. Besides cli, only it knows both a transport and an engine.
//
// It parses no command line, and holds no rule of the domain.
package gateway
