package store

import "strings"

// Each statement says what it is in a comment behind its first word: the table, or what else it is about, and in which
// shape it is asked. Servers' own statistics and logs show it, and so do ours. It is a part of the text, which is
// prepared once: nothing of a request may stand there.

const (
	nameBegin = "/*backoffice:"
	nameEnd   = "*/ "
)

// naming is the comment for a statement about a table.
func naming(table, shape string) string { return nameBegin + table + "." + shape + nameEnd }

func named(name, text string) string {
	verb, rest, _ := strings.Cut(text, " ")
	return verb + " " + nameBegin + name + nameEnd + rest
}

// unnamed is a statement without its name, to be a part of another one.
func unnamed(text string) string {
	before, rest, has := strings.Cut(text, nameBegin)
	if !has {
		return text
	}
	_, after, _ := strings.Cut(rest, nameEnd)
	return before + after
}

func (b *textOf[T, C]) named(shape, text string) string { return named(b.table.name+"."+shape, text) }

// Name is what the statement is called, such as relations.page; "" when its text does not say it.
func (s *Statement) Name() string {
	_, rest, has := strings.Cut(s.Text[:min(len(s.Text), mostName)], nameBegin)
	name, _, ends := strings.Cut(rest, nameEnd)
	if !has || !ends {
		return ""
	}
	return name
}

// mostName is within how many bytes a name has ended.
const mostName = 100
