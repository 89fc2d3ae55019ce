package sqlite

import (
	"cmp"
	"errors"
	"os"
	"sync"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// health remembers faults that reading a row would not find: a full disk until a write succeeds, damage for good.
type health struct {
	mu      sync.Mutex
	full    error
	damaged error
	seen    time.Time // when the disk was last seen to be full
}

const fullPeriod = time.Second // how long a disk is considered full

// note checks an error of the driver, and the error it was turned into.
func (h *health) note(of int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch of & 0xff {
	case sqlite3.SQLITE_FULL:
		h.full, h.seen = err, time.Now()
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		h.damaged = err
	}
}

// fault returns what is wrong with the database; it calls try while the disk is full.
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

// enoughRoom is the write that shows that a full disk has room again: a small page may fit where a larger one fails.
const enoughRoom = 1 << 20

// findRoom writes that much into a folder, and removes it again.
func findRoom(folder string) error {
	file, err := os.CreateTemp(folder, "room-")
	if err != nil {
		return err
	}
	_, err = file.Write(make([]byte, enoughRoom))
	return errors.Join(err, file.Close(), os.Remove(file.Name()))
}
