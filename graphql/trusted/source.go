package trusted

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"

	"example.org/backoffice/backoffice"
)

// Sources are GraphQL files. Each operation becomes a document of its own, with the fragments that it needs, from any
// file; one that is alone in its file with these keeps its text.

// source is a GraphQL file, split into its definitions.
type source struct {
	file        string
	text        string
	definitions []*definition
}

// definition is an operation or a fragment as written, with the comments above it.
type definition struct {
	file     string
	line     int // where it begins, after its comments
	text     string
	name     string
	fragment bool
	spreads  []string // the fragments that it uses
}

func (d *definition) place() string { return fmt.Sprintf("%s:%d", d.file, d.line) }

// parseSource splits a file into its definitions. Faults within them are found when they are checked.
func parseSource(file, text string) (*source, error) {
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("%s: it is not valid UTF-8", file)
	}
	s := &source{file: file, text: text}
	runes := []rune(text) // the unit of positions
	words := lexer.New(&ast.Source{Input: text})
	var (
		current  *definition
		begin    int // of the text that belongs to no definition yet
		braces   int
		parens   int
		previous [2]lexer.Token
	)
	for {
		word, err := words.ReadToken()
		if err != nil {
			return nil, fmt.Errorf("%s:%d: an invalid token", file, word.Pos.Line)
		}
		if word.Kind == lexer.EOF {
			break
		}
		if word.Kind == lexer.Comment {
			continue
		}
		if current == nil {
			current = &definition{file: file, line: word.Pos.Line}
		}
		if braces == 0 && parens == 0 && word.Kind == lexer.Name && current.name == "" &&
			previous[1].Kind == lexer.Name {
			switch previous[1].Value {
			case "fragment":
				current.name, current.fragment = word.Value, true
			case "query", "mutation", "subscription":
				current.name = word.Value
			}
		}
		if previous[1].Kind == lexer.Spread && word.Kind == lexer.Name && word.Value != "on" &&
			!slices.Contains(current.spreads, word.Value) {
			current.spreads = append(current.spreads, word.Value)
		}
		previous = [2]lexer.Token{previous[1], word}
		switch word.Kind {
		case lexer.ParenL:
			parens++
		case lexer.ParenR:
			parens--
		case lexer.BraceL:
			braces++
		case lexer.BraceR:
			if braces--; braces == 0 && parens == 0 {
				current.text = strings.TrimSpace(string(runes[begin:word.Pos.End]))
				s.definitions = append(s.definitions, current)
				begin, current, previous = word.Pos.End, nil, [2]lexer.Token{}
			}
		}
		if braces < 0 {
			return nil, fmt.Errorf("%s:%d: an unmatched closing brace", file, word.Pos.Line)
		}
	}
	if current != nil {
		return nil, fmt.Errorf("%s: the last definition is incomplete", current.place())
	}
	return s, nil
}

func documentsOf(sources []*source) ([]*Document, error) {
	fragments, names := map[string]*definition{}, map[string]*definition{}
	for _, s := range sources {
		for _, d := range s.definitions {
			known := names
			if d.fragment {
				known = fragments
			}
			if other := known[d.name]; d.name != "" && other != nil {
				return nil, fmt.Errorf("%s: %s has the same name", d.place(), other.place())
			}
			known[d.name] = d
		}
	}
	var found collected
	for _, s := range sources {
		for _, d := range s.definitions {
			if d.fragment {
				continue
			}
			needed, err := needs(d, fragments)
			if err != nil {
				return nil, err
			}
			found.add(d.place(), s.documentOf(d, needed))
		}
	}
	return found.documents, nil
}

func needs(operation *definition, fragments map[string]*definition) ([]*definition, error) {
	var all []*definition
	for at, open := 0, []*definition{operation}; at < len(open); at++ {
		for _, name := range open[at].spreads {
			fragment := fragments[name]
			if fragment == nil {
				return nil, fmt.Errorf("%s: no file has the fragment %s",
					open[at].place(), backoffice.ShownName(name))
			}
			if !slices.Contains(all, fragment) {
				all, open = append(all, fragment), append(open, fragment)
			}
		}
	}
	slices.SortFunc(all, func(a, b *definition) int { return cmp.Compare(a.name, b.name) })
	return all, nil
}

// documentOf is the text of an operation with its fragments: that of the file when it holds nothing else.
func (s *source) documentOf(operation *definition, needed []*definition) string {
	elsewhere := func(d *definition) bool { return d.file != s.file }
	if len(s.definitions) == 1+len(needed) && !slices.ContainsFunc(needed, elsewhere) {
		return s.text
	}
	texts := []string{operation.text}
	for _, fragment := range needed {
		texts = append(texts, fragment.text)
	}
	return strings.Join(texts, "\n\n") + "\n"
}
