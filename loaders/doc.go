// Package loaders batches a request's paged reads against the store. A resolver asks once, with all the keys of its
// level, and does not know its caller; the asks of a level are merged into one statement per noun and question.
//
// It holds no rule and no SQL. It lives as long as one request, and no other request sees what it has read.
package loaders
