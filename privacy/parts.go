package privacy

import "encoding/binary"

// parts concatenates texts, each after its length, so that no two lists give the same bytes. The first names the
// purpose. Everything that is bound, keyed or chained here is encoded so.
func parts(texts ...string) []byte {
	size := 0
	for _, text := range texts {
		size += binary.MaxVarintLen32 + len(text)
	}
	b := make([]byte, 0, size)
	for _, text := range texts {
		b = appendPart(b, text)
	}
	return b
}

func appendPart[T string | []byte](b []byte, part T) []byte {
	b = binary.AppendUvarint(b, uint64(len(part)))
	return append(b, part...)
}

func appendNumber(b []byte, n int64) []byte { return binary.BigEndian.AppendUint64(b, uint64(n)) }

// appendOptional distinguishes an absent text from an empty one.
func appendOptional(b []byte, text *string) []byte {
	if text == nil {
		return append(b, 0)
	}
	return appendPart(append(b, 1), *text)
}
