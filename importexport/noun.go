package importexport

import (
	"cmp"
	"context"

	"example.org/backoffice/backoffice"
)

// noun is one kind of record in the folder.
type noun[T any, C comparable] struct {
	*backoffice.Table[T, C] // given by describe

	file   string // its lines
	fields []field[T]

	// first sets the defaults of a new record; nil for none.
	first    func(*T)
	noted    func(row, before *T, numbersOnly bool, from int)     // its visible change: Customer.NoteChange
	touched  func(*T) *backoffice.Instant                         // when it was last changed
	happened func(row, before *T, now backoffice.Instant)         // notes when its state changed
	sealed   func(*T, backoffice.PrivacyField) *backoffice.Sealed // its registration numbers
	atOnce   bool                                                 // its rules need the whole file, which is small

	keys func(key string) *ownKey[T, C] // finds records without an _id, for an Importer.Key; nil for never

	// derive sets values that depend on other records, and checks the rules across them.
	derive func(ctx context.Context, l *loading[T, C], entries []*entry[T]) error
	// check checks the rules that need no other record, and normalizes the row; nil for the domain's.
	check func(row *T) []*backoffice.UserError
	// dumped is what an export writes of a row, if that differs from the row.
	dumped func(row T) *T
	// last puts rows that must be written after the others at the end; nil keeps the lines' order.
	last func(row *T) bool
	// keep rejects the deletion of rows that others still need.
	keep func(ctx context.Context, l *loading[T, C], deleted []*entry[T]) error
	// remove prepares the deletion of rows.
	remove func(ctx context.Context, l *loading[T, C], entries []*entry[T]) error

	// Set by describe, as is the rest of fields.
	at       map[string]int // the index of each field
	blankRow *T             // a fresh record
	blank    []string       // its fields, as written
}

type table interface {
	fileName() string
	open(im *importing) (source, error)
	cellOf(name string) (form cell, known bool)
	loadFrom(ctx context.Context, im *importing, src source) (Loaded, error)
	fieldNames() []string
	required() []string
	canLeaveOut(name string) bool
	dump(ctx context.Context, ex *exporting) (Dumped, error)
}

func (n *noun[T, C]) fileName() string { return n.file }

func (n *noun[T, C]) fieldNames() []string {
	return backoffice.Map(n.fields, func(f field[T]) string { return f.name })
}

// required are the fields without which a new record is rejected.
func (n *noun[T, C]) required() []string {
	row := *n.blankRow
	return backoffice.Map(n.check(&row), func(fault *backoffice.UserError) string { return folderName(fault.Field) })
}

var tables = map[backoffice.Noun]table{}

// inOrder are the files in order: a record refers only to records of earlier files.
func inOrder() (all []table) {
	for _, noun := range backoffice.Nouns {
		if t := tables[noun.Name()]; t != nil {
			all = append(all, t)
		}
	}
	return all
}

type fieldSet uint32 // a bit for each of a noun's fields

const maxFields = 32

func (s fieldSet) has(i int) bool { return s&(1<<i) != 0 }
func (s *fieldSet) add(i int)     { *s |= 1 << i }
func (s *fieldSet) remove(i int)  { *s &^= 1 << i }

// changesOf returns the fields that differ between two rows. A new row, without old, is compared with a blank one.
func (n *noun[T, C]) changesOf(old, row *T, scratch *[]byte) (set fieldSet) {
	before := cmp.Or(old, n.blankRow)
	for i := range n.fields {
		f := &n.fields[i]
		switch {
		case f.same != nil:
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
