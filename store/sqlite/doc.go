// Package sqlite opens the embedded store: a single file, written by one connection and read by as many as there are
// processors. The driver is modernc.org/sqlite, which needs no C compiler.
//
// It must not hold the text of a statement about a noun; those are package store's.
package sqlite
