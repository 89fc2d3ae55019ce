package importexport

import (
	"context"

	"example.org/backoffice/backoffice"
)

// noun is how one kind of record stands in the folder.
type noun[T any, C comparable] struct {
	name   backoffice.Noun
	file   string // its lines
	fields []field[T]
	id     func(*T) *string
	reader func(backoffice.Readers) backoffice.Reader[*T, C]
	writer func(backoffice.Tx) backoffice.Writer[*T, C]

	// fresh is a new record of which no line has said anything yet.
	fresh func(now backoffice.Instant) *T

	// What only some nouns have.
	version  func(*T) *int                                       // grows with every change
	noted    func(row, before *T, numbersOnly bool)              // works out what a change is for those who may not see all
	touched  func(*T) *backoffice.Instant                        // when it was changed last
	happened func(row, before *T, now backoffice.Instant)        // notes when it became what it is
	attached func(*T) **backoffice.File                          // its stored file
	sealed   func(*T, backoffice.PrivacyField) backoffice.Sealed // its registration numbers
	atOnce   bool                                                // its rules are about the file as a whole, which is small

	// derive works out what follows from other records, and holds the rules across them.
	derive func(ctx context.Context, l *loading[T, C], entries []*entry[T]) error
	// check is the domain's: it holds a row to the rules that need no other record, and brings its values into their stored form.
	check func(row *T) []*backoffice.UserError
	// last puts rows that must be written after the others at the end; nil keeps the lines' order.
	last func(row *T) bool
	// follow brings other records in step with rows that were changed.
	follow func(ctx context.Context, l *loading[T, C], entries []*entry[T]) error
	// keep refuses to delete rows that others still need.
	keep func(ctx context.Context, l *loading[T, C], deleted []*entry[T]) error
	// remove does what has to be done before rows are deleted.
	remove func(ctx context.Context, l *loading[T, C], entries []*entry[T]) error
	// unique is what only one record may have, nil for nothing.
	unique *uniqueValue[T]

	// Made by define.
	at       map[string]int // where each field stands in fields
	blankRow *T             // a fresh record
	blank    []string       // and what its fields write
}

// define finishes the description of a noun.
func define[T any, C comparable](n noun[T, C]) *noun[T, C] {
	if n.attached != nil {
		n.fields = append(n.fields, attachment[T](n.attached)...)
	}
	if len(n.fields) > maxFields {
		panic("a noun has more fields than a set of them holds")
	}
	n.at = make(map[string]int, len(n.fields))
	n.blankRow = n.fresh(0)
	for i, f := range n.fields {
		n.at[f.name] = i
		written := ""
		if f.write != nil {
			written = string(f.write(nil, n.blankRow))
		}
		n.blank = append(n.blank, written)
	}
	return &n
}

// table is a noun whatever its types.
type table interface {
	fileName() string
	load(ctx context.Context, im *importing) (Loaded, error)
	dump(ctx context.Context, ex *exporting) (Dumped, error)
}

func (n *noun[T, C]) fileName() string { return n.file }

// tables are the files of the folder, in their order: what a record refers to stands before it.
var tables = []table{labels, users, financialYears, checklists, customers, relations, transcripts, calculations, documents, minfin}

// fieldSet is a set of a noun's fields, one bit each.
type fieldSet uint32

const maxFields = 32

func (s fieldSet) has(i int) bool { return s&(1<<i) != 0 }
func (s *fieldSet) add(i int)     { *s |= 1 << i }
func (s *fieldSet) remove(i int)  { *s &^= 1 << i }

// changesOf tells which fields differ between two rows. old is nil for a new row, which is compared with a blank one.
func (n *noun[T, C]) changesOf(old, row *T, scratch *[]byte) (set fieldSet) {
	for i := range n.fields {
		f := &n.fields[i]
		switch {
		case f.same != nil:
			before := old
			if before == nil {
				before = n.blankRow
			}
			if !f.same(before, row) {
				set.add(i)
			}
		case f.write != nil:
			*scratch = f.write((*scratch)[:0], row)
			if old == nil {
				if string(*scratch) != n.blank[i] {
					set.add(i)
				}
				continue
			}
			length := len(*scratch)
			*scratch = f.write(*scratch, old)
			if string((*scratch)[:length]) != string((*scratch)[length:]) {
				set.add(i)
			}
		}
	}
	return set
}
