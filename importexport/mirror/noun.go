package mirror

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/importexport"
)

// noun is how to read one kind of record from the origin.
type noun struct {
	of     backoffice.Noun
	path   string // of its list
	object string // the address of one record, without its identifier; "" when it has none
	suffix string // after the identifier
	head   bool   // that address has a file
	fields []string
	rows
	part    *part                            // the only part to read; nil for all
	fix     func(r record)                   // turns fields into those of a line; nil when they are
	file    func(r record, has stored) *file // what to do with the record's file; nil for nouns without
	hangsOn backoffice.Noun                  // the noun of below's parent
	// below is a list that has the record as long as it exists, for nouns without object.
	below func(parent string) (path string, query url.Values)
}

// nouns are in the order of an import.
var nouns = []*noun{
	{rows: rowsOf(backoffice.LabelTable), path: "/settings/labels"},
	{rows: rowsOf(backoffice.UserTable), path: "/users", object: "/users/"},
	{rows: rowsOf(backoffice.FinancialYearTable), path: "/financialyears"},
	{rows: rowsOf(backoffice.ChecklistTable), path: "/checklists", object: "/checklists/"},
	{rows: rowsOf(backoffice.CustomerTable), path: "/customers", object: "/customers/"},
	{
		rows: rowsOf(backoffice.RelationTable), path: "/relations",
		hangsOn: backoffice.NounCustomer, below: ofCustomer("/relations"),
	},
	{
		rows: rowsOf(backoffice.TranscriptTable), path: "/transcripts", object: "/transcripts/",
		fix: fixTranscript, file: documentOf,
	},
	{
		rows: rowsOf(backoffice.CalculationTable), path: "/calculations", file: proposalOf,
		hangsOn: backoffice.NounTranscript,
		below:   func(id string) (string, url.Values) { return "/calculations", url.Values{"transcript": {id}} },
	},
	{
		rows: rowsOf(backoffice.DocumentTable), path: "/documents", object: "/customers/documents/",
		suffix: "/download", head: true, file: attachmentAt("/customers/documents/", "/download"),
		hangsOn: backoffice.NounCustomer, below: ofCustomer("/documents"),
	},
	{rows: rowsOf(backoffice.MinfinTable), path: "/minfin", object: "/minfin/metadata/", file: minfinFileOf},
	{rows: rowsOf(backoffice.DiscrepancyTable), path: "/discrepancies", object: "/discrepancies/"},
}

func ofCustomer(list string) func(id string) (string, url.Values) {
	return func(id string) (string, url.Values) { return "/customers/" + url.PathEscape(id) + list, url.Values{} }
}

func init() {
	for _, n := range nouns {
		n.of = n.Name()
		n.fields = slices.DeleteFunc(importexport.Fields(n.of), func(name string) bool { return name == "file" })
	}
}

// deletions are the nouns in order of deletion: dependents along with their parents, and last the nouns others need.
func deletions() []*noun {
	first := slices.Index(nouns, nounOf(backoffice.NounCustomer))
	ordered := slices.Clone(nouns[first:])
	for _, needed := range slices.Backward(nouns[:first]) {
		ordered = append(ordered, needed)
	}
	return ordered
}

func nounOf(of backoffice.Noun) *noun {
	return nouns[slices.IndexFunc(nouns, func(n *noun) bool { return n.of == of })]
}

// fixTranscript restores a transcript's own status. The origin shows that of its calculation in its place.
func fixTranscript(r record) {
	switch status := r.text("status"); {
	case status == "Sent" || r.moment("sentAt") != 0:
		r["status"] = json.RawMessage(`"Sent"`)
	case status != "To Process":
		delete(r, "status")
	}
}

// stored is a record in the store here, as far as a pull needs it.
type stored struct {
	id      string
	file    *backoffice.File
	updated backoffice.Instant
	parent  string // the record that it belongs to
}

// isOf reports whether the file here is that of a record of the origin, which updates the record with its file.
func (s *stored) isOf(r record) bool {
	return s.file != nil && s.updated == r.moment("updatedAt") && s.updated != 0
}

type rows interface {
	Name() backoffice.Noun
	count(ctx context.Context, readers backoffice.Readers) (int, error)
	// each visits the identifiers of all, in their order.
	each(ctx context.Context, readers backoffice.Readers, visit func(ids []string) error) error
	// find reads some, by identifier.
	find(ctx context.Context, readers backoffice.Readers, ids []string) (map[string]stored, error)
}

type rowsFrom[T any, C comparable] struct{ *backoffice.Table[T, C] }

func rowsOf[T any, C comparable](table *backoffice.Table[T, C]) rows { return rowsFrom[T, C]{table} }

func (r rowsFrom[T, C]) count(ctx context.Context, readers backoffice.Readers) (int, error) {
	return backoffice.CountAll(ctx, r.Reader(readers), *new(C))
}

func (r rowsFrom[T, C]) each(ctx context.Context, readers backoffice.Readers, visit func(ids []string) error) error {
	reader := r.Reader(readers)
	few := reader.Columns([]string{"type", "name", "kind", "state", "startDate"})
	return backoffice.EachPage(ctx, reader, backoffice.ListQuery[C]{}, backoffice.NoParent, few, func(page []*T) error {
		return visit(backoffice.Map(page, func(row *T) string { return *r.ID(row) }))
	})
}

func (r rowsFrom[T, C]) find(ctx context.Context, readers backoffice.Readers, ids []string) (map[string]stored, error) {
	found, err := backoffice.ReadByID(ctx, r.Reader(readers), ids, 0)
	all := make(map[string]stored, len(found))
	for id, row := range found {
		all[id] = r.stored(row)
	}
	return all, err
}

func (r rowsFrom[T, C]) stored(row *T) stored {
	s := stored{id: *r.ID(row)}
	if r.File != nil {
		s.file = *r.File(row)
	}
	switch row := any(row).(type) {
	case *backoffice.Transcript:
		s.updated = row.UpdatedAt
	case *backoffice.Calculation:
		s.updated, s.parent = row.UpdatedAt, row.TranscriptID
	case *backoffice.CustomerRelation:
		s.parent = row.CustomerID
	}
	return s
}
