package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"

	"example.org/backoffice/store"
)

// place is the path of an open database's two files. A file that was removed, moved or replaced still accepts writes,
// but they are lost when the process ends: so every write checks the path.
type place struct {
	path     string
	database os.FileInfo
	log      atomic.Pointer[fs.FileInfo] // nil until it exists
}

func newPlace(path string) (*place, error) {
	database, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return &place{path: path, database: database}, nil
}

// check fails when one of them is missing, or is another file.
func (p *place) check() error {
	found, err := os.Stat(p.path)
	if err != nil || !os.SameFile(found, p.database) {
		return misplaced("database", p.path, err)
	}
	// The log exists as long as a connection does, from the first transaction on.
	log, err := os.Stat(p.path + "-wal")
	if known := p.log.Load(); known != nil && (err != nil || !os.SameFile(log, *known)) {
		return misplaced("log", p.path+"-wal", err)
	}
	if err == nil {
		p.log.CompareAndSwap(nil, &log)
	}
	return nil
}

func misplaced(what, path string, err error) error {
	how := errors.New("was replaced: if that is intended, restart the server")
	if err != nil {
		how = fmt.Errorf("is gone: put it back; writes would be lost: %w", cause(err))
	}
	return store.Unavailable(fmt.Errorf("the %s %s %w", what, path, how))
}
