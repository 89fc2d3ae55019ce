package people

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"example.org/backoffice/backoffice"
)

const (
	pollEvery = time.Second
	checkTime = 5 * time.Second // to look for what a map names
)

// mapFile is the map in a file, read anew when the file changes. There is no work while there are no requests.
type mapFile struct {
	path    string
	now     func() time.Time
	log     *slog.Logger
	records backoffice.Readers

	read   atomic.Pointer[Map]
	polled atomic.Int64 // in Unix nanoseconds

	mu     sync.Mutex
	was    os.FileInfo
	warned string // the cause that was logged, and of which file
}

func openMap(o Options) (*mapFile, error) {
	f := &mapFile{path: o.Map, now: o.Now, log: o.Log, records: o.Records}
	m, info, err := f.open()
	if err != nil {
		return nil, err
	}
	f.was = info
	f.read.Store(m)
	f.polled.Store(f.now().UnixNano())
	return f, nil
}

// open reads the map and checks that what it names exists.
func (f *mapFile) open() (*Map, os.FileInfo, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxMap+1))
	if err != nil {
		return nil, nil, fmt.Errorf("reading the map: %w", err)
	}
	m, err := ParseMap(text)
	if err != nil || f.records == nil {
		return m, info, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), checkTime)
	defer cancel()
	return m, info, m.checkNamed(ctx, f.records)
}

// current is the map as the file has it, or had it when it was last a good one. One caller alone waits for it.
func (f *mapFile) current() *Map {
	now := f.now().UnixNano()
	if last := f.polled.Load(); (now-last >= int64(pollEvery) || now < last) && f.mu.TryLock() {
		defer f.mu.Unlock()
		f.poll()
		f.polled.Store(f.now().UnixNano())
	}
	return f.read.Load()
}

func (f *mapFile) poll() {
	info, err := os.Stat(f.path)
	if err == nil && f.was != nil && os.SameFile(info, f.was) && info.ModTime().Equal(f.was.ModTime()) &&
		info.Size() == f.was.Size() {
		return
	}
	m, info, err := f.open()
	f.was = info
	if err != nil && m != nil { // what it names may be there next time
		f.was = nil
	}
	if err == nil {
		f.warned = ""
		if m.digest != f.read.Load().digest {
			f.read.Store(m)
			f.log.Info("the map of people was reloaded", "rules", len(m.rules), "denied", len(m.deny))
		}
		return
	}
	cause := err.Error()
	if info != nil {
		cause += info.ModTime().String()
	}
	if cause != f.warned {
		f.warned = cause
		f.log.Warn("the map of people is invalid; the previous one stays in use", "cause", err)
	}
}
