// Package trusted reads the documents that an operator trusts out of what clients' tools make of them, checks them,
// and remembers for a server what is asked by an identifier. What may be trusted, and by whom, is package
// backoffice's; it must not know a transport.
package trusted
