package sqlite

import (
	"cmp"
	"errors"
	"os"
	"sync"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// health remembers what statements met that a question which only reads one row would not: a full disk until something
// can be written again, and damage for as long as the program runs.
type health struct {
	mu      sync.Mutex
	full    error
	damaged error
	seen    time.Time // when the disk was last seen to be full
}

const fullPeriod = time.Second // for so long a disk that was full is taken to be full

// note looks at an error of the driver and at what was made of it.
func (h *health) note(of int, err error) {
	switch of & 0xff {
	case sqlite3.SQLITE_FULL:
		h.mu.Lock()
		defer h.mu.Unlock()
		h.full, h.seen = err, time.Now()
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		h.mu.Lock()
		defer h.mu.Unlock()
		h.damaged = err
	}
}

// fault says what is wrong with the database; try fails while the disk is full.
func (h *health) fault(try func() error) error {
	h.mu.Lock()
	full, damaged, due := h.full, h.damaged, time.Since(h.seen) >= fullPeriod
	h.mu.Unlock()
	if damaged != nil || full == nil || !due {
		return cmp.Or(damaged, full)
	}
	err := try()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen = time.Now()
	if err != nil {
		return full
	}
	h.full = nil
	return nil
}

// enoughRoom is what a disk that was full has to take before it counts as one that is not: a write of a small page may
// find room where the next larger one finds none.
const enoughRoom = 1 << 20

// findRoom writes so much into a folder, and takes it away again.
func findRoom(folder string) error {
	file, err := os.CreateTemp(folder, "room-")
	if err != nil {
		return err
	}
	_, err = file.Write(make([]byte, enoughRoom))
	return errors.Join(err, file.Close(), os.Remove(file.Name()))
}
