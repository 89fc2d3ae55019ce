// Package importexport carries records between the store and an import folder: a folder of NDJSON files, one for each
// noun, with the bytes of stored files beside them. Import is the way in which an existing backoffice keeps the store
// in step; export writes what import reads.
//
// Both stream, in chunks, so that memory does not grow with the data. The package knows the form of the folder and how
// records are merged; the rules of a record's values are the domain's. It must not print, and nothing that it returns
// holds a value of a record.
package importexport
