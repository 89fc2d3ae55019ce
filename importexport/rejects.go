package importexport

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// rejecting reports whether bad lines are passed over.
func (im *importing) rejecting() bool { return im.rejects != nil || im.DryRun || im.stream }

// Reason is why lines of a file were rejected, and how many.
type Reason struct {
	Fault
	Lines int
}

// rejectedIDs are the records whose lines were rejected so far, as keyed hashes.
type rejectedIDs struct {
	seed maphash.Seed
	sums map[uint64]struct{}
}

func (r *rejectedIDs) add(lines []badLine) {
	for _, bad := range lines {
		if bad.id == "" {
			continue
		}
		if r.sums == nil {
			r.sums = map[uint64]struct{}{}
		}
		r.sums[maphash.String(r.seed, bad.id)] = struct{}{}
	}
}

func (r *rejectedIDs) has(id string) bool {
	_, has := r.sums[maphash.String(r.seed, id)]
	return has
}

func (s *staged) reject(bad *badLines) {
	bad.sort()
	s.rejected = bad.lines
	isRejected := func(number int) bool {
		_, found := slices.BinarySearchFunc(s.rejected, number, func(b badLine, number int) int { return cmp.Compare(b.Line, number) })
		return found
	}
	s.lines = slices.DeleteFunc(s.lines, func(l stagedLine) bool { return isRejected(l.number) })
	s.repaired = slices.DeleteFunc(s.repaired, func(l BadLine) bool { return isRejected(l.Line) })
}

func (s *staged) report(loaded Loaded) Loaded {
	loaded.Rejected, loaded.Repaired = len(s.rejected), s.repaired
	counts := map[Fault]int{}
	for i := range s.rejected {
		if i < MaxBadLines || s.stored.im.stream {
			loaded.Bad = append(loaded.Bad, s.rejected[i].BadLine)
		}
		for _, fault := range s.rejected[i].Faults {
			counts[fault]++
		}
	}
	for fault, lines := range counts {
		loaded.Reasons = append(loaded.Reasons, Reason{fault, lines})
	}
	slices.SortFunc(loaded.Reasons, func(a, b Reason) int {
		return cmp.Or(b.Lines-a.Lines, cmp.Compare(a.Field, b.Field), cmp.Compare(a.Why, b.Why))
	})
	return loaded
}

// rejects is the folder of the lines that could not be loaded, which import reads once they are fixed.
type rejects struct {
	folder  *os.Root
	reasons map[string][][]string // by file
}

const reasonsFile = "reasons.csv"

// newRejects opens the folder, which it makes. It must be empty: what lies there was rejected by another import.
func newRejects(name string) (*rejects, error) {
	if err := os.MkdirAll(name, 0o700); err != nil {
		return nil, cannotWrite("the rejects", err)
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, cannotWrite("the rejects", err)
	}
	if len(entries) > 0 {
		return nil, errors.New("the folder for rejects is not empty; name one that is, or is not there yet")
	}
	folder, err := os.OpenRoot(name)
	if err != nil {
		return nil, cannotWrite("the rejects", err)
	}
	return &rejects{folder, map[string][][]string{}}, nil
}

func (r *rejects) close() error { return r.folder.Close() }

// writeRejects puts the lines of a file that were rejected into the folder for them, and makes them durable. It may be
// called again for a file, with what counts then.
func (im *importing) writeRejects(s *staged) error {
	r := im.rejects
	if r == nil || len(s.rejected)+len(s.repaired) == 0 && r.reasons[s.name] == nil {
		return nil
	}
	if err := r.writeLines(im, s); err != nil {
		return cannotWrite("the rejects of "+s.name, err)
	}
	r.reasons[s.name] = s.reasons()
	if err := r.writeReasons(); err != nil {
		return cannotWrite("the reasons of rejects", err)
	}
	return nil
}

func (r *rejects) writeLines(im *importing, s *staged) error {
	if len(s.rejected) == 0 {
		if err := r.folder.Remove(s.rejects()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return r.write(s.rejects(), func(w io.Writer) error {
		if s.sheet != nil {
			if _, err := w.Write(append(bytes.TrimSuffix(s.sheet.header, []byte("\r")), '\n')); err != nil {
				return err
			}
		}
		for i := range s.rejected {
			at := s.rejected[i].at
			if at.length > MaxLine { // nothing but its length is known of it
				if _, err := io.Copy(w, io.NewSectionReader(s.file, at.offset, int64(at.length))); err != nil {
					return err
				}
				continue
			}
			text, err := s.text(at)
			if err != nil {
				return err
			}
			if _, err := w.Write(append(text, '\n')); err != nil {
				return err
			}
			if s.sheet != nil {
				text, _ = s.sheet.line(text)
			}
			if err := r.copyFile(im, text); err != nil {
				return err
			}
		}
		return nil
	})
}

// copyFile copies the file that a line names, when there is one.
func (r *rejects) copyFile(im *importing, text []byte) error {
	var line struct{ File string }
	if json.Unmarshal(text, &line) != nil || line.File == "" || checkPath(line.File) != nil {
		return nil
	}
	source, err := im.openFile(line.File)
	if err != nil {
		return nil //nolint:nilerr // that is the line's fault, and among its reasons
	}
	defer func() { _ = source.Close() }()
	name := filepath.FromSlash(line.File)
	if slices.Contains(ends, path.Ext(line.File)) && !strings.Contains(path.Clean(line.File), "/") {
		return nil // where the rejects themselves are
	}
	if err := r.folder.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return r.write(name, func(w io.Writer) error {
		_, err := io.Copy(w, source)
		return err
	})
}

// reasons are those of a file's lines: file, line, field and reason.
func (s *staged) reasons() (rows [][]string) {
	add := func(line *BadLine, faults []Fault, prefix string) {
		for _, fault := range faults {
			rows = append(rows, []string{s.name, strconv.Itoa(line.Line), fault.Field, prefix + fault.Why})
		}
	}
	for i := range s.rejected {
		add(&s.rejected[i].BadLine, s.rejected[i].Faults, "")
	}
	for i := range s.repaired {
		add(&s.repaired[i], s.repaired[i].Faults, "left out, and the rest loaded: ")
	}
	return rows
}

func (r *rejects) writeReasons() error {
	return r.write(reasonsFile, func(w io.Writer) error {
		out := csv.NewWriter(w)
		if err := out.Write([]string{"file", "line", "field", "reason"}); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(r.reasons)) {
			if err := out.WriteAll(r.reasons[name]); err != nil {
				return err
			}
		}
		out.Flush()
		return out.Error()
	})
}

// write makes a file anew, with all that is to be in it or none of it, and durable.
func (r *rejects) write(name string, fill func(io.Writer) error) (err error) {
	part := name + ".part"
	file, err := r.folder.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 64<<10)
	err = fill(out)
	err = errors.Join(err, out.Flush(), file.Sync(), file.Close())
	if err == nil {
		err = r.folder.Rename(part, name)
	}
	if err != nil {
		_ = r.folder.Remove(part)
		return fmt.Errorf("writing %s: %w", filepath.Base(name), err)
	}
	return nil
}
