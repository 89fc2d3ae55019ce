package files_test

import (
	"mime"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"example.org/backoffice/files"
)

func TestANameIsMadeSafeForEverySystem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, contentType, want string }{
		{"Statuten.pdf", "application/pdf", "Statuten.pdf"},
		{"STATUTEN.PDF", "application/pdf", "STATUTEN.PDF"},
		{"Statuten 2024", "application/pdf", "Statuten 2024.pdf"},
		{"v1.2", "application/pdf", "v1.2.pdf"},
		{"report.exe", "application/pdf", "report.exe.pdf"},
		{"photo.jpeg", "image/jpeg", "photo.jpeg"},
		{"notes", "text/plain; charset=utf-8", "notes.txt"},
		{"data.bin", "application/octet-stream", "data.bin"},
		{"../../etc/passwd", "text/plain", "_.._etc_passwd.txt"},
		{`C:\temp\a.pdf`, "application/pdf", "C__temp_a.pdf"},
		{"a\r\nSet-Cookie: x=1.pdf", "application/pdf", "a Set-Cookie_ x=1.pdf"},
		{"fac\u202etxt.exe", "application/octet-stream", "factxt.exe"},
		{"a\u200bb\u0000c\u2066.pdf", "application/pdf", "abc.pdf"},
		{`say "hi".pdf`, "application/pdf", "say _hi_.pdf"},
		{"", "application/pdf", "document.pdf"},
		{"...", "application/pdf", "document.pdf"},
		{".pdf", "application/pdf", "document.pdf"},
		{"  spaced   out  .pdf", "application/pdf", "spaced out.pdf"},
		{"CON", "application/pdf", "_CON.pdf"},
		{"nul.txt", "text/plain", "_nul.txt"},
		{"com1.tar.pdf", "application/pdf", "_com1.tar.pdf"},
		{"COM¹.pdf", "application/pdf", "_COM¹.pdf"},
		{"common.pdf", "application/pdf", "common.pdf"},
		{"Cafe\u0301.pdf", "application/pdf", "Café.pdf"},
		{"bad\xff\xfeutf8.pdf", "application/pdf", "badutf8.pdf"},
		{strings.Repeat("é", 300) + ".pdf", "application/pdf", strings.Repeat("é", 88) + ".pdf"},
	} {
		if got := files.SafeName(c.name, c.contentType); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAPlainNameStandsBesideTheTrueOne(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, want string }{
		{"a.pdf", `attachment; filename="a.pdf"`},
		{"Dépôt 100%.pdf", `attachment; filename="Depot 100_.pdf"; filename*=UTF-8''D%C3%A9p%C3%B4t%20100%25.pdf`},
		{"Œuvre €5.pdf", `attachment; filename="_uvre _5.pdf"; filename*=UTF-8''%C5%92uvre%20%E2%82%AC5.pdf`},
		{"文書.pdf", `attachment; filename="__.pdf"; filename*=UTF-8''%E6%96%87%E6%9B%B8.pdf`},
		{"a／b＂c.pdf", `attachment; filename="a_b_c.pdf"; filename*=UTF-8''a%EF%BC%8Fb%EF%BC%82c.pdf`},
	} {
		if got := files.ContentDisposition(c.name, "application/pdf"); got != c.want {
			t.Errorf("%q gives %s, want %s", c.name, got, c.want)
		}
	}
}

// checkDisposition holds for whatever a name is.
func checkDisposition(t interface{ Fatalf(string, ...any) }, name, contentType string) {
	safe := files.SafeName(name, contentType)
	if again := files.SafeName(safe, contentType); again != safe {
		t.Fatalf("%q is made safe twice: %q", safe, again)
	}
	if !utf8.ValidString(safe) || len(safe) > 190 || strings.Trim(safe, ". ") == "" {
		t.Fatalf("no usable name: %q", safe)
	}
	if strings.ContainsAny(safe, `/\<>:"|?*`) || strings.HasPrefix(safe, ".") || strings.HasSuffix(safe, ".") || strings.HasSuffix(safe, " ") {
		t.Fatalf("not safe: %q", safe)
	}
	for _, r := range safe {
		if r != ' ' && (!unicode.IsGraphic(r) || unicode.Is(unicode.Bidi_Control, r)) {
			t.Fatalf("%q holds %U", safe, r)
		}
	}
	header := files.ContentDisposition(name, contentType)
	for _, r := range header {
		if r < ' ' || r > '~' {
			t.Fatalf("the header holds %U", r)
		}
	}
	kind, params, err := mime.ParseMediaType(header)
	if err != nil || kind != "attachment" || params["filename"] != safe {
		t.Fatalf("%s reads as %q: %v", header, params["filename"], err)
	}
	if _, encoded, found := strings.Cut(header, "filename*=UTF-8''"); found {
		if decoded, err := url.PathUnescape(encoded); err != nil || decoded != safe {
			t.Fatalf("filename* reads as %q: %v", decoded, err)
		}
	}
}

func TestAnyNameGivesASafeHeader(t *testing.T) {
	t.Parallel()
	name := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-zé./\\":; %\r\n\x{202e}\x{ff0f}]{0,250}(\.pdf)?`), rapid.StringMatching(`(?i)(con|nul|com1|lpt9)(\.[a-z]{0,4})*`))
	kind := rapid.SampledFrom([]string{"application/pdf", "image/jpeg", "text/plain; charset=utf-8", "application/octet-stream", "", "nonsense"})
	rapid.Check(t, func(r *rapid.T) { checkDisposition(r, name.Draw(r, "name"), kind.Draw(r, "type")) })
}

func FuzzName(f *testing.F) {
	for _, seed := range []string{"a.pdf", "../x", "CON", "\u202e", "é", "％22", "a.b.c", strings.Repeat(".a", 120)} {
		f.Add(seed, "application/pdf")
		f.Add(seed, "application/octet-stream")
	}
	f.Fuzz(func(t *testing.T, name, contentType string) { checkDisposition(t, name, contentType) })
}
