package store

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"example.org/backoffice/backoffice"
)

// special is what a column has that its field does not define.
type special struct {
	name   string // if not the field's
	serves string // GraphQL fields, if not the field or the record that it refers to
	also   string // further GraphQL fields, computed from it
	shown  string // the selected expression, for a field that is stored elsewhere
	null   bool   // the empty text, which the noun does not have, is NULL
}

const nothing = " "

var described []description

type description struct {
	view      backoffice.Noun // what readers are asked for
	noun      backoffice.Noun
	table     string
	seenBy    seenBy
	uncounted bool
	on        func(*nouns) any                // a *noun
	reads     func(noun any, from source) any // a backoffice.Reader
	writes    func(*tx) any                   // a backoffice.Writer
	kept      kept
}

// describe adds to a noun's columns what the domain defines: the identifier, its fields, its version and its file.
func describe[T any, C comparable](of *backoffice.Table[T, C], t table[T, C]) *table[T, C] {
	t.seenBy.nobody = of.WholeOffice
	t.noun, t.id, t.version, t.finds = of.Noun, of.ID, of.Version, of.CanMatch
	columns := []column[T]{text("id", "", of.ID)}
	for i := range of.Fields {
		f := &of.Fields[i]
		c := t.columnOf(f)
		columns = append(columns, c)
		if _, one := f.At.(func(*T) *string); one && f.Refers != "" {
			t.references = append(t.references, reference{c.name, f.Refers, []string{f.Name}})
			t.listedUnder(f.Refers, c.name)
		}
	}
	columns = append(columns, t.columns...)
	if of.Version != nil {
		columns = append(columns, number("version", "version", of.Version))
	}
	if of.File != nil {
		serves := cmp.Or(t.special["file"].serves, "file")
		columns = append(columns, file(serves, of.FileKind, of.ID, of.File)...)
	}
	t.columns = columns
	if of.Unique != nil {
		t.unique.field = of.Unique[:1]
		for _, name := range of.Unique {
			t.unique.columns = append(t.unique.columns, underlined(name))
		}
		for _, name := range of.Period {
			t.unique.period = append(t.unique.period, underlined(name))
		}
	}
	return register(&t)
}

// listedUnder lists records under those that a column refers to, unless the description defines it.
func (t *table[T, C]) listedUnder(noun backoffice.Noun, column string) {
	if t.parents == nil {
		t.parents = map[backoffice.Parent]parentColumns[C]{}
	}
	for i, of := range backoffice.ParentNouns {
		if parent := backoffice.Parent(i); of == noun && t.parents[parent] == nil {
			t.parents[parent] = under[C](column)
		}
	}
}

func register[T any, C comparable](t *table[T, C]) *table[T, C] {
	if r := t.seenBy; !r.everybody && !r.nobody && !r.itself && !r.responsible && len(r.customers) == 0 {
		panic("store: the table " + t.name + " does not define how its records relate to customers")
	}
	if t.reads == nil {
		t.reads = func(r reader[T, C]) any { return &r }
	}
	if t.writes == nil {
		t.writes = func(w writer[T, C]) any { return &w }
	}
	t.place = len(described)
	described = append(described, description{
		cmp.Or(t.view, t.noun), t.noun, t.name, t.seenBy, t.uncounted, func(all *nouns) any { return nounOf(t, all) },
		func(of any, from source) any { return t.reads(reader[T, C]{of.(*noun[T, C]), from}) },
		func(tx *tx) any { return t.writes(writerOf(tx, t)) }, t,
	})
	return t
}

func placeOf(view backoffice.Noun) int {
	return slices.IndexFunc(described, func(of description) bool { return of.view == view })
}

func nounTables() []description {
	return slices.CompactFunc(slices.SortedFunc(slices.Values(described),
		func(a, b description) int { return strings.Compare(a.table, b.table) }),
		func(a, b description) bool { return a.table == b.table })
}

// columnOf is the column of a field. Its name is the name of the field, or of the part of an object, in snake case; it
// serves the field of that name, or the record that the field refers to.
func (t *table[T, C]) columnOf(f *backoffice.WritableField[T]) column[T] {
	is := t.special[f.Name]
	object, part, isPart := strings.Cut(f.Name, ".")
	if !isPart {
		part = object
	}
	is.name = cmp.Or(is.name, underlined(part))
	if is.serves == "" {
		if is.serves = object; f.Refers != "" {
			is.serves = strings.TrimSuffix(object, "Id")
		}
	}
	c := kindOf(f, is.name, is.serves+" "+is.also)
	if f.Optional || is.null {
		c = c.orNull()
	}
	c.expr, c.shown = is.shown, is.shown != ""
	return c
}

func kindOf[T any](f *backoffice.WritableField[T], name, serves string) column[T] {
	switch at := f.At.(type) {
	case func(*T) *backoffice.Text:
		return text(name, serves, at)
	case func(*T) *string:
		if f.Refers != "" {
			return link(name, serves, at)
		}
		return text(name, serves, at)
	case backoffice.Word[T]:
		return word(name, serves, at)
	case func(*T) *[]string:
		return words(name, serves, at)
	case func(*T) *backoffice.Instant:
		return instant(name, serves, at)
	case func(*T) *bool:
		return flag(name, serves, at)
	case func(*T) *float64:
		return float(name, serves, at)
	case func(*T) *backoffice.JSON:
		return text(name, serves, at).orNull()
	}
	panic("store: no column type for a field like " + f.Name)
}

// underlined converts to snake case: postalCode becomes postal_code.
func underlined(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
