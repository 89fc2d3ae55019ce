package rest

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

const compressedFrom = 1 << 10

// Compressed compresses JSON and the schema's text with what the client accepts: zstd or gzip.
//
// It never compresses an answer with registration numbers: alongside a text that an attacker chooses, the compressed
// size would reveal a number (BREACH). request marks such answers, and those with an entity tag.
func Compressed(next http.Handler) http.Handler { return compress(next) }

var compress = func() func(http.Handler) http.HandlerFunc {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(compressedFrom), gzhttp.SetContentType(false),
		gzhttp.ContentTypes([]string{mediaJSON, mediaProblem, "text/plain"}))
	if err != nil {
		panic("rest: " + err.Error())
	}
	return wrap
}()
