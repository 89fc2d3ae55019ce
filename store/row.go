package store

import (
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"unsafe"

	"example.org/backoffice/backoffice"
)

// Row is one row of an answer: bytes as PostgreSQL sends them, or values as database/sql has them. NULL reads as zero.
type Row struct {
	raw     [][]byte
	formats []int16 // of raw: 0 is text, 1 is binary
	values  []driver.Value
	arena   []byte // texts of raw, many in one allocation
	links   *[linksKept]string
}

// SetRaw sets the row to bytes; formats has PostgreSQL's code for each column.
func (r *Row) SetRaw(raw [][]byte, formats []int16) { r.raw, r.formats = raw, formats }

// SetValues sets the row to values: string, int64, float64, []byte and nil. The row owns the byte slices.
func (r *Row) SetValues(values []driver.Value) { r.values = values }

func (r *Row) IsNull(i int) bool {
	if r.raw != nil {
		return r.raw[i] == nil
	}
	return r.values[i] == nil
}

func (r *Row) size() (n int) {
	for _, b := range r.raw {
		n += len(b)
	}
	for _, value := range r.values {
		switch value := value.(type) {
		case string:
			n += len(value)
		case []byte:
			n += len(value)
		}
	}
	return n
}

func (r *Row) Text(i int) string {
	if r.raw != nil {
		return r.keep(r.raw[i])
	}
	text, _ := r.values[i].(string)
	return text
}

// linksKept is how many identifiers of other records a row remembers: a power of two.
const linksKept = 64

// Link reads the identifier of another record. Rows often share them, so recent ones are reused.
func (r *Row) Link(i int) string {
	if r.raw == nil || len(r.raw[i]) < 2 {
		return r.Text(i)
	}
	if r.links == nil {
		r.links = new([linksKept]string)
	}
	b := r.raw[i]
	known := &r.links[(b[len(b)-1]^b[len(b)-2]<<3)%linksKept]
	if *known != string(b) {
		*known = r.keep(b)
	}
	return *known
}

// The sizes of an allocation for texts: some dozen short ones, so that a retained row keeps little else in memory.
const (
	firstArena = 1 << 10
	maxArena   = 4 << 10
)

// keep copies bytes that the driver will reuse, into a part of a larger block that is never rewritten.
func (r *Row) keep(b []byte) string {
	switch {
	case len(b) == 0:
		return ""
	case len(b) > maxArena/4:
		return string(b)
	case cap(r.arena)-len(r.arena) < len(b):
		r.arena = make([]byte, 0, min(max(firstArena, 2*cap(r.arena), 2*len(b)), maxArena))
	}
	start := len(r.arena)
	r.arena = append(r.arena, b...)
	return unsafe.String(&r.arena[start], len(b))
}

func (r *Row) Int(i int) int64 {
	if r.raw == nil {
		n, _ := r.values[i].(int64)
		return n
	}
	b := r.raw[i]
	switch {
	case b == nil:
		return 0
	case r.formats[i] == 0:
		n, _ := strconv.ParseInt(string(b), 10, 64)
		return n
	case len(b) == 8:
		return int64(binary.BigEndian.Uint64(b))
	case len(b) == 4:
		return int64(int32(binary.BigEndian.Uint32(b)))
	}
	return 0
}

// Instant reads a timestamp in milliseconds since 1970.
func (r *Row) Instant(i int) (at backoffice.Instant) {
	if !r.IsNull(i) {
		at = backoffice.InstantAt(r.Int(i))
	}
	return at
}

// Noted reads a timestamp that is 0 for never.
func (r *Row) Noted(i int) (at backoffice.Instant) {
	if r.Int(i) != 0 {
		at = r.Instant(i)
	}
	return at
}

func noted(at backoffice.Instant) int64 {
	if at.IsZero() {
		return 0
	}
	return at.Milliseconds()
}

func (r *Row) Float(i int) float64 {
	if r.raw == nil {
		switch n := r.values[i].(type) {
		case float64:
			return n
		case int64:
			return float64(n)
		}
		return 0
	}
	b := r.raw[i]
	switch {
	case len(b) == 0:
		return 0
	case r.formats[i] == 0:
		n, _ := strconv.ParseFloat(string(b), 64)
		return n
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b))
}

func (r *Row) Bool(i int) bool {
	if r.raw == nil {
		n, _ := r.values[i].(int64)
		return n != 0
	}
	b := r.raw[i]
	return len(b) == 1 && (b[0] == 1 || b[0] == 't')
}

func (r *Row) Bytes(i int) []byte {
	if r.raw == nil {
		b, _ := r.values[i].([]byte)
		return b
	}
	b := r.raw[i]
	if b == nil {
		return nil
	}
	if r.formats[i] == 0 && len(b) >= 2 {
		decoded := make([]byte, hex.DecodedLen(len(b)-2))
		_, _ = hex.Decode(decoded, b[2:])
		return decoded
	}
	return append([]byte{}, b...)
}

// enumOf reads one of a few texts without an allocation.
func enumOf[S ~string](r *Row, i int, known []S) S {
	if r.raw == nil {
		return S(r.Text(i))
	}
	b := r.raw[i]
	for _, value := range known {
		if string(b) == string(value) {
			return value
		}
	}
	return S(r.Text(i))
}
