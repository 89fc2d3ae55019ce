// Package answers keeps whole answers of queries in memory, and returns one only while executing again would give the
// same bytes. An answer has a proof of what it was read from, by the cache below; before each use a poll of the change
// log that began after the request came in confirms it.
//
// It must not keep an answer that depends on anything else: on the caller beyond the view in its key, on the clock
// beyond the day, on reads without a key, or on registration numbers. A field of the schema is of its reads only if
// fields.go lists it.
// Docs: docs/adr/0037-kept-answers.md.
package answers
