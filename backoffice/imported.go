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
	// ForgetImported removes what an import did to records.
	ForgetImported(ctx context.Context, number int64, ids ...string) error
}

// Add adds a record.
func (t *Trashed) Add(record any) {
	switch record := record.(type) {
	case *Customer:
		t.Customers = append(t.Customers, record)
	case *CustomerRelation:
		t.Relations = append(t.Relations, record)
	case *Transcript:
		t.Transcripts = append(t.Transcripts, record)
	case *Calculation:
		t.Calculations = append(t.Calculations, record)
	case *CustomerDocument:
		t.Documents = append(t.Documents, record)
	case *MinfinDocument:
		t.MinfinDocuments = append(t.MinfinDocuments, record)
	case *Label:
		t.Labels = append(t.Labels, record)
	case *User:
		t.Users = append(t.Users, record)
	case *FinancialYear:
		t.FinancialYears = append(t.FinancialYears, record)
	case *Checklist:
		t.Checklists = append(t.Checklists, record)
	}
}

// Only is the record of an entry that has one.
func (t *Trashed) Only() any {
	for _, first := range []any{
		firstOf(t.Customers), firstOf(t.Relations), firstOf(t.Transcripts), firstOf(t.Calculations),
		firstOf(t.Documents), firstOf(t.MinfinDocuments), firstOf(t.Labels), firstOf(t.Users),
		firstOf(t.FinancialYears), firstOf(t.Checklists),
	} {
		if first != nil {
			return first
		}
	}
	return nil
}

func firstOf[T any](rows []*T) any {
	if len(rows) == 0 {
		return nil
	}
	return rows[0]
}
