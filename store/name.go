package store

import "strings"

// Each statement has its name in a comment after its first word: the table or subject, and the shape of the query. The
// statistics and logs of servers show it, and so do ours. The text is prepared once: put nothing of a request there.

const (
	nameBegin = "/*backoffice:"
	nameEnd   = "*/ "
)

func naming(table, shape string) string { return nameBegin + table + "." + shape + nameEnd }

func named(name, text string) string {
	verb, rest, _ := strings.Cut(text, " ")
	return verb + " " + nameBegin + name + nameEnd + rest
}

func unnamed(text string) string {
	before, rest, has := strings.Cut(text, nameBegin)
	if !has {
		return text
	}
	_, after, _ := strings.Cut(rest, nameEnd)
	return before + after
}

func (b *textOf[T, C]) named(shape, text string) string { return named(b.table.name+"."+shape, text) }

// Name is the name of a statement, such as relations.page; "" when its text has none.
func (s *Statement) Name() string {
	_, rest, has := strings.Cut(s.Text[:min(len(s.Text), mostName)], nameBegin)
	name, _, ends := strings.Cut(rest, nameEnd)
	if !has || !ends {
		return ""
	}
	return name
}

// mostName is the number of bytes within which a name ends.
const mostName = 100
