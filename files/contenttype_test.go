package files_test

import (
	"mime"
	"strings"
	"testing"

	"example.org/backoffice/files"
)

const (
	zip = "PK\x03\x04rest"
	ole = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest"
	png = "\x89PNG\r\n\x1a\nrest"
)

func TestAContentTypeIsToldByNameAndContent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, head, want string }{
		{"a.pdf", "%PDF-1.7\n", "application/pdf"},
		{"a.PDF", "%PDF-1.7\n", "application/pdf"},
		{"a", "%PDF-1.7\n", "application/pdf"},
		{"a.docx", "%PDF-1.7\n", "application/pdf"},
		{"a.pdf", "not quite", "application/pdf"},
		{"a.pdf", png, "image/png"},
		{"a.pdf", "<html><script>", files.UnknownContentType},
		{"a.pdf", "\n <!DOCTYPE HTML>", files.UnknownContentType},
		{"a.html", "<html>", files.UnknownContentType},
		{"a.svg", "<svg onload=x>", files.UnknownContentType},
		{"a.xml", `<?xml version="1.0"?><svg>`, files.UnknownContentType},
		{"a.xml", `<?xml version="1.0"?><a/>`, "application/xml"},
		{"a.xbrl", `<?xml version="1.0"?><xbrl/>`, "application/xml"},
		{"a.jpg", "\xff\xd8\xff\xe0", "image/jpeg"},
		{"a.webp", "RIFF\x00\x00\x00\x00WEBP", "image/webp"},
		{"a.docx", zip, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		{"a.xlsx", zip, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
		{"a.jar", zip, "application/zip"},
		{"a.pdf", zip, "application/zip"},
		{"a.doc", ole, "application/msword"},
		{"a.docx", ole, files.UnknownContentType},
		{"a.csv", "a;b\n1;2\n", "text/csv; charset=utf-8"},
		{"a.csv", "na\xefve;1\n", "text/csv"},
		{"a.csv", "a\x00b", files.UnknownContentType},
		{"a.csv", strings.Repeat("a", 511) + "é", "text/csv; charset=utf-8"},
		{"a.txt", "", "text/plain; charset=utf-8"},
		{"a", "plain words", "text/plain; charset=utf-8"},
		{"a.sh", "echo", files.UnknownContentType},
		{"a.txt", "#!/bin/sh", files.UnknownContentType},
		{"a.exe", "MZ\x90", files.UnknownContentType},
		{"a.txt", "MZ\x90", files.UnknownContentType},
		{"a.json", `{"a":1}`, "application/json"},
		{"a.unknown", "\x01\x02", files.UnknownContentType},
		{"", "", "text/plain; charset=utf-8"},
	} {
		if got := files.DetectContentType(c.name, []byte(c.head)); got != c.want {
			t.Errorf("%q with %.20q is %s, want %s", c.name, c.head, got, c.want)
		}
	}
}

func FuzzContentType(f *testing.F) {
	f.Add("a.pdf", []byte("%PDF-"))
	f.Add("a.html", []byte("<html>"))
	f.Add("a.csv", []byte("\xef\xbb\xbfa;b"))
	f.Add("a.cod", []byte("plain words"))
	f.Add("a.camt", []byte(`<?xml version="1.0"?><a/>`))
	f.Add("a", []byte("plain words"))
	f.Fuzz(func(t *testing.T, name string, head []byte) {
		detected := files.DetectContentType(name, head)
		media, _, err := mime.ParseMediaType(detected)
		if err != nil {
			t.Fatal(err)
		}
		if again := files.DetectContentType(files.TypedName("document-1", detected), head); again != detected {
			t.Fatalf("%s is %s after an export and an import", detected, again)
		}
		for _, active := range []string{"html", "javascript", "svg", "ecmascript"} {
			if strings.Contains(media, active) {
				t.Fatalf("%s is not on the safe list", media)
			}
		}
	})
}
