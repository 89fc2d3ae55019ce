package importexport

import (
	"bufio"
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

	"example.org/backoffice/backoffice"
)

// rejecting reports whether bad lines are skipped.
func (im *importing) rejecting() bool {
	return im.rejects != nil || im.DryRun || im.stream || im.undo > 0
}

// Reason is why a number of lines were rejected.
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
		if bad.id != "" {
			r.sums[maphash.String(r.seed, bad.id)] = struct{}{}
		}
	}
}

func (r *rejectedIDs) has(id string) bool {
	_, has := r.sums[maphash.String(r.seed, id)]
	return has
}

func (s *staged) reject(bad *badLines) {
	bad.sort()
	s.rejected = bad.lines
	byLine := func(b badLine, number int) int { return cmp.Compare(b.Line, number) }
	isRejected := func(number int) bool {
		_, found := slices.BinarySearchFunc(s.rejected, number, byLine)
		return found
	}
	s.lines = slices.DeleteFunc(s.lines, func(l stagedLine) bool { return isRejected(l.number) })
	s.repaired = slices.DeleteFunc(s.repaired, func(l BadLine) bool { return isRejected(l.Line) })
}

func (s *staged) report(loaded Loaded) Loaded {
	loaded.Rejected, loaded.Repaired, loaded.Notes = len(s.rejected), s.repaired, s.notes
	counts := map[Fault]int{}
	for i := range s.rejected {
		if i < MaxBadLines || s.stored.im.stream || s.stored.im.undo > 0 {
			bad := s.rejected[i].BadLine
			bad.Record = s.rejected[i].id
			loaded.Bad = append(loaded.Bad, bad)
		}
		for _, fault := range s.rejected[i].Faults {
			fault.Why, _, _ = strings.Cut(fault.Why, firstOn) // whichever line that is
			counts[fault]++
		}
	}
	loaded.Reasons = reasonsOf(counts)
	return loaded
}

// reasonsOf lists the faults of lines, the most frequent first.
func reasonsOf(counts map[Fault]int) (reasons []Reason) {
	for fault, lines := range counts {
		reasons = append(reasons, Reason{fault, lines})
	}
	slices.SortFunc(reasons, func(a, b Reason) int {
		return cmp.Or(b.Lines-a.Lines, cmp.Compare(a.Field, b.Field), cmp.Compare(a.Why, b.Why))
	})
	return reasons
}

// RejectedLine is a line that a Stream rejected, with its line feed.
type RejectedLine struct {
	Line   []byte
	Faults []Fault
}

// Rejects is the folder of rejected lines, those of an import or a Stream. Once they are fixed, it can be imported.
type Rejects struct {
	folder  *os.Root
	reasons map[string][][]string // by file
}

const reasonsFile = "reasons.csv"

// NewRejects makes and opens the folder. It must be empty: files in it would be another import's rejects. Close it.
func NewRejects(name string) (*Rejects, error) {
	if err := os.MkdirAll(name, 0o700); err != nil {
		return nil, cannotWrite("the rejects", err)
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, cannotWrite("the rejects", err)
	}
	if len(entries) > 0 {
		return nil, errors.New("the folder for rejects is not empty; pass an empty or new one")
	}
	folder, err := os.OpenRoot(name)
	if err != nil {
		return nil, cannotWrite("the rejects", err)
	}
	return &Rejects{folder, map[string][][]string{}}, nil
}

func (r *Rejects) Close() error { return r.folder.Close() }

// KeepFile copies the file that a rejected line names, if any, out of the Stream's folder.
func (r *Rejects) KeepFile(line []byte, beside *os.Root) error {
	return r.copyFile(&importing{folder: beside}, line)
}

// Write replaces the lines, those of each noun in its file. Their reasons are by their number there.
func (r *Rejects) Write(all map[backoffice.Noun][]RejectedLine) error {
	clear(r.reasons)
	for noun, table := range tables {
		name, lines := table.fileName(), all[noun]
		if len(lines) == 0 {
			if err := r.folder.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return cannotWrite("the rejects of "+name, err)
			}
			continue
		}
		err := r.write(name, func(w io.Writer) (err error) {
			for i, rejected := range lines {
				for _, fault := range rejected.Faults {
					row := []string{name, strconv.Itoa(i + 1), fault.Field, fault.Why}
					r.reasons[name] = append(r.reasons[name], row)
				}
				_, lost := w.Write(rejected.Line)
				err = errors.Join(err, lost)
			}
			return err
		})
		if err != nil {
			return cannotWrite("the rejects of "+name, err)
		}
	}
	return r.writeReasons()
}

// writeRejects durably writes the rejected lines of a file into their folder. A second call replaces the first.
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

func (r *Rejects) writeLines(im *importing, s *staged) error {
	if len(s.rejected) == 0 {
		if err := r.folder.Remove(s.rejects()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return r.write(s.rejects(), func(w io.Writer) error {
		if s.sheet != nil {
			if _, err := w.Write(s.sheet.rejectsHeader()); err != nil {
				return err
			}
		}
		for i := range s.rejected {
			at := s.rejected[i].at
			if at.length > MaxLine { // too long to be in memory
				if _, err := io.Copy(w, io.NewSectionReader(s.file, at.offset, int64(at.length))); err != nil {
					return err
				}
				continue
			}
			text, err := s.text(at)
			if err != nil {
				return err
			}
			if s.sheet != nil {
				text = s.sheet.padded(text)
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

// copyFile copies the file that a line names, if any.
func (r *Rejects) copyFile(im *importing, text []byte) error {
	var line struct{ File string }
	if json.Unmarshal(text, &line) != nil || line.File == "" || checkPath(line.File) != nil {
		return nil
	}
	source, err := im.openFile(line.File)
	if err != nil {
		return nil //nolint:nilerr // it is a fault of the line, and among its reasons
	}
	defer func() { _ = source.Close() }()
	name := filepath.FromSlash(line.File)
	base := path.Clean(line.File)
	isNoun := slices.Contains(endsOfText, end(base)) && slices.Contains(stems(), strings.ToLower(stem(base))) ||
		slices.Contains(slices.Collect(maps.Values(im.files)), base)
	if (isNoun || slices.Contains(ends, end(base))) && !strings.Contains(base, "/") {
		return nil // it would overwrite rejects, or be imported with them
	}
	if err := r.folder.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return r.write(name, func(w io.Writer) error {
		_, err := io.Copy(w, source)
		return err
	})
}

func (s *staged) reasons() (rows [][]string) {
	add := func(line *BadLine, faults []Fault, prefix string) {
		for _, fault := range faults {
			field := backoffice.EscapeFormula(fault.Field)
			rows = append(rows, []string{s.name, strconv.Itoa(line.Line), field, prefix + fault.Why})
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

func (r *Rejects) writeReasons() error {
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

// write replaces a file atomically and durably.
func (r *Rejects) write(name string, fill func(io.Writer) error) (err error) {
	part := filepath.Join(filepath.Dir(name), backoffice.NewID()+".part") // short, and no attachment's
	file, err := r.folder.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 64<<10)
	err = errors.Join(fill(out), out.Flush(), file.Sync(), file.Close())
	if err == nil {
		err = r.folder.Rename(part, name)
	}
	if err != nil {
		_ = r.folder.Remove(part)
		return fmt.Errorf("writing %s: %w", filepath.Base(name), err)
	}
	return nil
}
