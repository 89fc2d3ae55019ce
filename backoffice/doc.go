// Package backoffice is the domain: the nouns of an accounting office, the rules that hold for them, the kinds of
// errors, and the interfaces of the store that keeps them. Every rule is written here once and holds for GraphQL,
// REST, import and the command line alike.
//
// It must not know a transport, a database or a wire format; it imports the standard library and a few named
// libraries for texts, numbers and identifiers.
package backoffice
