// Package ship copies an embedded store to another place while it serves: a snapshot of the database, then the pages of
// each transaction within a second, and the stored files before the transactions that name them. It restores a store
// from there as it was after any transaction.
//
// Everything is sealed before it leaves. The package must not know what is in the pages, nor the registration numbers.
package ship
