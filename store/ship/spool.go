package ship

import (
	"errors"
	"io"
	"os"
)

// spool holds a sealed object until it is away, so that every attempt sends the same bytes.
type spool struct{ file *os.File }

func newSpool() (*spool, error) {
	file, err := os.CreateTemp("", "backoffice-ship-")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name()) // where the system allows it, nothing is left of a killed process
	return &spool{file}, nil
}

func (s *spool) reader() (io.Reader, error) {
	_, err := s.file.Seek(0, io.SeekStart)
	return struct{ io.Reader }{s.file}, err // the file itself stays open
}

func (s *spool) close() error {
	err := s.file.Close()
	if gone := os.Remove(s.file.Name()); !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
