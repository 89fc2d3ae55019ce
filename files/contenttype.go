package files

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"
)

// HeadLength is how many of a file's first bytes DetectContentType looks at.
const HeadLength = 512

// UnknownContentType is that of a file that nobody should open without thinking.
const UnknownContentType = "application/octet-stream"

const textContentType = "text/plain"

// family is what can be seen in the first bytes.
type family uint8

const (
	binary  family = iota // nothing that is known
	text                  // valid UTF-8 without control characters
	xml                   // text that opens with an XML declaration
	archive               // a zip, as office documents are
	ole                   // a compound file, as old office documents are
	active                // something that runs: HTML, SVG, a program or a script
	exact                 // one type by its signature
)

// byExtension are the types that a file may get by its name, with the family its content must be of.
var byExtension = map[string]struct {
	contentType string
	family      family
}{
	"pdf":  {"application/pdf", exact},
	"png":  {"image/png", exact},
	"jpg":  {"image/jpeg", exact},
	"jpeg": {"image/jpeg", exact},
	"gif":  {"image/gif", exact},
	"webp": {"image/webp", exact},
	"tif":  {"image/tiff", exact},
	"tiff": {"image/tiff", exact},
	"zip":  {"application/zip", archive},
	"docx": {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", archive},
	"xlsx": {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", archive},
	"pptx": {"application/vnd.openxmlformats-officedocument.presentationml.presentation", archive},
	"odt":  {"application/vnd.oasis.opendocument.text", archive},
	"ods":  {"application/vnd.oasis.opendocument.spreadsheet", archive},
	"odp":  {"application/vnd.oasis.opendocument.presentation", archive},
	"doc":  {"application/msword", ole},
	"xls":  {"application/vnd.ms-excel", ole},
	"ppt":  {"application/vnd.ms-powerpoint", ole},
	"msg":  {"application/vnd.ms-outlook", ole},
	"txt":  {textContentType, text},
	"csv":  {"text/csv", text},
	"md":   {"text/markdown", text},
	"json": {"application/json", text},
	"eml":  {"message/rfc822", text},
	"xml":  {"application/xml", xml},
	"xbrl": {"application/xml", xml},
	"rtf":  {"application/rtf", exact},
}

var signatures = []struct{ opening, contentType string }{
	{"%PDF-", "application/pdf"},
	{"\x89PNG\r\n\x1a\n", "image/png"},
	{"\xff\xd8\xff", "image/jpeg"},
	{"GIF87a", "image/gif"},
	{"GIF89a", "image/gif"},
	{"II*\x00", "image/tiff"},
	{"MM\x00*", "image/tiff"},
	{`{\rtf`, "application/rtf"},
}

// activeOpenings are looked for in lower case after leading white space.
var activeOpenings = []string{"<!doctype html", "<html", "<head", "<body", "<script", "<iframe", "<svg", "<!doctype svg", "#!"}

// DetectContentType tells the media type of a file by its name and its first bytes (HeadLength of them, or all). Where
// the two contradict each other, the bytes win; what they leave open, the extension decides. Only types of a safe list
// are ever answered: pages, scripts, programs and whatever is not known are application/octet-stream.
func DetectContentType(name string, head []byte) string {
	head = head[:min(len(head), HeadLength)]
	extension := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	named, isNamed := byExtension[extension]
	seen, signed := familyOf(head)
	switch seen {
	case exact:
		return signed
	case active:
		return UnknownContentType
	case archive, ole:
		if isNamed && named.family == seen {
			return named.contentType
		}
		if seen == archive {
			return "application/zip"
		}
		return UnknownContentType
	}
	// No signature: the name is believed, unless it promises text and the bytes are none.
	isText := seen == text || seen == xml
	switch {
	case isNamed && (named.family == text || named.family == xml):
		if !isText {
			return UnknownContentType
		}
		return withCharset(named.contentType, head)
	case isNamed:
		return named.contentType
	case isText && extension == "":
		return withCharset(textContentType, head)
	}
	return UnknownContentType
}

func familyOf(head []byte) (family, string) {
	for _, signature := range signatures {
		if bytes.HasPrefix(head, []byte(signature.opening)) {
			return exact, signature.contentType
		}
	}
	switch {
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return exact, "image/webp"
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return archive, ""
	case bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return ole, ""
	case bytes.HasPrefix(head, []byte("MZ")), bytes.HasPrefix(head, []byte("\x7fELF")):
		return active, ""
	}
	opening := bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n"))
	for _, start := range activeOpenings {
		if bytes.HasPrefix(opening, []byte(start)) {
			return active, ""
		}
	}
	if !isText(head) {
		return binary, ""
	}
	if bytes.HasPrefix(opening, []byte("<?xml")) {
		if bytes.Contains(opening, []byte("<svg")) || bytes.Contains(opening, []byte("<html")) {
			return active, ""
		}
		return xml, ""
	}
	return text, ""
}

// isText permits a character that the head's end cuts, and the single bytes of Windows-1252 in which older bookkeeping
// programs write: no control characters but white space.
func isText(head []byte) bool {
	return bytes.IndexFunc(head, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' || r == 0x7f
	}) < 0
}

// withCharset adds charset=utf-8 to a text when its bytes are that; it claims nothing about another one.
func withCharset(contentType string, head []byte) string {
	if !strings.HasPrefix(contentType, "text/") {
		return contentType
	}
	for cut := 0; cut < utf8.UTFMax && cut <= len(head); cut++ {
		if utf8.Valid(head[:len(head)-cut]) {
			return contentType + "; charset=utf-8"
		}
		if len(head) < HeadLength {
			break // the whole file: nothing is cut
		}
	}
	return contentType
}

// extensionsOf lists the extensions under which a media type is usual, the first being the one to add.
func extensionsOf(contentType string) []string {
	media, _, _ := strings.Cut(contentType, ";")
	switch media {
	case "image/jpeg":
		return []string{"jpg", "jpeg"}
	case "image/tiff":
		return []string{"tif", "tiff"}
	case "application/xml":
		return []string{"xml", "xbrl"}
	}
	for extension, known := range byExtension {
		if known.contentType == media {
			return []string{extension}
		}
	}
	return nil
}
