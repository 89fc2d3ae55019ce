package store

import (
	"strings"
	"unicode"

	"example.org/backoffice/backoffice"
)

// textColumn is what is special about the column of a text.
type textColumn struct {
	name string // where it is not the field's
	also string // other fields of the GraphQL schema, which are worked out from the text
}

// textColumns are the columns of the texts in a noun's table of fields. A column has the field's name, or the name of the part of
// an object, with underlines; it serves the field of that name.
func textColumns[T, I any](fields []backoffice.WritableField[T, I], special map[string]textColumn) (columns []column[T]) {
	for _, field := range fields {
		object, part, isPart := strings.Cut(field.Name, ".")
		if !isPart {
			part = object
		}
		is := special[field.Name]
		if is.name == "" {
			is.name = underlined(part)
		}
		if field.Text != nil {
			columns = append(columns, text(is.name, object+" "+is.also, field.Text).orNull())
		}
	}
	return columns
}

// underlined is a name with an underline in place of each capital: postal_code for postalCode.
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
