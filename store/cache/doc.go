// Package cache is a store that answers reads from memory, and never with stale data. It wraps another store at its
// Send: resolvers, loaders and REST are unaware of it. What it knows of a record or a list is valid up to a number of
// the change log; each request first learns how far the log has come, and the new entries evict what they changed.
// Docs: docs/adr/0014-reads-from-memory.md.
//
// It never contains transactions, credentials, the register of consultations, idempotency keys or the change log, and
// reads for writing bypass it. Registration numbers stay sealed in it, as the store below returns them.
package cache
