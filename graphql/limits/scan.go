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

// Scan is what is known of a document from its tokens, before it is parsed.
type Scan struct {
	Tokens     int // with comments, which cost as much to read
	Aliases    int // also those that repeat the field's name
	Directives int
	// Shape, for logs, is the same for documents that differ only in literals, white space and comments.
	Shape string
	// Broken is the position of an invalid token; nil for none.
	Broken *ast.Position
}

// deepest is how deep selection sets may nest, with inline fragments. The parser recurses, and gives up at 1000.
const deepest = 500

// longestName is far more than a name needs. An alias is repeated in each row's answer, each error and each plan.
const longestName = 256

// Scan reads the tokens of a document, up to the first exceeded limit or a token that the parser will report.
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
		case lexer.Name:
			if len(word.Value) > longestName {
				return found, refuse(CodeToken, "a name in the document has more than %d characters", longestName)
			}
		case lexer.String:
			// The lexer turns a lone surrogate into the replacement character, which is rare otherwise.
			if strings.ContainsRune(word.Value, utf8.RuneError) {
				if runes == nil {
					runes = []rune(document) // positions count runes
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
				break // Measure counts its fields
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

// appendShape writes the kind of a literal, and a name with masked digits: it could carry a registration number.
func appendShape(b []byte, word lexer.Token) []byte {
	b = append(b, byte(word.Kind))
	if word.Kind == lexer.Name {
		b = append(b, backoffice.MaskDigits(word.Value)...)
	}
	return append(b, 0)
}
