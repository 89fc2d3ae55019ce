package privacy

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"example.org/backoffice/backoffice"
)

func TestAPurposeIsReadFromTheHeader(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		values []string
		want   string // "" for none
		bad    bool
	}{
		"absent":                        {nil, "", false},
		"empty":                         {[]string{""}, "", false},
		"stated":                        {[]string{"Tax return 2026, part 1"}, "Tax return 2026, part 1", false},
		"200 characters of two bytes":   {[]string{strings.Repeat("é", 200)}, strings.Repeat("é", 200), false},
		"201 characters":                {[]string{strings.Repeat("a", 201)}, "", true},
		"8 digits in a row":             {[]string{"case 12345678"}, "case 12345678", false},
		"9 digits in a row":             {[]string{"case 123456789"}, "", true},
		"8 and 8 digits, a space":       {[]string{"12345678 12345678"}, "12345678 12345678", false},
		"9 digits of another script":    {[]string{"١٢٣٤٥٦٧٨٩"}, "", true},
		"a number with dots":            {[]string{"return of 90.01.01-997.94"}, "", true},
		"a number with spaces":          {[]string{"90 01 01 997 94"}, "", true},
		"a number with slashes":         {[]string{"90/01/01/997/94"}, "", true},
		"a number with an odd dash":     {[]string{"900101–99794"}, "", true},
		"a file's number":               {[]string{"file 2026/000123"}, "file 2026/000123", false},
		"a tab":                         {[]string{"a\tb"}, "", true},
		"a control character of UTF-8":  {[]string{"a\u0085b"}, "", true},
		"not UTF-8":                     {[]string{"caf\xe9"}, "", true},
		"a blank":                       {[]string{" "}, "", false},
		"blanks that HTTP does not cut": {[]string{"\u00a0\u200b\u3000"}, "", false},
		"blanks around it":              {[]string{"\u00a0Tax return "}, "Tax return", false},
		"a tool's behind a blank":       {[]string{" mcp:OpenWork"}, "", true},
		"sent twice":                    {[]string{"a", "a"}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := PurposeOf(http.Header{PurposeHeader: c.values})
			if c.bad != (backoffice.KindOf(err) == backoffice.BadInput && err != nil) || !c.bad && err != nil {
				t.Fatalf("error %v", err)
			}
			if (got == nil) != (c.want == "") || got != nil && *got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func FuzzParsePurpose(f *testing.F) {
	f.Add("Tax return 2026")
	f.Add("123456789")
	f.Add("a\x00b")
	run := regexp.MustCompile(`\p{Nd}{9}`)
	f.Fuzz(func(t *testing.T, text string) {
		want := strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
		good := utf8.ValidString(text) && utf8.RuneCountInString(text) <= 200 && !strings.ContainsFunc(text, unicode.IsControl) && !run.MatchString(want) && backoffice.MaskDigits(want) == want && !strings.HasPrefix(want, "mcp:")
		got, err := ParsePurpose(text)
		if (err == nil) != good || good && got != want {
			t.Fatalf("%q: %q %v", text, got, err)
		}
	})
}
