// Package backoffice is the domain: the nouns of an accounting office, the rules that hold for them, the kinds of
// errors, and the interfaces of the store that keeps them. Every rule is written here once and holds for GraphQL,
// REST, import and the command line alike.
//
// It must not import a transport, a database or gqlgen; beside the standard library it imports a few named libraries
// for texts, numbers and identifiers. The names that it gives to fields, values and nodes are those of the GraphQL
// schema, so that gqlgen takes its types as they are.
package backoffice
