// Package gateway puts the server together: it opens what is behind it (a store, stored files, keys), and mounts
// GraphQL, REST, GraphiQL and the documentation on one handler in front of it. It is the only package that knows a
// transport and an engine both.
//
// It must not know a command line, nor hold a rule of the domain.
package gateway
