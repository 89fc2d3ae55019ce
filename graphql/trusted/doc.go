// Package trusted reads the documents that an operator trusts from the output of clients' tools, checks them, and finds
// them for a server by identifier. Package backoffice decides what may be trusted. This one must not know a transport.
package trusted
