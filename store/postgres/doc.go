// Package postgres opens a store in PostgreSQL, for offices with several servers. Statements go through pgx's native
// pool: the binary protocol, arrays as parameters, rows decoded from the bytes on the wire.
//
// It must not hold the text of a statement about a noun; those are package store's.
package postgres
