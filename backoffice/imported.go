package backoffice

import "context"

// Imported is what an import did to a record.
type Imported struct {
	Before any                   // the record as it was; nil for a new one
	Same   func(record any) bool // reports whether it is as the import left it; nil for a record that does not exist
}

// ImportStore keeps what imports changed, while they can be taken back. An import has the number of its act in the
// change log.
type ImportStore interface {
	// ImportedRecords returns the records of a noun that an import created, and the others that it changed.
	ImportedRecords(ctx context.Context, number int64, noun Noun) (created, others []string, err error)
	// Imported returns what an import did to records, by identifier.
	Imported(ctx context.Context, number int64, ids ...string) (map[string]*Imported, error)
	// EachImported visits the customers as they were, and the records with files.
	EachImported(ctx context.Context, visit func(*Trashed) error) error
}

type ImportTx interface {
	// KeepBefore makes later Upserts and Deletes in this transaction keep what the records were, as what the import
	// with this number did, until an instant. ForgetFiles keeps all files.
	KeepBefore(ctx context.Context, number int64, until Instant) error
	// ForgetImported removes what an import did to records, and counts them.
	ForgetImported(ctx context.Context, number int64, ids ...string) (int64, error)
	// MoveImported assigns what imports keep of a customer's records, but not of the customer, to another one.
	MoveImported(ctx context.Context, from, to string) error
	// MarkRestored marks restored records, so that undoing the import that deleted them leaves them alone.
	MarkRestored(ctx context.Context, ids ...string) error
}
