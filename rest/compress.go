package rest

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

const compressedFrom = 1 << 10

// Compressed packs answers in JSON, and the schema's text, with what the client takes: zstd or gzip.
//
// It never packs an answer with registration numbers: beside a text that an attacker chooses, the packed size would
// reveal a number (BREACH). The methods of request mark such answers, and those with an entity tag.
func Compressed(next http.Handler) http.Handler { return compress(next) }

var compress = func() func(http.Handler) http.HandlerFunc {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(compressedFrom), gzhttp.SetContentType(false),
		gzhttp.ContentTypes([]string{mediaJSON, mediaProblem, "text/plain"}))
	if err != nil {
		panic("rest: " + err.Error())
	}
	return wrap
}()
