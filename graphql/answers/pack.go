package answers

import (
	"bytes"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// The content codings of answers.
const (
	Zstd = "zstd"
	Gzip = "gzip"
)

// codings is how many packed copies an answer may have.
const codings = 2

// packedPart is the part of an answer that a packed copy may take to stay with it: one in so many. Its weight counts.
const packedPart = 3

// copies is the body in one coding, once it was asked for before.
type copies struct {
	asked atomic.Bool
	body  atomic.Pointer[[]byte]
}

// Packed returns the body in a coding, and keeps it from the second use on.
func (a *Answer) Packed(coding string) []byte {
	c := &a.packed[0]
	if coding == Gzip {
		c = &a.packed[1]
	}
	if body := c.body.Load(); body != nil {
		return *body
	}
	body := Pack(coding, a.Body)
	if c.asked.Swap(true) && len(body) <= len(a.Body)/packedPart {
		body = bytes.Clone(body)
		c.body.Store(&body)
	}
	return body
}

// Pack compresses a body.
func Pack(coding string, body []byte) []byte {
	if coding == Zstd {
		return zstds().EncodeAll(body, make([]byte, 0, len(body)/4))
	}
	w := gzips.Get().(*gzip.Writer)
	defer gzips.Put(w)
	packed := bytes.NewBuffer(make([]byte, 0, len(body)/4))
	w.Reset(packed)
	_, _ = w.Write(body) // a buffer takes all
	_ = w.Close()
	return packed.Bytes()
}

var (
	gzips = sync.Pool{New: func() any {
		w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
		return w
	}}
	zstds = sync.OnceValue(func() *zstd.Encoder {
		w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true),
			zstd.WithWindowSize(128<<10))
		if err != nil {
			panic("answers: " + err.Error()) // only for wrong options
		}
		return w
	})
)
