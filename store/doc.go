// Package store keeps the records of package backoffice in an SQL database: the text of every statement, the mapping of
// rows to records, one file per noun. A noun is described once, as a table (see customer.go); reading, paging,
// counting and writing are written once for all of them. The text is the same on both engines wherever they allow it;
// the differences are the fields of a Dialect.
//
// It must not know a driver: packages store/sqlite and store/postgres open databases and run statements for it, as an
// Engine. It must not hold a rule of the domain: what is allowed is decided in package backoffice.
package store
