package execute

import (
	"bytes"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"pgregory.net/rapid"
)

func TestATextIsWrittenAsGqlgenWritesIt(t *testing.T) {
	t.Parallel()
	for c := range 256 { // each byte in each place of a word
		for at := range 9 {
			text := strings.Repeat("x", at) + string([]byte{byte(c)}) + strings.Repeat("y", 9-at)
			sameText(t, text)
		}
	}
	rapid.Check(t, func(t *rapid.T) { sameText(t, string(rapid.SliceOf(rapid.Byte()).Draw(t, "text"))) })
}

func FuzzATextIsWrittenAsGqlgenWritesIt(f *testing.F) {
	f.Add("a plain text")
	f.Add("\"quoted\" and \\ and \n and \x00 and é and \xff")
	f.Fuzz(func(t *testing.T, text string) { sameText(t, text) })
}

func sameText(t interface{ Errorf(string, ...any) }, text string) {
	var want bytes.Buffer
	graphql.MarshalString(text).MarshalGQL(&want)
	var w Writer
	if w.String(text); string(w.bytes) != want.String() {
		t.Errorf("%q is written %s, gqlgen writes %s", text, w.bytes, want.Bytes())
	}
}
