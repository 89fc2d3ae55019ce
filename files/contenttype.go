package files

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// HeadLength is the number of first bytes that DetectContentType needs.
const HeadLength = 512

// UnknownContentType is for files that nobody should open without thinking.
const UnknownContentType = "application/octet-stream"

const textContentType = "text/plain"

// family is what the first bytes show.
type family uint8

const (
	binary  family = iota // nothing known
	text                  // valid UTF-8 without control characters
	xml                   // text that opens with an XML declaration
	archive               // a zip, as office documents are
	ole                   // a compound file, as old office documents are
	active                // something that runs: HTML, SVG, a program or a script
	exact                 // one type, by its signature
)

// byExtension are the types that a file may get by its name, with the family that its content must have.
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

// activeOpenings are matched in lower case, after leading white space.
var activeOpenings = []string{
	"<!doctype html", "<html", "<head", "<body", "<script", "<iframe", "<svg", "<!doctype svg", "#!",
}

// DetectContentType returns the media type of a file by its name and its first bytes (HeadLength of them, or all). If
// they contradict each other, the bytes win; what they leave open, the extension decides. It returns only types of a
// safe list: pages, scripts, programs and unknown content are application/octet-stream.
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
	// No signature: trust the name, unless it promises text and the bytes are none.
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
	if slices.ContainsFunc(activeOpenings, func(start string) bool { return bytes.HasPrefix(opening, []byte(start)) }) {
		return active, ""
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

// isText permits a character cut off by the head's end, and the single bytes of Windows-1252 that older bookkeeping
// programs write: no control characters but white space.
func isText(head []byte) bool {
	return bytes.IndexFunc(head, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' || r == 0x7f
	}) < 0
}

// withCharset adds charset=utf-8 to a text in UTF-8; it claims nothing about any other text.
func withCharset(contentType string, head []byte) string {
	if !strings.HasPrefix(contentType, "text/") {
		return contentType
	}
	for cut := 0; cut < utf8.UTFMax && cut <= len(head); cut++ {
		if utf8.Valid(head[:len(head)-cut]) {
			return contentType + "; charset=utf-8"
		}
		if len(head) < HeadLength {
			break // the whole file: nothing is cut off
		}
	}
	return contentType
}

// extensionsOf lists the usual extensions of a media type, first the one to add.
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
