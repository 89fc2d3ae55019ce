package store

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestAListIsReadByJSONAsItWasGiven(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		given := rapid.SliceOf(rapid.String()).Draw(t, "texts")
		var read []string
		if err := json.Unmarshal([]byte(listAsJSON(given).(string)), &read); err != nil || !slices.Equal(given, read) {
			t.Fatalf("%q became %q (%v)", given, read, err)
		}
	})
}

func FuzzEveryTextCanBeMadeAnArgument(f *testing.F) {
	for _, text := range []string{"", "plain", "é", "a\x00b", "\xff\xfe", "\"\\\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		made := storable(text)
		if !utf8.ValidString(made) || strings.ContainsRune(made, 0) {
			t.Errorf("%q became %q", text, made)
		}
		if utf8.ValidString(text) && !strings.ContainsRune(text, 0) && made != text {
			t.Errorf("%q was changed to %q", text, made)
		}
		if storable(made) != made {
			t.Errorf("%q changes again", made)
		}
	})
}

func TestStatementsAreForgottenBeforeTheyAreTooMany(t *testing.T) {
	t.Parallel()
	var kept texts[struct{}]
	for limit := range 3 * maxTexts {
		s := shape{window: windowShape{limit: limit}}
		first := kept.get(s, func() *statement[struct{}] { return &statement[struct{}]{} })
		if again := kept.get(s, func() *statement[struct{}] { return nil }); again != first {
			t.Fatal("a statement was built twice in a row")
		}
	}
	if len(kept.byShape.kept) > maxTexts {
		t.Errorf("%d statements are kept", len(kept.byShape.kept))
	}
}

func TestTextsOfARowStayAsTheyWereReadWhenTheDriverUsesItsBytesAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		given := rapid.SliceOf(rapid.StringN(0, 50, 2000)).Draw(t, "texts")
		var row Row
		var read []string
		buffer := make([]byte, 0, 4096)
		for _, text := range given {
			buffer = append(buffer[:0], text...)
			row.SetRaw([][]byte{buffer}, []int16{1})
			read = append(read, row.Text(0))
			for i := range buffer {
				buffer[i] = 'x'
			}
		}
		if !slices.Equal(given, read) && len(given) > 0 {
			t.Fatalf("%q became %q", given, read)
		}
	})
}
