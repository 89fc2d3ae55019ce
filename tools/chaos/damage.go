package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"example.org/backoffice/tools/rig"
)

// damage is what happens to the files of an office whose gateway was killed, or, when it is live, serves.
type damage struct {
	engine string // the only one that has such files; "" is both
	name   string
	often  int
	live   bool
	does   func(p *victim, random *rand.Rand) error
	// What it may do: without marks it has to be refused wherever it is noticed, and nothing may be served wrong.
	older  bool // an older state may be served, whole
	other  bool // what the file holds may be served as it is now: no engine can know better
	gone   bool // a file of a document may be answered with 404, as the contract has it
	unseen bool // it may be that nothing is noticed
	// It has to be that writes are refused.
	refuses bool
	says    string // what the log, a command, or the program that does not start has to say, at least once
}

// store are the files of an embedded store.
const (
	databaseFile = "store/backoffice.db"
	logFile      = databaseFile + "-wal"
)

var damages = []damage{
	{engine: "sqlite", name: "the store's log cut short", often: 5, older: true, unseen: true, does: cut(logFile)},
	{engine: "sqlite", name: "the store's log missing", often: 1, older: true, does: missing(logFile)},
	{engine: "sqlite", name: "a byte of the store's log flipped", often: 5, older: true, unseen: true, does: flipped(logFile, 1)},
	{engine: "sqlite", name: "the store's file cut short", often: 5, does: cut(databaseFile), says: "cannot be used"},
	{engine: "sqlite", name: "100 bytes of the store's file flipped", often: 20, other: true, unseen: true, does: flipped(databaseFile, 100), says: "damaged"},
	{engine: "sqlite", name: "the store's file missing at the start", often: 1, does: missing(databaseFile), says: "does not exist"},
	{engine: "sqlite", name: "the store's file gone while it serves", often: 1, live: true, refuses: true, does: missing(databaseFile), says: "is gone"},
	{engine: "sqlite", name: "the store's log gone while it serves", often: 1, live: true, refuses: true, does: missing(logFile), says: "is gone"},
	{name: "the keyset missing at the start", often: 1, does: missing("keyset.json"), says: "keyset.json does not exist"},
	{name: "the keyset cut short", often: 1, does: cut("keyset.json"), says: "the keyset file"},
	{name: "another office's keyset", often: 1, does: otherKeyset, says: "the keyset is not the one"},
	{name: "the folder of stored files missing at the start", often: 1, does: missing("files"), says: "the folder of stored files"},
	{name: "the folder of stored files gone while it serves", often: 1, live: true, refuses: true, does: missing("files"), says: "is gone"},
	{name: "a stored file missing", often: 1, live: true, gone: true, does: oneFile(os.Remove), says: "a stored file is missing"},
	{name: "a byte of a stored file flipped", often: 1, live: true, does: oneFile(func(path string) error { return flip(path, 1, rand.New(rand.NewPCG(1, 1))) }), says: "damaged"},
}

// missing takes a file or folder away; it comes back with the rest.
func missing(name string) func(*victim, *rand.Rand) error {
	return func(p *victim, _ *rand.Rand) error { return os.Rename(p.at(name), p.at(name)+".away") }
}

// cut leaves a part of a file, from a tenth to nine tenths.
func cut(name string) func(*victim, *rand.Rand) error {
	return func(p *victim, random *rand.Rand) error {
		info, err := os.Stat(p.at(name))
		if err != nil {
			return err
		}
		return os.Truncate(p.at(name), info.Size()/10+random.Int64N(info.Size()*8/10))
	}
}

// flipped turns bytes that stand one after the other.
func flipped(name string, bytes int) func(*victim, *rand.Rand) error {
	return func(p *victim, random *rand.Rand) error { return flip(p.at(name), bytes, random) }
}

func flip(path string, bytes int, random *rand.Rand) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	content := make([]byte, bytes)
	at := random.Int64N(info.Size() - int64(bytes))
	if _, err := file.ReadAt(content, at); err != nil {
		return err
	}
	for i := range content {
		content[i] ^= byte(1 + random.IntN(255))
	}
	_, err = file.WriteAt(content, at)
	return err
}

func otherKeyset(p *victim, _ *rand.Rand) error {
	other := rig.Office{Binary: p.office.Binary, Folder: p.at("other"), Database: "sqlite:" + p.at("other/backoffice.db")}
	if err := os.MkdirAll(other.Folder, 0o755); err != nil {
		return err
	}
	if _, err := other.Run("migrate"); err != nil {
		return err
	}
	if err := os.Rename(p.at("keyset.json"), p.at("keyset.json.away")); err != nil {
		return err
	}
	return os.Rename(p.at("other/keyset.json"), p.at("keyset.json"))
}

// oneFile does something to the first stored file of a document.
func oneFile(do func(path string) error) func(*victim, *rand.Rand) error {
	return func(p *victim, _ *rand.Rand) error {
		found := ""
		err := filepath.WalkDir(p.at("files"), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && found == "" && entry.Type().IsRegular() && !strings.HasPrefix(entry.Name(), ".") {
				found = path
			}
			return err
		})
		if err == nil && found == "" {
			err = errors.New("there is no stored file")
		}
		if err != nil {
			return err
		}
		return do(found)
	}
}

// copyOf copies a file or a folder over what is there.
func copyOf(from, to string) error {
	out, err := exec.Command("cp", "--recursive", "--no-target-directory", from, to).CombinedOutput()
	if err != nil {
		return fmt.Errorf("copying %s: %w: %s", from, err, out)
	}
	return nil
}

// findings are what damage came to.
type findings struct {
	times                                             int
	unstarted, refused, checked, older, other, unseen int // how many times each
	wrong, torn, byHand, mute                         int
	healthy                                           time.Duration
	words, example                                    string
}

func (f *findings) isWhole(within time.Duration) bool {
	return f.wrong+f.torn+f.byHand+f.mute == 0 && f.healthy <= within
}

func (f *findings) line(engine, name string) string {
	return fmt.Sprintf("| %s | %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %v | %d | %s |\n", engine, name, f.times, f.unstarted, f.refused, f.checked, f.older, f.other, f.unseen,
		f.wrong, f.torn, f.healthy.Round(10*time.Millisecond), f.byHand, f.words)
}
