// Package export answers a query of one list with the whole list, as JSON Lines, CSV or XLSX. It walks the list by its
// own cursor, in pages that are executed like any other operation, and keeps one page in memory and the next. It must
// not know how a query is executed, nor a store.
package export
