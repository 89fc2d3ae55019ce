// Package store keeps the records of package backoffice in an SQL database: the text of every statement and the mapping
// of rows to records, one file per noun. A noun is described once, as a table (see customer.go); reading, paging,
// counting and writing are written once for all of them. The text is the same on both engines where possible; the
// differences are the fields of a Dialect.
//
// It must not import a driver: packages store/sqlite and store/postgres open databases and run its statements, as an
// Engine. It must not contain domain rules: package backoffice decides what is allowed.
package store
