// Package mirror keeps the store in step with a running backoffice of the same specification, by its REST interface:
// Pull is its door. It walks through each noun in pages, or follows the origin's changes where it tells them, and
// loads what it reads as an import does.
//
// What must never happen is that a record is deleted here which the origin has: every answer may be cut short, empty
// or of another moment. So nothing is deleted for not being in a list once. The rules of records are the domain's and
// package importexport's, never this one's.
package mirror
