// Package cache is a store that answers reads from memory, and never with anything old. It stands before another
// store, behind its Send: resolvers, loaders and REST know nothing of it. What it knows of a record or a list is good
// up to a number of the change log; each request first learns how far the log has come, and what stands there drops
// what it changed. Docs: docs/adr/0014-reads-from-memory.md.
//
// It never holds transactions, credentials, the register of consultations, idempotency keys or the change log, and
// reads for writing go past it. Registration numbers stay sealed in it, as the store below returns them.
package cache
