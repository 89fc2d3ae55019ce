package backoffice

import (
	"context"
	"errors"
)

// AnyNoun is a noun with records of any type.
type AnyNoun interface {
	Name() Noun
	// RequiredScope is the scope that reading the records needs; "" for none.
	RequiredScope() Scope
	// VisibleTo reports whether a caller may see records: it has the scope, and no restriction where those of the whole
	// office are needed.
	VisibleTo(by *Principal) bool
	// EachFile visits the stored files of all records.
	EachFile(ctx context.Context, from NounReader, visit func(*File) error) error
	// file returns a record's stored file, nil for none.
	file(record any) *File
	insert(ctx context.Context, tx Tx, from *Trashed) error
}

// NounOf is a noun with the types of its records and criteria: its Table.
type NounOf[T any, C comparable] interface {
	AnyNoun
	// CanMatch reports whether any record can match the criteria.
	CanMatch(C) bool
	Reader(from NounReader) Reader[T, C]
}

// Nouns are what clients read and write, each after the nouns it refers to. Derive other lists of nouns from this one.
var Nouns = [...]AnyNoun{
	LabelTable, UserTable, FinancialYearTable, ChecklistTable, CustomerTable, RelationTable, TranscriptTable,
	CalculationTable, DocumentTable, MinfinTable, DiscrepancyTable,
}

var indexes = func() map[Noun]int {
	indexes := map[Noun]int{}
	for i, of := range Nouns {
		indexes[of.Name()] = i
	}
	return indexes
}()

// Index is the index of a noun in Nouns, -1 for any other.
func (n Noun) Index() int {
	if i, known := indexes[n]; known {
		return i
	}
	return -1
}

func (n Noun) RequiredScope() Scope {
	if i := n.Index(); i >= 0 {
		return Nouns[i].RequiredScope()
	}
	return ""
}

func (t *Table[T, C]) Name() Noun           { return t.Noun }
func (t *Table[T, C]) RequiredScope() Scope { return t.requiredScope }
func (t *Table[T, C]) VisibleTo(by *Principal) bool {
	return by.HasRequired(t.requiredScope) && !(t.WholeOffice && by != nil && by.Restriction.IsSet())
}

func (t *Table[T, C]) CanMatch(c C) bool { return t.nothing == nil || !t.nothing(c) }

func (t *Table[T, C]) Reader(from NounReader) Reader[*T, C] {
	return from.Records(t.Noun).(Reader[*T, C])
}

func (t *Table[T, C]) Writer(in Tx) Writer[*T, C] { return in.Records(t.Noun).(Writer[*T, C]) }

func (t *Table[T, C]) insert(ctx context.Context, tx Tx, from *Trashed) error {
	return t.Writer(tx).Insert(ctx, t.In(from)...)
}

func (t *Table[T, C]) file(record any) *File {
	if t.File == nil {
		return nil
	}
	return *t.File(record.(*T))
}

func (t *Table[T, C]) EachFile(ctx context.Context, from NounReader, visit func(*File) error) error {
	if t.File == nil {
		return nil
	}
	rows := t.Reader(from)
	files := rows.Columns([]string{"file", "proposal"})
	return eachRow(ctx, rows, ListQuery[C]{}, NoParent, files, func(row *T) error {
		if file := *t.File(row); file != nil {
			return visit(file)
		}
		return nil
	})
}

// EachStoredFile visits the files of all records, and those of the trash and of what imports keep after their statements
// have ended.
func EachStoredFile(ctx context.Context, from interface {
	NounReader
	TrashStore
	ImportStore
}, visit func(*File) error) error {
	var errs []error
	for _, noun := range Nouns {
		errs = append(errs, noun.EachFile(ctx, from, visit))
	}
	var kept []*File
	keep := func(d *Trashed) error { kept = append(kept, d.Files()...); return nil }
	err := errors.Join(append(errs, from.EachTrashed(ctx, keep), from.EachImported(ctx, keep))...)
	for _, file := range kept {
		if err == nil {
			err = visit(file)
		}
	}
	return err
}

// CustomersWithoutNumbers are customers as VisibleTo shows them to callers without privacy.read, also in criteria and
// orders. The registration numbers are not read.
const CustomersWithoutNumbers Noun = "customer without numbers"

type NounReader interface {
	Sender
	// Nouns looks up the noun of each identifier in one statement, "" for unknown ones. into is as long as ids.
	Nouns(b *Batch, ids []string, into []Noun) Queued
	// Records returns the Reader of a noun; in a transaction, its Writer. The noun's Table returns it with its type.
	Records(of Noun) any
}

// Readers is a NounReader with a method for each reader.
type Readers interface {
	FinancialYears() Reader[*FinancialYear, FinancialYearCriteria]
	Checklists() Reader[*Checklist, ChecklistCriteria]
	Transcripts() TranscriptReader
	Calculations() Reader[*Calculation, CalculationCriteria]
	Customers() Reader[*Customer, CustomerCriteria]
	CustomersWithoutNumbers() Reader[*Customer, CustomerCriteria]
	Relations() Reader[*CustomerRelation, RelationCriteria]
	Documents() Reader[*CustomerDocument, DocumentCriteria]
	MinfinDocuments() Reader[*MinfinDocument, MinfinCriteria]
	Discrepancies() Reader[*Discrepancy, DiscrepancyCriteria]
	Users() Reader[*User, UserCriteria]
	Labels() Reader[*Label, LabelCriteria]
	Consultations() Reader[*Consultation, ConsultationCriteria]
	NounReader
}

// Writers is the NounReader of a transaction with a method for each writer.
type Writers interface {
	FinancialYears() Writer[*FinancialYear, FinancialYearCriteria]
	Checklists() Writer[*Checklist, ChecklistCriteria]
	// Transcripts stores OwnStatus and OwnUpdatedAt, and derives Status and UpdatedAt from the stored calculation.
	Transcripts() Writer[*Transcript, TranscriptCriteria]
	// Calculations also updates the effective status of the transcripts.
	Calculations() Writer[*Calculation, CalculationCriteria]
	Customers() Writer[*Customer, CustomerCriteria]
	Relations() Writer[*CustomerRelation, RelationCriteria]
	Documents() Writer[*CustomerDocument, DocumentCriteria]
	MinfinDocuments() Writer[*MinfinDocument, MinfinCriteria]
	Discrepancies() Writer[*Discrepancy, DiscrepancyCriteria]
	Users() Writer[*User, UserCriteria]
	Labels() Writer[*Label, LabelCriteria]
	NounReader
}

// ByName gives a NounReader the methods of Readers.
type ByName struct{ From NounReader }

func (r ByName) FinancialYears() Reader[*FinancialYear, FinancialYearCriteria] {
	return FinancialYearTable.Reader(r.From)
}
func (r ByName) Checklists() Reader[*Checklist, ChecklistCriteria] {
	return ChecklistTable.Reader(r.From)
}
func (r ByName) Transcripts() TranscriptReader {
	return r.From.Records(NounTranscript).(TranscriptReader)
}
func (r ByName) Calculations() Reader[*Calculation, CalculationCriteria] {
	return CalculationTable.Reader(r.From)
}
func (r ByName) Customers() Reader[*Customer, CustomerCriteria] { return CustomerTable.Reader(r.From) }
func (r ByName) Relations() Reader[*CustomerRelation, RelationCriteria] {
	return RelationTable.Reader(r.From)
}
func (r ByName) Documents() Reader[*CustomerDocument, DocumentCriteria] {
	return DocumentTable.Reader(r.From)
}
func (r ByName) Discrepancies() Reader[*Discrepancy, DiscrepancyCriteria] {
	return DiscrepancyTable.Reader(r.From)
}
func (r ByName) MinfinDocuments() Reader[*MinfinDocument, MinfinCriteria] {
	return MinfinTable.Reader(r.From)
}
func (r ByName) Users() Reader[*User, UserCriteria]    { return UserTable.Reader(r.From) }
func (r ByName) Labels() Reader[*Label, LabelCriteria] { return LabelTable.Reader(r.From) }
func (r ByName) CustomersWithoutNumbers() Reader[*Customer, CustomerCriteria] {
	return r.From.Records(CustomersWithoutNumbers).(Reader[*Customer, CustomerCriteria])
}
func (r ByName) Consultations() Reader[*Consultation, ConsultationCriteria] {
	return ConsultationTable.Reader(r.From)
}

// WritersByName gives a transaction the methods of Writers.
type WritersByName struct{ In Tx }

func (w WritersByName) FinancialYears() Writer[*FinancialYear, FinancialYearCriteria] {
	return FinancialYearTable.Writer(w.In)
}
func (w WritersByName) Checklists() Writer[*Checklist, ChecklistCriteria] {
	return ChecklistTable.Writer(w.In)
}
func (w WritersByName) Transcripts() Writer[*Transcript, TranscriptCriteria] {
	return TranscriptTable.Writer(w.In)
}
func (w WritersByName) Calculations() Writer[*Calculation, CalculationCriteria] {
	return CalculationTable.Writer(w.In)
}
func (w WritersByName) Customers() Writer[*Customer, CustomerCriteria] {
	return CustomerTable.Writer(w.In)
}
func (w WritersByName) Relations() Writer[*CustomerRelation, RelationCriteria] {
	return RelationTable.Writer(w.In)
}
func (w WritersByName) Documents() Writer[*CustomerDocument, DocumentCriteria] {
	return DocumentTable.Writer(w.In)
}
func (w WritersByName) Discrepancies() Writer[*Discrepancy, DiscrepancyCriteria] {
	return DiscrepancyTable.Writer(w.In)
}

func (w WritersByName) MinfinDocuments() Writer[*MinfinDocument, MinfinCriteria] {
	return MinfinTable.Writer(w.In)
}
func (w WritersByName) Users() Writer[*User, UserCriteria]    { return UserTable.Writer(w.In) }
func (w WritersByName) Labels() Writer[*Label, LabelCriteria] { return LabelTable.Writer(w.In) }
