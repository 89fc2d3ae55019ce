package limits

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"

	"example.org/backoffice/backoffice"
)

// Scan is what the words of a document tell before it is parsed.
type Scan struct {
	Tokens     int // comments included, since they cost as much to read
	Aliases    int // also those that repeat the field's own name
	Directives int
	// Shape is the same for documents that differ only in literals, white space and comments, for logs.
	Shape string
	// Broken is where a word begins that GraphQL does not know; nil when it knows them all.
	Broken *ast.Position
}

// deepest is how far selection sets may nest, inline fragments included: the parser recurses, and gives up at 1000.
const deepest = 500

// Scan reads the words of a document up to the first limit passed, or a word that the parser will report.
func (s Settings) Scan(document string) (Scan, *gqlerror.Error) {
	var (
		found    Scan
		words    = lexer.New(&ast.Source{Input: document})
		hash     = sha256.New()
		line     []byte
		previous lexer.Type
		parens   int // inside parentheses `name: value` is an argument, outside it is an alias
		nesting  int // lists and objects of values
		braces   int // selection sets
		runes    []rune
	)
	for {
		word, err := words.ReadToken()
		if err != nil {
			found.Broken = &word.Pos
			break
		}
		if word.Kind == lexer.EOF {
			break
		}
		if found.Tokens++; found.Tokens > s.Tokens {
			return found, refuse(CodeToken, "the document has more than %d tokens", s.Tokens)
		}
		switch word.Kind {
		case lexer.Comment:
			continue
		case lexer.String:
			// The lexer replaces half a character by the replacement character, seldom there otherwise.
			if strings.ContainsRune(word.Value, utf8.RuneError) {
				if runes == nil {
					runes = []rune(document) // positions are counted in them
				}
				if backoffice.HasLoneSurrogate([]byte(string(runes[word.Pos.Start:word.Pos.End]))) {
					found.Broken = &word.Pos
				}
			}
		case lexer.At:
			if found.Directives++; found.Directives > s.Directives {
				return found, refuse(CodeToken, "the document has more than %d directives", s.Directives)
			}
		case lexer.Colon:
			if parens == 0 && previous == lexer.Name {
				if found.Aliases++; found.Aliases > s.Aliases {
					return found, refuse(CodeAlias, "the document has more than %d aliases", s.Aliases)
				}
			}
		case lexer.ParenL:
			parens++
		case lexer.ParenR:
			parens--
		case lexer.BracketL, lexer.BraceL:
			if word.Kind == lexer.BraceL && parens <= 0 {
				if braces++; braces > deepest {
					return found, refuse(CodeDepth, "the document is nested deeper than %d selections", deepest)
				}
				break // its fields are counted by Measure
			}
			if nesting++; nesting > s.Nesting {
				return found, refuse(CodeDepth, "a value of the document is nested deeper than %d", s.Nesting)
			}
		case lexer.BracketR, lexer.BraceR:
			switch {
			case word.Kind == lexer.BraceR && parens <= 0:
				braces--
			case nesting > 0:
				nesting--
			}
		}
		previous = word.Kind
		line = appendShape(line[:0], word)
		hash.Write(line)
	}
	found.Shape = hex.EncodeToString(hash.Sum(nil)[:8])
	return found, nil
}

// appendShape writes a literal by its kind, a name without long runs of digits: it can be made to carry a number.
func appendShape(b []byte, word lexer.Token) []byte {
	b = append(b, byte(word.Kind))
	if word.Kind == lexer.Name {
		b = append(b, backoffice.MaskDigits(word.Value)...)
	}
	return append(b, 0)
}
