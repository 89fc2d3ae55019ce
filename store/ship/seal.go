package ship

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"github.com/tink-crypto/tink-go/v2/tink"
)

// seal seals what write writes, for an object's name: it opens under no other.
func seal(key tink.StreamingAEAD, name string, to io.Writer, write func(io.Writer) error) error {
	out := bufio.NewWriterSize(to, 64<<10)
	sealing, err := key.NewEncryptingWriter(out, []byte(name))
	if err != nil {
		return err
	}
	if err := write(sealing); err != nil {
		return err
	}
	return errors.Join(sealing.Close(), out.Flush())
}

// sealing is seal for a reader of what was sealed.
func sealing(key tink.StreamingAEAD, name string, write func(io.Writer) error) io.ReadCloser {
	reader, writer := io.Pipe()
	go func() { _ = writer.CloseWithError(seal(key, name, writer, write)) }()
	return reader
}

// frameSize is how much of an LTX file is in a frame. An object has several, each of which ends with an empty frame.
const frameSize = 64 << 10

type frameWriter struct {
	to   io.Writer
	held []byte
}

func (w *frameWriter) Write(p []byte) (int, error) {
	w.held = append(w.held, p...)
	if len(w.held) < frameSize {
		return len(p), nil
	}
	return len(p), w.flush()
}

func (w *frameWriter) flush() error {
	_, err := w.to.Write(append(binary.AppendUvarint(nil, uint64(len(w.held))), w.held...))
	w.held = w.held[:0]
	return err
}

// Close ends the file.
func (w *frameWriter) Close() error {
	if len(w.held) > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	return w.flush()
}

// frameReader reads one file, to its empty frame.
type frameReader struct {
	from  *bufio.Reader
	left  uint64
	ended bool
}

func (r *frameReader) Read(p []byte) (int, error) {
	if r.left == 0 && !r.ended {
		var err error
		if r.left, err = binary.ReadUvarint(r.from); err != nil {
			return 0, errors.Join(io.ErrUnexpectedEOF, err)
		}
		r.ended = r.left == 0
	}
	if r.ended {
		return 0, io.EOF
	}
	n, err := r.from.Read(p[:min(uint64(len(p)), r.left)])
	r.left -= uint64(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
