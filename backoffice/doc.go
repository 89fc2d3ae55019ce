// Package backoffice is the domain: the nouns of an accounting office, their rules, the kinds of errors, and the
// interfaces of the store. Every rule is written here once and applies to GraphQL, REST, import and the command line.
//
// It must not import a transport, a database or gqlgen. Besides the standard library it imports a few named libraries
// for texts, numbers and identifiers. Fields, values and nodes are named as in the GraphQL schema, so that gqlgen uses
// its types directly.
package backoffice
