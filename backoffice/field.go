package backoffice

import (
	"slices"
	"strings"
)

// WritableField is one field of a noun that can be written: of a record T, and of what is sent of it, I. A noun has one
// table of them, in the order in which their errors are told; writes, checks, the store's columns and the lines of import
// and export are made from it. (A type called Field gqlgen would take for the schema's __Field.)
type WritableField[T, I any] struct {
	Name string // in GraphQL's inputs; a part of an object has the object's name and a point before it

	Text func(*T) *Text // where a text is that may be missing; nil for other fields

	apply func(in *I, record *T, check *checker) // puts what was sent into the record
	value func(*T) string                        // "" for none; two records have the same field when it is the same
	check func(*T, *checker)                     // the rule that needs no other field and no other record; nil for none
}

// textField is a text that may be missing, which parse checks and brings into its stored form; nil for a text of which
// other fields decide what it may be.
func textField[T, I any](name string, at func(*T) *Text, sent func(*I) Optional[string], parse func(string) (string, error)) WritableField[T, I] {
	f := wordField(name, at, sent)
	f.Text = at
	if path := strings.Split(name, "."); parse != nil {
		f.check = func(record *T, check *checker) { canonical(check, at(record), parse, path...) }
	}
	return f
}

// referenceField is the identifier of another record, which may be missing.
func referenceField[T, I any](name string, at func(*T) *string, sent func(*I) Optional[string]) WritableField[T, I] {
	f := wordField(name, at, sent)
	f.check = func(record *T, check *checker) {
		if id := *at(record); id != "" {
			check.reference(id, name)
		}
	}
	return f
}

// wordField is a field of any kind of text, without a rule of its own.
func wordField[T, I any, S, F ~string](name string, at func(*T) *S, sent func(*I) Optional[F]) WritableField[T, I] {
	path := strings.Split(name, ".")
	return WritableField[T, I]{
		Name:  name,
		apply: func(in *I, record *T, check *checker) { assign(check, at(record), sent(in), path...) },
		value: func(record *T) string { return string(*at(record)) },
	}
}

// listField is a list of texts without blanks.
func listField[T, I any](name string, at func(*T) *[]string, sent func(*I) Optional[[]string], check func(*T, *checker)) WritableField[T, I] {
	return WritableField[T, I]{
		Name: name,
		apply: func(in *I, record *T, _ *checker) {
			if list := sent(in); list.IsSent() {
				items, _ := list.Get()
				*at(record) = slices.Clone(items)
			}
		},
		value: func(record *T) string { return strings.Join(*at(record), " ") },
		check: check,
	}
}

// plainText is the rule of a text that may be anything of at most MaxText characters.
func plainText(text string) (string, error) { return text, CheckText(text, MaxText) }

func applyFields[T, I any](fields []WritableField[T, I], in *I, record *T, check *checker) {
	for i := range fields {
		fields[i].apply(in, record, check)
	}
}

func checkFields[T, I any](fields []WritableField[T, I], record *T, check *checker) {
	for i := range fields {
		if fields[i].check != nil {
			fields[i].check(record, check)
		}
	}
}

func valuesOf[T, I any](fields []WritableField[T, I], record *T) values {
	v := values{}
	for i := range fields {
		v.set(fields[i].Name, fields[i].value(record))
	}
	return v
}
