package rest

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

const compressedFrom = 1 << 10

// Compressed packs answers in JSON, and the schema's text, with what the client takes: zstd or gzip.
//
// It never packs an answer that holds registration numbers: next to a text that an attacker may choose, such as a
// name, the packed size would tell how much of a number the text repeats (BREACH). Such an answer, and one with an
// entity tag, is marked by the methods of request. There is no other secret in an answer: credentials are never
// answered with.
func Compressed(next http.Handler) http.Handler { return compress(next) }

var compress = func() func(http.Handler) http.HandlerFunc {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(compressedFrom), gzhttp.SetContentType(false),
		gzhttp.ContentTypes([]string{mediaJSON, mediaProblem, "text/plain"}))
	if err != nil {
		panic("rest: " + err.Error())
	}
	return wrap
}()
