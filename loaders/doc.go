// Package loaders batches a request's paged reads against the store. A resolver asks once, with all the keys of its
// level, and does not know who calls it; the asks of a level are merged into one statement per noun and question.
//
// It holds no rule and no SQL, and it lives as long as one request: what it has read is never shown to another.
package loaders
