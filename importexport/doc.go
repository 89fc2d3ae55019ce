// Package importexport carries records between the store and an import folder: a folder of NDJSON files, one for each
// noun, next to stored files. Repeated imports keep the store in step with another system; export writes the same.
//
// Both stream in chunks, so that memory does not grow with the data. The package knows the form of the folder and how
// to merge records; the rules for a record's values belong to the domain. It must not print, and nothing that it
// returns contains a value of a record.
package importexport
