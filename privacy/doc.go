// Package privacy guards the national registration numbers. It seals them for the store, is the only package that opens
// them, and keeps the register of consultations: no number leaves the server before a durable entry names its viewer.
// It also owns the keys, and so everything else that is keyed: cursors, signed download paths, content digests.
//
// It knows no transport's format and no database, and must not put a number into an error, a log or a name.
package privacy
