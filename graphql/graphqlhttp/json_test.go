package graphqlhttp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestJSONIsReadStrictly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		`{"a":1,"b":[true,false,null,"x"]}`: nil,
		" [ ] \n":                           nil,
		`"\u00e9\ud83c\udfc3\n\/"`:          nil,
		`-0.5e+10`:                          nil,
		`{"a":1,"a":2}`:                     errDuplicate,
		`{"a":1,"\u0061":2}`:                errDuplicate,
		`{"a":{"b":1,"b":1}}`:               errDuplicate,
		`{} {}`:                             errSyntax,
		`{}x`:                               errSyntax,
		"{}\x00":                            errSyntax,
		`{"a":1,}`:                          errSyntax,
		`[1,]`:                              errSyntax,
		`{a:1}`:                             errSyntax,
		`'a'`:                               errSyntax,
		`01`:                                errSyntax,
		`+1`:                                errSyntax,
		`1.`:                                errSyntax,
		`.5`:                                errSyntax,
		`1e`:                                errSyntax,
		`NaN`:                               errSyntax,
		`tru`:                               errSyntax,
		``:                                  errSyntax,
		`"a`:                                errSyntax,
		"\"a\nb\"":                          errSyntax,
		`"\x41"`:                            errSyntax,
		`"\u12"`:                            errSyntax,
		`"\u+123"`:                          errSyntax,
		"\ufeff{}":                          errSyntax,
		"\"\xff\"":                          errEncoding,
		`"\ud83c"`:                          errEncoding,
		`"\ud83cx"`:                         errEncoding,
		`"\udfc3\ud83c"`:                    errEncoding,
		`[[[[1]]]]`:                         nil,
		`[[[[[1]]]]]`:                       errNesting,
		`[[[[{}]]]]`:                        errNesting,
		`[[],[],[[],[]],[[]]]`:              nil,
		strings.Repeat("[", 1_000_000):      errNesting,
		strings.Repeat(`{"a":`, 1_000_000):  errNesting,
	} {
		if _, err := parseJSON(text, 4); !errors.Is(err, want) {
			t.Errorf("%.40q: %v, want %v", text, err, want)
		}
	}
}

func FuzzJSONIsReadAsTheStandardLibraryReadsIt(f *testing.F) {
	for _, seed := range []string{
		`{"query":"{ a }","variables":{"n":1.5e3,"x":[null,true,"\ud83c\udfc3é"]}}`, `{"a":1,"a":2}`, `[[[]]]`, `"\ud800"`, `-0`, "\xff", `{} `, `1 2`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseJSON(text, 200)
		var want any
		decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
		decoder.UseNumber()
		theirs := decoder.Decode(&want)
		if theirs == nil {
			if _, more := decoder.Token(); more != io.EOF {
				theirs = errSyntax
			}
		}
		switch {
		case err == nil && theirs != nil:
			t.Fatalf("accepted, though the standard library says %v", theirs)
		case err == nil && !reflect.DeepEqual(plain(got), want):
			t.Fatalf("read as %v, not %v", got, want)
		case errors.Is(err, errSyntax) && theirs == nil:
			t.Fatalf("refused, though it is valid")
		case errors.Is(err, errEncoding) && utf8.ValidString(text) && !strings.Contains(text, `\u`):
			t.Fatalf("refused for its encoding")
		}
	})
}

// plain is a value as the standard library has it.
func plain(value any) any {
	switch value := value.(type) {
	case *object:
		members := make(map[string]any, len(value.members))
		for name, member := range value.members {
			members[name] = plain(member)
		}
		return members
	case []any:
		list := make([]any, len(value))
		for i, item := range value {
			list[i] = plain(item)
		}
		return list
	}
	return value
}
