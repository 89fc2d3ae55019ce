package importexport

import (
	"context"

	"example.org/backoffice/backoffice"
)

// noun is how one kind of record stands in the folder.
type noun[T any, C comparable] struct {
	*backoffice.Table[T, C] // given by describe

	file   string // its lines
	fields []field[T]

	// first is what a new record is of which no line says anything; nil for nothing.
	first func(*T)

	// What only some nouns have.
	noted    func(row, before *T, numbersOnly bool, from int)     // what others see of it: Customer.NoteChange
	touched  func(*T) *backoffice.Instant                         // when it was changed last
	happened func(row, before *T, now backoffice.Instant)         // notes when it became what it is
	sealed   func(*T, backoffice.PrivacyField) *backoffice.Sealed // its registration numbers
	atOnce   bool                                                 // its rules are about the file as a whole, which is small

	// derive works out what follows from other records, and holds the rules across them.
	derive func(ctx context.Context, l *loading[T, C], entries []*entry[T]) error
	// check holds a row to the rules that need no other record, and normalizes its values; nil for the domain's.
	check func(row *T) []*backoffice.UserError
	// last puts rows that must be written after the others at the end; nil keeps the lines' order.
	last func(row *T) bool
	// follow brings other records in step with rows that were changed.
	follow func(ctx context.Context, l *loading[T, C], entries []*entry[T]) error
	// keep refuses to delete rows that others still need.
	keep func(ctx context.Context, l *loading[T, C], deleted []*entry[T]) error
	// remove does what has to be done before rows are deleted.
	remove func(ctx context.Context, l *loading[T, C], entries []*entry[T]) error

	// Made by describe, as is more of fields.
	at       map[string]int // where each field stands in fields
	blankRow *T             // a fresh record
	blank    []string       // and what its fields write
}

type table interface {
	fileName() string
	open(im *importing) (source, error)
	cellOf(name string) (form cell, known bool)
	loadFrom(ctx context.Context, im *importing, src source) (Loaded, error)
	fieldNames() []string
	dump(ctx context.Context, ex *exporting) (Dumped, error)
}

func (n *noun[T, C]) fileName() string { return n.file }

func (n *noun[T, C]) fieldNames() (names []string) {
	for i := range n.fields {
		names = append(names, n.fields[i].name)
	}
	return names
}

var tables = map[backoffice.Noun]table{}

// inOrder are the files in their order: what a record refers to is in a file before it.
func inOrder() (all []table) {
	for _, noun := range backoffice.Nouns {
		if t := tables[noun.Name()]; t != nil {
			all = append(all, t)
		}
	}
	return all
}

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
