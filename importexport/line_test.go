package importexport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// FuzzLines reads any bytes as a file: the reader must not fail, must number every line and must not join or lose
// any; and what is an object to encoding/json must come apart into the same members.
func FuzzLines(f *testing.F) {
	f.Add([]byte("{\"_id\":\"a\"}\n\n{\"b\":[1,{\"c\":\"\\\"}\"}]}\r\n"))
	f.Add([]byte("\ufeff{}\n{\"a\\u0062\":\"\\ud83d\\ude00\\ud800\"}"))
	f.Add([]byte(" { \"a\" : null , \"b\":-1.5e3}\n[true]\n\x00\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		wanted := bytes.Split(data, []byte("\n"))
		l := newLines(iotest.OneByteReader(bytes.NewReader(data)))
		for {
			text, err := l.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("line %d: %v", l.number, err)
			}
			line := wanted[l.number-1]
			if l.number == 1 {
				line = bytes.TrimPrefix(line, []byte("\ufeff"))
			}
			if !bytes.Equal(text, line) {
				t.Fatalf("line %d is %q, not %q", l.number, text, line)
			}
			compareObject(t, text)
		}
		if l.read != int64(len(data)) {
			t.Fatalf("%d bytes were read of %d", l.read, len(data))
		}
	})
}

func compareObject(t *testing.T, line []byte) {
	var wanted map[string]json.RawMessage
	isObject := json.Unmarshal(line, &wanted) == nil && wanted != nil
	if why := checkObject(line); (why == "") != isObject {
		if strings.Contains(why, "UTF-8") {
			return // encoding/json lets that pass
		}
		t.Fatalf("%q is said to be: %s", line, why)
	}
	if !isObject {
		return
	}
	err := eachMember(line, func(key, value raw) error {
		name, err := key.text()
		if err != nil {
			return nil // half a character, which encoding/json replaces
		}
		if !json.Valid(value) {
			t.Fatalf("the value %q of %q is no JSON", value, line)
		}
		if _, known := wanted[name]; !known {
			t.Fatalf("%q has no member %q", line, name)
		}
		if value[0] == '"' {
			var text string
			if got, err := value.text(); err == nil && (json.Unmarshal(value, &text) != nil || got != text) {
				t.Fatalf("%q is read as %q", value, got)
			}
		}
		if value[0] == '[' {
			var elements []json.RawMessage
			n := 0
			_ = eachMember(value, func(_, _ raw) error { n++; return nil })
			if json.Unmarshal(value, &elements) != nil || n != len(elements) {
				t.Fatalf("%q has %d elements, not %d", value, len(elements), n)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestALongLineIsPassedOverAndTheNextOneRead(t *testing.T) {
	t.Parallel()
	for _, length := range []int{MaxLine - 1, MaxLine, MaxLine + 1, MaxLine + 2, 3 * MaxLine} {
		l := newLines(strings.NewReader(strings.Repeat("x", length) + "\nnext\n"))
		text, err := l.next()
		if long := length > MaxLine; long != errors.Is(err, errLongLine) || !long && len(text) != length {
			t.Errorf("a line of %d bytes gives %d bytes and %v", length, len(text), err)
		}
		if text, err = l.next(); string(text) != "next" || err != nil || l.number != 2 {
			t.Errorf("after a line of %d bytes comes line %d, %q and %v", length, l.number, text, err)
		}
	}
}

func TestAReadThatFailsIsNoEndOfTheFile(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	l := newLines(io.MultiReader(strings.NewReader("one\ntw"), iotest.ErrReader(broken)))
	if text, err := l.next(); string(text) != "one" || err != nil {
		t.Fatalf("the first line is %q, %v", text, err)
	}
	if _, err := l.next(); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
}

// countedReads is content that counts the bytes and the times it is read.
type countedReads struct {
	inMemory
	bytes, times int
	read         func()
}

func (c *countedReads) ReadAt(into []byte, at int64) (int, error) {
	n, err := c.inMemory.ReadAt(into, at)
	c.bytes, c.times = c.bytes+n, c.times+1
	if c.read != nil {
		c.read()
	}
	return n, err
}

func TestLinesThatAllLeaveAQuoteOpenAreReadAFewTimesAndNotOncePerLine(t *testing.T) {
	t.Parallel()
	text := bytes.Repeat([]byte("b\",\"\n"), 1600)
	file := &countedReads{inMemory: inMemory{bytes.NewReader(text)}}
	r := newCSVRecords(file, int64(len(text)), &sheet{comma: ',', width: 2})
	for lines := 0; ; lines++ {
		if _, err := r.next(); errors.Is(err, io.EOF) {
			if lines != 1600 {
				t.Errorf("there are %d lines", lines)
			}
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if file.bytes > 2*rescans*maxRecord {
		t.Errorf("%d bytes are read of %d", file.bytes, len(text))
	}
}

func TestAnImportOfLinesThatAreBadInFormCanBeStopped(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	text := bytes.Repeat([]byte("bad\n"), 500_000)
	file := &countedReads{inMemory: inMemory{bytes.NewReader(text)}, read: cancel}
	im, err := (&Importer{Store: h.store, Files: h.files, Keys: h.keys}).importing(nil)
	must(t, err)
	im.stream = true
	_, err = labels.loadFrom(ctx, im, source{name: "labels.ndjson", file: file, size: int64(len(text))})
	if !errors.Is(err, context.Canceled) || file.times > 1 {
		t.Errorf("after %d reads of the file: %v", file.times, err)
	}
}
