package files

import (
	"math"
	"strconv"
	"strings"
)

type byteRange struct{ offset, length int64 }

type rangeAnswer uint8

const (
	wholeFile      rangeAnswer = iota // no range, an unknown one, or several: RFC 9110 lets a server ignore it
	partOfFile                        // one range that the file has
	nothingOfRange                    // one range that starts past the end
)

// parseRange reads a Range header (RFC 9110, section 14) for a file of size bytes.
func parseRange(header string, size int64) (byteRange, rangeAnswer) {
	unit, set, found := strings.Cut(header, "=")
	if !found || !strings.EqualFold(unit, "bytes") || size == 0 {
		return byteRange{}, wholeFile
	}
	first, last, found := strings.Cut(strings.Trim(set, " \t"), "-")
	if !found {
		return byteRange{}, wholeFile
	}
	if first == "" {
		suffix, ok := parsePosition(last)
		switch {
		case !ok:
			return byteRange{}, wholeFile
		case suffix == 0:
			return byteRange{}, nothingOfRange
		}
		suffix = min(suffix, size)
		return byteRange{size - suffix, suffix}, partOfFile
	}
	from, ok := parsePosition(first)
	if !ok {
		return byteRange{}, wholeFile
	}
	to := int64(math.MaxInt64)
	if last != "" {
		if to, ok = parsePosition(last); !ok || to < from {
			return byteRange{}, wholeFile
		}
	}
	if from >= size {
		return byteRange{}, nothingOfRange
	}
	return byteRange{from, min(to, size-1) - from + 1}, partOfFile
}

// parsePosition reads digits; more than 63 bits are as good as infinite.
func parsePosition(digits string) (int64, bool) {
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	position, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return math.MaxInt64, true
	}
	return position, true
}

func (r byteRange) contentRange(size int64) string {
	first, last := strconv.FormatInt(r.offset, 10), strconv.FormatInt(r.offset+r.length-1, 10)
	return "bytes " + first + "-" + last + "/" + strconv.FormatInt(size, 10)
}
