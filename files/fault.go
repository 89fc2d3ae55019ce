package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"example.org/backoffice/backoffice"
)

// noFile is the same answer for an empty key and for a key that no store ever made.
func noFile() *backoffice.Error {
	return backoffice.Errorf(backoffice.NotFound, "there is no such file")
}

// storeFault gives an error of a store its kind: a store that fails now may recover.
func storeFault(err error, doing string) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return noFile()
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return backoffice.Fault(err, doing)
	}
	if known, ok := errors.AsType[*backoffice.Error](err); ok {
		return known
	}
	return &backoffice.Error{Kind: backoffice.Unavailable, Message: "stored files are not available",
		Cause: errors.Join(errors.New(doing), err)}
}

// checkAsk rejects what no store can answer, so that all stores answer alike.
func checkAsk(ctx context.Context, key string, offset int64) error {
	switch {
	case ctx.Err() != nil:
		return backoffice.Fault(ctx.Err(), "opening a file")
	case !backoffice.ValidFileKey(key):
		return noFile()
	case offset < 0:
		return backoffice.Errorf(backoffice.BadInput, "a file cannot be read from before its start")
	}
	return nil
}

// source is a reader that ends with its context, and keeps its own error apart from the other side's.
type source struct {
	ctx context.Context
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		s.err = err
		return 0, err
	}
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) { // which itself is the end for a bucket's client
		s.err = fmt.Errorf("it broke off: %w", err)
		return n, s.err
	}
	return n, err
}

// fault separates an error of the caller's reader, which keeps its meaning, from one of the store.
func (s *source) fault(err error, doing string) error {
	if s.err != nil {
		return backoffice.Fault(s.err, "reading the bytes to store")
	}
	return storeFault(err, doing)
}
