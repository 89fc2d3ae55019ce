// Package privacy guards the national registration numbers. It seals them for the store, is the only one that opens
// them again, and keeps the register of consultations: no number leaves the server before an entry that says who
// looked at it is durable. It also owns the keys, and with them everything else that is keyed: cursors, signed
// download paths and digests of contents.
//
// It knows neither a transport's format nor a database, and it must not put a number into an error, a log or a name.
package privacy
