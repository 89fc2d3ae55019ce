package files

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
)

// ErrNothingOfRange reports that the file has nothing of what Range asks for: 416. Content-Range is set.
var ErrNothingOfRange = errors.New("files: the range is outside the file")

// ErrOtherContent reports that If-Match does not have the file's tag: 412.
var ErrOtherContent = errors.New("files: the file is not the one in If-Match")

// Serve answers a GET or HEAD with a stored file under a safe form of name: streamed, always as an attachment that no
// browser runs, with Range, If-Range, If-Match, If-None-Match and the digest of RFC 9530. The caller checks scopes.
//
// An error means that nothing was answered: NotFound when the store lacks the file, Unavailable when it cannot answer,
// ErrNothingOfRange, ErrOtherContent. A later failure is logged and breaks the connection: no client takes a part for
// the whole. Do not compress the answer. http.ServeContent sends the status before it asks the store, and several
// ranges as parts.
func Serve(w http.ResponseWriter, r *http.Request, from backoffice.FileStore, file backoffice.File, name string) error {
	header := w.Header()
	size := int64(file.Size)
	etag := ETag(file)
	setCommonHeaders(header, etag)
	// In the order of RFC 9110, section 13.2.2.
	if match := r.Header.Values("If-Match"); len(match) > 0 && !hasTag(match, etag, false) {
		return ErrOtherContent
	}
	if none := r.Header.Values("If-None-Match"); len(none) > 0 && hasTag(none, etag, true) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	wanted, status := byteRange{0, size}, http.StatusOK
	if rangeHeader := r.Header.Get("Range"); rangeHeader != "" && r.Method == http.MethodGet &&
		rangeStillHolds(r.Header, etag) {
		switch part, answer := parseRange(rangeHeader, size); answer {
		case partOfFile:
			wanted, status = part, http.StatusPartialContent
		case nothingOfRange:
			header.Set("Content-Range", "bytes */"+strconv.FormatInt(size, 10))
			return ErrNothingOfRange
		}
	}
	body, err := from.Open(r.Context(), file.Key, wanted.offset, wanted.length)
	if err != nil {
		if backoffice.KindOf(err) == backoffice.NotFound {
			slog.ErrorContext(r.Context(),
				"a stored file is missing; restore it from a backup (backoffice check names its record)",
				"file", file.Key)
		}
		clearHeaders(header)
		return err
	}
	defer body.Close()
	if wanted == (byteRange{0, size}) && r.Method == http.MethodGet {
		if body, err = whole(body, file); err != nil {
			clearHeaders(header)
			return err
		}
	}
	if status == http.StatusPartialContent {
		header.Set("Content-Range", wanted.contentRange(size))
	}
	header.Set("Content-Type", file.ContentType)
	header.Set("Content-Length", strconv.FormatInt(wanted.length, 10))
	header.Set("Content-Disposition", ContentDisposition(name, file.ContentType))
	header.Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(file.SHA256)+":")
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return nil
	}
	stream(w, r, body, wanted.length)
	return nil
}

// stream copies length bytes, or breaks the connection.
func stream(w http.ResponseWriter, r *http.Request, body io.Reader, length int64) {
	from := &source{ctx: r.Context(), r: body}
	sent, err := io.CopyN(w, from, length)
	if sent == length {
		return
	}
	if r.Context().Err() == nil && (from.err != nil || errors.Is(err, io.EOF)) {
		slog.ErrorContext(r.Context(), "a stored file ended early while being sent",
			"error", err, "sent", sent, "size", length)
	}
	panic(http.ErrAbortHandler)
}

// ETag is the strong entity tag of a file: its content's digest, so that the same bytes have the same tag.
func ETag(file backoffice.File) string { return `"` + hex.EncodeToString(file.SHA256) + `"` }

func setCommonHeaders(header http.Header, etag string) {
	header.Set("ETag", etag)
	header.Set("Accept-Ranges", "bytes")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy",
		"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox")
}

// clearHeaders leaves the headers to the error's answer.
func clearHeaders(header http.Header) {
	header.Del("ETag")
	header.Del("Accept-Ranges")
}

// rangeStillHolds evaluates If-Range, by the digest: a date never matches, because there is no Last-Modified.
func rangeStillHolds(header http.Header, etag string) bool {
	condition := header.Get("If-Range")
	return condition == "" || strings.TrimSpace(condition) == etag
}

// hasTag looks for a tag in lists of tags. Our tags have no comma, so lists can be split at commas.
func hasTag(lists []string, etag string, weak bool) bool {
	for _, list := range lists {
		for tag := range strings.SplitSeq(list, ",") {
			tag = strings.TrimSpace(tag)
			if weak {
				tag = strings.TrimPrefix(tag, "W/")
			}
			if tag == "*" || tag == etag {
				return true
			}
		}
	}
	return false
}
