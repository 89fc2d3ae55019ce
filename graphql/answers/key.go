package answers

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
)

// Key is a query as it was asked, in the view of its caller. Equal keys have equal answers while nothing changes.
type Key struct {
	Document    [sha256.Size]byte // of its text
	Operation   string
	Variables   string // encoded
	Scopes      uint32 // a bit for each, in the order of backoffice.AllScopes
	Restriction backoffice.Restriction
	Purpose     bool   // it permits disclosing registration numbers
	Sealed      string // the key that seals cursors
	Day         int    // its year and day: some filters compare with it
}

// longest bounds the variables of a key, and its operation's name, which are kept in memory.
const longest = 4 << 10

// KeyOf makes the key of an operation with coerced variables, for the caller of a context; nil when a value is of an
// unknown type, or they or the operation's name are too long.
func KeyOf(ctx context.Context, document [sha256.Size]byte, operation *ast.OperationDefinition,
	variables map[string]any) *Key {
	if len(operation.Name) > longest {
		return nil
	}
	var b []byte
	for _, variable := range operation.VariableDefinitions {
		value, given := variables[variable.Variable]
		if !given {
			b = append(b, '-')
			continue
		}
		var known bool
		if b, known = appendValue(b, value); !known || len(b) > longest {
			return nil
		}
	}
	now := time.Now().In(backoffice.Belgium)
	k := &Key{Document: document, Operation: operation.Name, Variables: string(b),
		Restriction: backoffice.RestrictionOf(ctx), Purpose: backoffice.CheckPurpose(ctx) == nil,
		Day: now.Year()*1000 + now.YearDay()}
	principal := backoffice.RequestOf(ctx).Principal
	for i, scope := range backoffice.AllScopes { // all count: an answer may depend on one that no field of it names
		if principal.Has(scope) {
			k.Scopes |= 1 << i
		}
	}
	return k
}

// appendValue appends a value so that different ones differ: each part has its type, and its length where that varies.
func appendValue(b []byte, value any) (_ []byte, known bool) {
	switch value := value.(type) {
	case nil:
		return append(b, 'n'), true
	case bool:
		if value {
			return append(b, 't'), true
		}
		return append(b, 'f'), true
	case int64:
		return binary.AppendVarint(append(b, 'i'), value), true
	case float64:
		return binary.BigEndian.AppendUint64(append(b, 'd'), math.Float64bits(value)), true
	case backoffice.Instant:
		return binary.AppendVarint(append(b, 'a'), int64(value)), true
	case string:
		return appendText(append(b, 's'), value), true
	case json.RawMessage:
		return appendText(append(b, 'j'), string(value)), true
	case []any:
		b = binary.AppendUvarint(append(b, 'l'), uint64(len(value)))
		for _, item := range value {
			if b, known = appendValue(b, item); !known {
				return b, false
			}
		}
		return b, true
	case map[string]any:
		b = binary.AppendUvarint(append(b, 'o'), uint64(len(value)))
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if b, known = appendValue(appendText(b, name), value[name]); !known {
				return b, false
			}
		}
		return b, true
	}
	return b, false
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}
