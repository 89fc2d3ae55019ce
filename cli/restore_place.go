package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"example.org/backoffice/files"
)

// place is where a store is restored, with its neighbours: the restored copy at first, the old store afterwards.
type place struct {
	database string // the path of the store
	files    string // the folder of its files, "" when they are in a bucket
	within   bool   // exchange the files inside their folder, which cannot be moved or has other contents
	stamp    string // in the names of the neighbours, and in no older name
	rename   func(from, to string) error
	aside    []string // paths of the old store
}

// newPlace follows links: the exchange happens on the disk of their targets, and the links stay.
func newPlace(database, folder string) (p *place, err error) {
	p = &place{rename: renameNew}
	if p.database, err = followed(database); err == nil && folder != "" {
		p.files, err = followed(folder)
	}
	return p, err
}

// followed is the target of a path, or the path itself when it does not exist.
func followed(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return target, err
	}
	if _, err := os.Lstat(path); err == nil {
		return "", fmt.Errorf("%s is a link that leads nowhere: mount what it leads to, or remove it", path)
	}
	return path, nil
}

func (p *place) fresh() string      { return p.database + ".restoring-" + p.stamp }
func (p *place) freshFiles() string { return p.besideFiles("restoring") }
func (p *place) asideFiles() string { return p.besideFiles("replaced") }

// besideFiles is a name next to the folder of files, or one in it that no store of files uses.
func (p *place) besideFiles(what string) string {
	if p.within {
		return filepath.Join(p.files, "."+what+"-"+p.stamp)
	}
	return p.files + "." + what + "-" + p.stamp
}

// claim takes an unused stamp, and its names for the restored copy. Two restores at a time get different stamps: only
// one of them can create the database's file.
func (p *place) claim(now time.Time) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(p.database), 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the database: %w", err)
	}
	for n := 1; ; n++ {
		p.stamp = now.UTC().Format("20060102T150405Z")
		if n > 1 {
			p.stamp += fmt.Sprintf("-%d", n)
		}
		file, err := os.OpenFile(p.fresh(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("cannot write beside the database: %w", err)
		}
		taken, err := p.taken()
		if err == nil && !taken {
			err = p.claimFiles()
		}
		if err == nil && !taken {
			return file, nil
		}
		if err := errors.Join(err, file.Close(), os.Remove(p.fresh())); err != nil {
			return nil, err
		}
	}
}

// taken reports whether any path with this stamp exists.
func (p *place) taken() (bool, error) {
	var names []string
	for _, suffix := range logSuffixes {
		names = append(names, p.database+".replaced-"+p.stamp+suffix)
	}
	if p.files != "" {
		for _, p.within = range []bool{true, false} {
			names = append(names, p.freshFiles(), p.asideFiles())
		}
	}
	for _, name := range names {
		if _, err := os.Lstat(name); err == nil {
			return true, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return false, nil
}

// claimFiles makes the folder of the restored files: next to the old one if that can be moved as a whole, else inside.
func (p *place) claimFiles() error {
	if p.files == "" {
		return nil
	}
	err := p.claimBeside()
	if err == nil {
		return nil
	}
	if _, missing := os.Stat(p.files); missing == nil {
		if p.within = true; os.Mkdir(p.freshFiles(), 0o700) == nil {
			return nil
		}
	}
	return fmt.Errorf("the restored files cannot be written beside %s nor in it; nothing was changed: %w", p.files, err)
}

// errNotAlone means that a folder must not be moved as a whole.
var errNotAlone = errors.New("the folder holds other things than stored files")

func (p *place) claimBeside() error {
	p.within = false
	_, others, err := files.Contents(p.files)
	if err != nil {
		return err
	}
	if others { // such as a database, a keyset or a lost+found, which must stay
		return errNotAlone
	}
	if err := os.MkdirAll(filepath.Dir(p.files), 0o700); err != nil {
		return err
	}
	fresh := p.freshFiles()
	if err := os.Mkdir(fresh, 0o700); err != nil {
		return err
	}
	if err := movable(p.files, fresh); err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	return nil
}

// movable returns an error when a folder cannot be renamed within its parent. It tries to rename it to a folder that is
// not empty, which must fail: because that exists, or for another reason, such as a disk mounted there.
func movable(folder, empty string) error {
	if _, err := os.Lstat(folder); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	hindrance := filepath.Join(empty, "taken")
	if err := os.Mkdir(hindrance, 0o700); err != nil {
		return err
	}
	err := syscall.Rename(folder, empty)
	if errors.Is(err, fs.ErrExist) {
		err = nil
	} else if err == nil {
		err = errors.Join(errors.New("it was moved although its new name was taken"), os.Rename(empty, folder))
	}
	return errors.Join(err, os.Remove(hindrance))
}

// logSuffixes are the suffixes of a database's file, its log and the log's index.
var logSuffixes = []string{"", "-wal", "-shm"}

// exchange moves the old store aside, with its log, and the restored one into its place: everything, or nothing when a
// move fails. The old database moves first and the new one last, so neither is ever next to the other's log or files.
func (p *place) exchange() error {
	x := &exchange{rename: p.rename, folders: map[string]bool{}}
	if err := p.moveAll(x); err != nil {
		p.aside = nil
		return x.back(err)
	}
	return nil
}

func (p *place) moveAll(x *exchange) error {
	for _, suffix := range logSuffixes {
		if err := p.putAside(x, p.database+suffix, p.database+".replaced-"+p.stamp+suffix); err != nil {
			return err
		}
	}
	if err := x.sync(); err != nil {
		return err
	}
	if err := p.moveFiles(x); err != nil {
		return err
	}
	if err := x.sync(); err != nil {
		return err
	}
	if _, err := x.move(p.fresh(), p.database); err != nil {
		return err
	}
	return x.sync()
}

func (p *place) putAside(x *exchange, path, to string) error {
	there, err := x.move(path, to)
	if there && err == nil {
		p.aside = append(p.aside, to)
	}
	return err
}

func (p *place) moveFiles(x *exchange) error {
	switch {
	case p.files == "":
		return nil
	case p.within:
		return p.moveContents(x)
	}
	if err := p.putAside(x, p.files, p.asideFiles()); err != nil {
		return err
	}
	_, err := x.move(p.freshFiles(), p.files)
	return err
}

func (p *place) moveContents(x *exchange) error {
	old, _, err := files.Contents(p.files)
	if err != nil {
		return err
	}
	restored, _, err := files.Contents(p.freshFiles())
	if err != nil {
		return err
	}
	if len(old) > 0 {
		if err := os.Mkdir(p.asideFiles(), 0o700); err != nil {
			return err
		}
		p.aside = append(p.aside, p.asideFiles())
	}
	for _, name := range old {
		if _, err := x.move(filepath.Join(p.files, name), filepath.Join(p.asideFiles(), name)); err != nil {
			return err
		}
	}
	for _, name := range restored {
		if _, err := x.move(filepath.Join(p.freshFiles(), name), filepath.Join(p.files, name)); err != nil {
			return err
		}
	}
	return nil
}

// clear removes empty folders and leftovers, after the restored store has its name.
func (p *place) clear() {
	if p.stamp == "" {
		return
	}
	for _, suffix := range logSuffixes {
		_ = os.Remove(p.fresh() + suffix)
	}
	if p.files != "" {
		_ = os.RemoveAll(p.freshFiles())
		_ = os.Remove(p.asideFiles())
	}
}

// leftovers are copies of a killed restore. They are only reported, because another restore may be running.
func (p *place) leftovers() []string {
	all, _ := filepath.Glob(globOf(p.database) + ".restoring-*")
	if p.files != "" {
		beside, _ := filepath.Glob(globOf(p.files) + ".restoring-*")
		within, _ := filepath.Glob(filepath.Join(globOf(p.files), ".restoring-*"))
		all = append(append(all, beside...), within...)
	}
	return all
}

// globOf is the pattern that matches only the path itself.
func globOf(path string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(path)
}
