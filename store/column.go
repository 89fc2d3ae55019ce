package store

import (
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
)

// column is one column of a noun's table: its name, the GraphQL fields it serves, and its value in the record.
type column[T any] struct {
	name    string
	fields  []string
	array   string // PostgreSQL's type of many values
	none    string // the value of an absent field, as SQL
	absent  string // the value that is stored as NULL, as SQL; "" when none is
	expr    string // the selected expression, when it is not the column itself
	write   string // the stored expression, in terms of the row v that is written; "" is v's value
	derived bool   // written, never read back
	shown   bool   // read, but not a column of its own
	read    func(t *T, r *Row, i int)
	value   func(*T) any   // of one record, as an argument
	values  func([]*T) any // of many records, as an array
}

// selected is the column in a select list; the row is t.
func (c *column[T]) selected() string {
	if c.expr != "" {
		return c.expr + " AS " + c.name
	}
	return "t." + c.name
}

func (c *column[T]) stored() string {
	switch {
	case c.write != "":
		return c.write
	case c.absent != "":
		return "NULLIF(v." + c.name + ", " + c.absent + ")"
	}
	return "v." + c.name
}

func (c column[T]) orNull() column[T] {
	c.absent = c.none
	return c
}

// valued is a column of values V: read puts one into a record, of takes it from one.
func valued[T, V any](name, fields, array string, read func(t *T, r *Row, i int), of func(*T) V) column[T] {
	none := "''"
	if array == "bigint[]" {
		none = "0"
	}
	return column[T]{
		name: name, fields: strings.Fields(fields), array: array, none: none, read: read,
		value:  func(t *T) any { return of(t) },
		values: func(rows []*T) any { return backoffice.Map(rows, of) },
	}
}

func text[T any, S ~string](name, fields string, at func(*T) *S) column[T] {
	return valued(name, fields, "text[]", func(t *T, r *Row, i int) { *at(t) = S(r.Text(i)) },
		func(t *T) string { return string(*at(t)) })
}

func link[T any](name, fields string, at func(*T) *string) column[T] {
	c := text(name, fields, at)
	c.read = func(t *T, r *Row, i int) { *at(t) = r.Link(i) }
	return c
}

func enum[T any, S ~string](name, fields string, known []S, at func(*T) *S) column[T] {
	c := text(name, fields, at)
	c.read = func(t *T, r *Row, i int) { *at(t) = enumOf(r, i, known) }
	return c
}

func word[T any](name, fields string, of backoffice.Word[T]) column[T] {
	return valued(name, fields, "text[]", func(t *T, r *Row, i int) { of.Set(t, enumOf(r, i, of.Known)) }, of.Get)
}

func number[T any, N int | int64](name, fields string, at func(*T) *N) column[T] {
	return valued(name, fields, "bigint[]", func(t *T, r *Row, i int) { *at(t) = N(r.Int(i)) },
		func(t *T) int64 { return int64(*at(t)) })
}

var noMoment = strconv.FormatInt(backoffice.Instant(0).Milliseconds(), 10)

// instant is a timestamp, in milliseconds since 1970.
func instant[T any](name, fields string, at func(*T) *backoffice.Instant) column[T] {
	c := valued(name, fields, "bigint[]", func(t *T, r *Row, i int) { *at(t) = r.Instant(i) },
		func(t *T) int64 { return at(t).Milliseconds() })
	c.none = noMoment
	return c
}

func float[T any](name, fields string, at func(*T) *float64) column[T] {
	return valued(name, fields, "double precision[]", func(t *T, r *Row, i int) { *at(t) = r.Float(i) },
		func(t *T) float64 { return *at(t) })
}

func flag[T any](name, fields string, at func(*T) *bool) column[T] {
	c := valued(name, fields, "boolean[]", func(t *T, r *Row, i int) { *at(t) = r.Bool(i) },
		func(t *T) bool { return *at(t) })
	c.none = "" // an absent one is false
	return c
}

// blob is a column of bytes; an empty one is NULL.
func blob[T any](name, fields string, of func(*T) []byte, read func(t *T, r *Row, i int)) column[T] {
	c := valued(name, fields, "bytea[]", read, of)
	c.value = func(t *T) any {
		if b := of(t); len(b) > 0 {
			return b
		}
		return nil
	}
	return c
}

// words is a list of texts without blanks, stored as one text.
func words[T any, S ~string](name, fields string, at func(*T) *[]S) column[T] {
	return valued(name, fields, "text[]", func(t *T, r *Row, i int) { *at(t) = split[S](r.Text(i)) },
		func(t *T) string { return joined(*at(t)) })
}

func split[S ~string](text string) []S {
	if text == "" {
		return nil
	}
	list := make([]S, 0, strings.Count(text, " ")+1)
	for word := range strings.SplitSeq(text, " ") {
		list = append(list, S(word))
	}
	return list
}

// optional is a text in a pointer, which may be nil.
func optional[T any](name, fields string, at func(*T) **string) column[T] {
	c := valued(name, fields, "text[]", func(t *T, r *Row, i int) {
		if !r.IsNull(i) {
			text := r.Text(i)
			*at(t) = &text
		}
	}, func(t *T) *string { return *at(t) })
	c.value = func(t *T) any {
		if text := *at(t); text != nil {
			return *text
		}
		return nil
	}
	return c
}

// folded is a text that is computed from the record for searching and ordering.
func folded[T any](name string, of func(*T) string) column[T] {
	c := valued(name, "", "text[]", nil, of)
	c.derived = true
	return c
}

// sealed are the two columns of a registration number, read together by the first.
func sealed[T any](name, fields string, at func(*T) *backoffice.Sealed) []column[T] {
	return []column[T]{
		blob(name, fields, func(t *T) []byte { return at(t).Ciphertext() },
			func(t *T, r *Row, i int) { *at(t) = backoffice.SealedOf(r.Bytes(i), r.Bytes(i+1)) }),
		blob(name+"_index", fields, func(t *T) []byte { return at(t).Index() }, func(*T, *Row, int) {}),
	}
}

// file are the columns of a stored file, read together by the first.
func file[T any](fields string, kind backoffice.FileKind, id func(*T) *string,
	at func(*T) **backoffice.File) []column[T] {
	nothing := func(*T, *Row, int) {}
	none := &backoffice.File{}
	of := func(t *T) *backoffice.File {
		if f := *at(t); f != nil {
			return f
		}
		return none
	}
	part := func(c column[T]) column[T] { c.read = nothing; return c.orNull() }
	key := part(text("file_key", fields, func(t *T) *string { return &of(t).Key }))
	key.read = func(t *T, r *Row, i int) {
		if key := r.Text(i); key != "" {
			*at(t) = &backoffice.File{
				Key: key, Owner: backoffice.FileOwner{Kind: kind, ID: *id(t)}, ContentType: r.Text(i + 1),
				Size: int(r.Int(i + 2)), MD5Hash: r.Text(i + 3), SHA256: r.Bytes(i + 4), TimeCreated: r.Instant(i + 5),
			}
		}
	}
	size := part(number("file_size", fields, func(t *T) *int { return &of(t).Size }))
	size.write = "CASE WHEN v.file_key <> '' THEN v.file_size END" // 0 is a size
	return []column[T]{
		key,
		part(text("file_content_type", fields, func(t *T) *string { return &of(t).ContentType })),
		size,
		part(text("file_md5", fields, func(t *T) *string { return &of(t).MD5Hash })),
		blob("file_sha256", fields, func(t *T) []byte { return of(t).SHA256 }, nothing),
		part(instant("file_created_at", fields, func(t *T) *backoffice.Instant { return &of(t).TimeCreated })),
	}
}
