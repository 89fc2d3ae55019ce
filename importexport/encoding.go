package importexport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	utf "golang.org/x/text/encoding/unicode"
)

// decoded returns a spreadsheet's text in UTF-8: the file itself, or a temporary copy of it. note names another
// encoding. The bytes alone decide. A file that may be in several encodings is read as UTF-8, which rejects its lines.
func decoded(file *os.File, size int64, name string) (text *os.File, note string, err error) {
	of, note, err := encodingOf(file, size)
	if err != nil {
		return nil, "", cannotRead(name, err)
	}
	if of == nil {
		return file, "", nil
	}
	copied, err := temporary()
	if err != nil {
		return nil, "", cannotRead(name, err)
	}
	if _, err := io.Copy(copied, of.NewDecoder().Reader(io.NewSectionReader(file, 0, size))); err != nil {
		_ = copied.Close()
		_ = os.Remove(copied.Name())
		return nil, "", cannotRead(name, err)
	}
	return copied, note, nil
}

// temporary makes a file whose name goes at once where the system allows that, or else on closing.
func temporary() (*os.File, error) {
	file, err := os.CreateTemp("", "backoffice-import-*.csv")
	if err == nil {
		_ = os.Remove(file.Name())
	}
	return file, err
}

var errNoText = errors.New("it has NUL bytes, so it is not text; save it as CSV UTF-8 or .xlsx")

// encodingOf returns the encoding of a file, nil for UTF-8.
func encodingOf(file io.ReaderAt, size int64) (of encoding.Encoding, note string, err error) {
	head := make([]byte, min(size, 4096))
	if n, err := file.ReadAt(head, 0); n < len(head) {
		return nil, "", err
	}
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), zeros(head, 1) > 0.8 && zeros(head, 0) == 0:
		return utf.UTF16(utf.LittleEndian, utf.UseBOM), "read as UTF-16", nil
	case bytes.HasPrefix(head, []byte("\xfe\xff")), zeros(head, 0) > 0.8 && zeros(head, 1) == 0:
		return utf.UTF16(utf.BigEndian, utf.UseBOM), "read as UTF-16", nil
	case bytes.IndexByte(head, 0) >= 0:
		return nil, "", errNoText
	}
	western := false
	for l := newLines(io.NewSectionReader(file, 0, size)); ; {
		text, err := l.next()
		switch {
		case errors.Is(err, io.EOF) && western:
			return charmap.Windows1252, "read as Windows-1252", nil
		case errors.Is(err, io.EOF), errors.Is(err, errLongLine):
			return nil, "", nil
		case err != nil:
			return nil, "", err
		case !bytes.ContainsFunc(text, func(r rune) bool { return r >= 0x80 }): // U+FFFD for an invalid byte
		case !isWestern(text):
			return nil, "", nil
		default:
			western = true
		}
	}
}

// zeros is the share of zero bytes among every second byte.
func zeros(text []byte, from int) float64 {
	found := 0
	for i := from; i < len(text); i += 2 {
		if text[i] == 0 {
			found++
		}
	}
	return float64(found) / float64(max(len(text)/2, 1))
}

// isWestern reports whether a line can only be Windows-1252: it is not UTF-8, and none of its characters stands where
// Western languages have none, as in a file of DOS (code page 850) or of an old Macintosh.
func isWestern(text []byte) bool {
	if hasUTF8(text) {
		return false
	}
	at := func(i int) rune {
		if i < 0 || i >= len(text) {
			return 0
		}
		return charmap.Windows1252.DecodeByte(text[i])
	}
	for i, c := range text {
		if c < 0x80 {
			continue
		}
		before, after := at(i-1), at(i+1)
		follows, precedes := unicode.IsLetter(before), unicode.IsLetter(after)
		fits := false
		switch r := at(i); r {
		case '’', '·':
			fits = true
		case '‘', '“':
			fits = !follows
		case '”', '™':
			fits = !precedes
		case '€', '–', '—', '•', '¦', '¨', '¼', '½', '¾', 'µ':
			fits = !follows && !precedes
		case '¡', '¢', '£':
			fits = !follows
		case 'Œ':
			fits = !unicode.IsLower(before) && after != 'l' && after != 'L' // î of DOS
		case 'œ':
			fits = precedes
		case '¤', 'Š', 'š', 'Ž', 'ž', 'Ÿ', 'ƒ': // much more often another encoding's €, è, ö, é, û, ü, â
		default:
			switch {
			case c < 0xA0: // also those without a character
			case unicode.IsUpper(r):
				fits = !unicode.IsLower(before) && !(follows && unicode.IsLower(after))
			case unicode.IsLetter(r):
				fits = !(unicode.IsUpper(before) && unicode.IsUpper(after))
			default:
				fits = !(follows && precedes)
			}
		}
		if !fits {
			return false
		}
	}
	return true
}

// hasUTF8 reports whether a text has a character of several bytes in UTF-8. U+FFFD may also stand for an invalid byte.
func hasUTF8(text []byte) bool {
	return bytes.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf && r != utf8.RuneError }) ||
		bytes.Contains(text, []byte("\uFFFD"))
}

func cannotTell(name string) error {
	return fmt.Errorf("%s: the first row has to name the columns: this one does not; "+
		"backoffice import FILE --propose writes a mapping", name)
}
