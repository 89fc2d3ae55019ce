package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
)

// file is a PDF as its numbered objects (ISO 32000-1, 7.3.10).
type file struct {
	objects []object // number 0 is unused
}

type object struct {
	value  string // a dictionary or another value
	stream []byte // packed; nil for none
}

// reserve reserves the number of an object to put later, so that others can refer to it.
func (f *file) reserve() int {
	f.objects = append(f.objects, object{})
	return len(f.objects) - 1
}

func (f *file) put(number int, value string) { f.objects[number] = object{value: value} }

func (f *file) add(value string) int {
	number := f.reserve()
	f.put(number, value)
	return number
}

// stream adds a stream; entries are its dictionary's, besides the length.
func (f *file) stream(entries string, data []byte) int { return f.packed(entries, deflate(data)) }

// packed adds a stream whose data are already deflated.
func (f *file) packed(entries string, data []byte) int {
	number := f.reserve()
	f.objects[number] = object{fmt.Sprintf("<</Filter/FlateDecode/Length %d%s>>", len(data), entries), data}
	return number
}

func ref(number int) string { return strconv.Itoa(number) + " 0 R" }

// writeTo writes the file: streams as they are, and everything else in one packed stream of objects (7.5.7), since a
// structure tree has many small objects.
func (f *file) writeTo(w io.Writer, root, info int) error {
	var index, values []byte
	var inside []int
	for number, o := range f.objects {
		if number == 0 || o.stream != nil {
			continue
		}
		index = fmt.Appendf(index, "%d %d ", number, len(values))
		values = append(append(values, o.value...), '\n')
		inside = append(inside, number)
	}
	packed := f.stream(fmt.Sprintf("/Type/ObjStm/N %d/First %d", len(inside), len(index)), slices.Concat(index, values))
	table := f.reserve()
	entries := make([]byte, entryWidth*len(f.objects))
	setEntry(entries, 0, 0, 0, 65535)
	for i, number := range inside {
		setEntry(entries, number, 2, packed, i)
	}
	var out bytes.Buffer
	out.WriteString("%PDF-1.7\n%\xb5\xb6\xb5\xb6\n") // a comment that marks the file as binary
	for number, o := range f.objects {
		if o.stream != nil {
			setEntry(entries, number, 1, out.Len(), 0)
			writeStream(&out, number, o.value, o.stream)
		}
	}
	start := out.Len()
	setEntry(entries, table, 1, start, 0)
	entries = deflate(entries)
	writeStream(&out, table, fmt.Sprintf("<</Type/XRef/Size %d/W[1 4 3]/Root %s/Info %s/Filter/FlateDecode/Length %d>>",
		len(f.objects), ref(root), ref(info), len(entries)), entries)
	fmt.Fprintf(&out, "startxref\n%d\n%%%%EOF\n", start)
	_, err := w.Write(out.Bytes())
	return err
}

func writeStream(out *bytes.Buffer, number int, dictionary string, stream []byte) {
	fmt.Fprintf(out, "%d 0 obj\n%s\nstream\n", number, dictionary)
	out.Write(stream)
	out.WriteString("\nendstream\nendobj\n")
}

// entryWidth of a cross-reference (7.5.8): 1 byte for the type, 4 for offset or stream, 3 for the index in that.
const entryWidth = 1 + 4 + 3

func setEntry(entries []byte, number int, kind byte, field, index int) {
	copy(entries[number*entryWidth:], []byte{kind, byte(field >> 24), byte(field >> 16), byte(field >> 8), byte(field),
		byte(index >> 16), byte(index >> 8), byte(index)})
}

// deflaters are pooled: one takes more memory than a whole document.
var deflaters = sync.Pool{New: func() any { return zlib.NewWriter(io.Discard) }}

func deflate(data []byte) []byte {
	var packed bytes.Buffer
	w := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(w)
	w.Reset(&packed)
	_, _ = w.Write(data) // a bytes.Buffer never fails
	_ = w.Close()
	return packed.Bytes()
}
