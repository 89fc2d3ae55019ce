package answers

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/maypok86/otter/v2"

	"example.org/backoffice/backoffice"
)

// Proof is what an answer was read from.
type Proof interface {
	// StillValid reports whether nothing of it has changed, by a poll of the change log that begins now.
	StillValid(ctx context.Context) bool
	// Valid is the same without a poll.
	Valid() bool
	Bytes() int
}

// Answer is a whole answer without errors. Only its packed copies are added later.
type Answer struct {
	Body    []byte // the response's
	Objects int    // rows that were read for it, which its next callers are charged
	Proof   Proof
	packed  [codings]copies
	digest  func() string
}

const opening, closing = `{"data":`, "}\n"

// BodyOf is the body of an answer that is data alone.
func BodyOf(data []byte) []byte {
	return append(append(append(make([]byte, 0, len(opening)+len(data)+len(closing)), opening...), data...), closing...)
}

// Data is the answer's data alone.
func (a *Answer) Data() []byte {
	end := len(a.Body) - len(closing)
	return a.Body[len(opening):end:end]
}

// Digest identifies the data.
func (a *Answer) Digest() string { return a.digest() }

func DigestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

type Options struct {
	Bytes int  // the approximate size, keys and overhead included
	Check bool // also execute, and only compare
	Log   *slog.Logger
}

// Cache caches a server's answers; nil caches none.
type Cache struct {
	memory *otter.Cache[Key, *Answer]
	check  bool
	log    *slog.Logger

	hits, misses, differences atomic.Int64
}

// Largest is the size of an answer that is kept.
const Largest = 1 << 20

// overhead is what an answer takes in addition to its bytes: its key, its place in the maps, otter's data.
const overhead = 400

// seen is in the place of an answer that was asked for once. It is kept from the second use on.
var seen = &Answer{}

func New(o Options) (*Cache, error) {
	memory, err := otter.New(&otter.Options[Key, *Answer]{
		MaximumWeight:   uint64(o.Bytes),
		InitialCapacity: o.Bytes/(4*overhead) + 1,
		Weigher: func(k Key, a *Answer) uint32 {
			bytes := overhead + len(k.Operation) + len(k.Variables) + len(a.Body) + len(a.Body)/packedPart*(codings-1)
			if a.Proof != nil {
				bytes += a.Proof.Bytes()
			}
			return uint32(bytes)
		},
	})
	if err != nil {
		return nil, err
	}
	return &Cache{memory: memory, check: o.Check, log: cmp.Or(o.Log, slog.Default())}, nil
}

// Get finds the answer to a query. valid reports whether it is valid by a poll that begins now; otherwise found is
// for Put. wanted reports whether the query was asked before, so that its answer is to be kept.
func (c *Cache) Get(ctx context.Context, key *Key) (found *Answer, valid, wanted bool) {
	found, wanted = c.memory.GetIfPresent(*key)
	if !wanted {
		first := *key
		first.Operation = strings.Clone(key.Operation) // a part of a document, which would stay in memory with it
		c.memory.Set(first, seen)
	}
	if found == nil || found == seen || c.check || !found.Proof.StillValid(ctx) {
		c.misses.Add(1)
		return found, false, wanted
	}
	c.hits.Add(1)
	return found, true, true
}

// Put keeps an answer by its data, which it copies. before is what Get found.
func (c *Cache) Put(key *Key, before *Answer, data []byte, objects int, proof Proof) {
	if len(data) > Largest {
		return
	}
	a := &Answer{Body: BodyOf(data), Objects: objects, Proof: proof}
	a.digest = sync.OnceValue(func() string { return DigestOf(a.Data()) })
	if c.check {
		c.compare(key, before, a)
	}
	c.memory.Set(*key, a)
}

// compare counts a kept answer that differs from the executed one, though it is valid even now.
func (c *Cache) compare(key *Key, before, now *Answer) {
	if before == nil || before == seen || bytes.Equal(before.Body, now.Body) || !before.Proof.Valid() {
		return
	}
	c.differences.Add(1)
	c.log.Error("a kept answer differs from the executed one", "operation", backoffice.ShownName(key.Operation))
}

// Differences are the kept answers that differed from executed ones, as Options.Check found.
func (c *Cache) Differences() int64 {
	if c == nil {
		return 0
	}
	return c.differences.Load()
}

func (c *Cache) Gauges() []backoffice.Gauge {
	if c == nil {
		return nil
	}
	return []backoffice.Gauge{
		{Name: "answers_hits_total", Help: "Queries answered from the cache.", Read: c.hits.Load},
		{Name: "answers_misses_total", Help: "Cacheable queries that were executed.", Read: c.misses.Load},
		{Name: "answers_bytes", Help: "Approximate bytes of kept answers.",
			Read: func() int64 { return int64(c.memory.WeightedSize()) }},
		{Name: "answers_differences_total", Read: c.differences.Load,
			Help: "Cached answers that differed from executed ones (--cache-check)."},
	}
}
