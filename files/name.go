package files

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// nameLength limits a file's name in bytes, below the 255 of the usual file systems.
const nameLength = 180

// SafeName makes of any text a file name that is safe on any system: no path, no control or direction characters, no
// quotes, no name that Windows reserves. It gets the extension of its media type if it has another one or none.
func SafeName(name, contentType string) string {
	name = norm.NFC.String(strings.ToValidUTF8(name, ""))
	name = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`/\<>:"|?*`, r):
			return '_'
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) || !unicode.IsGraphic(r):
			return -1 // control, direction, invisible and private characters
		}
		return r
	}, name)
	tidy := norm.NFC.String(name) // characters between a letter and its accent may be gone now
	tidy = strings.TrimRight(strings.Join(strings.Fields(tidy), " "), ". ")
	base, extension := splitExtension(tidy, contentType)
	base = strings.Trim(base, ". ")
	base = strings.TrimRight(strings.ToValidUTF8(base[:min(len(base), nameLength-len(extension))], ""), ". ")
	if base == "" {
		base = "document"
	}
	if reserved.MatchString(base) {
		base = "_" + base
	}
	return base + extension
}

// TypedName makes a file name of an identifier, by which DetectContentType finds its type again.
func TypedName(id, contentType string) string {
	if contentType == UnknownContentType {
		id += ".bin" // text without an extension is taken for plain text
	}
	return SafeName(id, contentType)
}

// splitExtension splits the extension off a name, or adds the usual one of its type.
func splitExtension(name, contentType string) (base, extension string) {
	usual := extensionsOf(contentType)
	extension = path.Ext(name)
	if slices.Contains(usual, strings.ToLower(strings.TrimPrefix(extension, "."))) {
		return strings.TrimSuffix(name, extension), extension
	}
	if len(usual) > 0 {
		return name, "." + usual[0]
	}
	isShort := len(extension) > 1 && len(extension) <= 10 && !strings.Contains(extension, " ")
	if isShort {
		return strings.TrimSuffix(name, extension), extension
	}
	return name, ""
}

// reserved are the device names of Windows, which are reserved with any extension.
var reserved = regexp.MustCompile(`(?i)^(CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(COM|LPT)[0-9¹²³]) *(\.|$)`)

// ContentDisposition is the header of a download (RFC 6266): an attachment under the safe name, with a plain ASCII name
// for older clients and the true one in filename* (RFC 8187) when the two differ.
func ContentDisposition(name, contentType string) string {
	name = SafeName(name, contentType)
	plain := plainName(name)
	header := `attachment; filename="` + plain + `"`
	if plain != name {
		header += "; filename*=UTF-8''" + strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
	}
	return header
}

// plainName drops accents and replaces what is not ASCII, or what a client might decode or unquote.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r < ' ' || r > '~' || strings.ContainsRune(`/\<>:"|?*%;`, r):
			return '_'
		}
		return r
	}, norm.NFKD.String(name))
}
