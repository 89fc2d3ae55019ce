package importexport

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"

	"example.org/backoffice/backoffice"
)

// RejectedLine is a line that a Stream rejected, with its line feed.
type RejectedLine struct {
	Line   []byte
	Faults []Fault
}

// StreamRejects is a folder like Importer.Rejects, for what a Stream rejected. Close it.
type StreamRejects struct{ of *rejects }

// NewStreamRejects makes the folder, which must be empty or new.
func NewStreamRejects(name string) (*StreamRejects, error) {
	of, err := newRejects(name)
	return &StreamRejects{of}, err
}

func (r *StreamRejects) Close() error { return r.of.folder.Close() }

// KeepFile copies the file that a rejected line names, if any, out of the Stream's folder.
func (r *StreamRejects) KeepFile(line []byte, beside *os.Root) error {
	return r.of.copyFile(&importing{folder: beside}, line)
}

// Write replaces the lines, those of each noun in its file. Their reasons are by their number there.
func (r *StreamRejects) Write(all map[backoffice.Noun][]RejectedLine) error {
	clear(r.of.reasons)
	for noun, table := range tables {
		name, lines := table.fileName(), all[noun]
		if len(lines) == 0 {
			if err := r.of.folder.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return cannotWrite("the rejects of "+name, err)
			}
			continue
		}
		err := r.of.write(name, func(w io.Writer) (err error) {
			for i, rejected := range lines {
				for _, fault := range rejected.Faults {
					row := []string{name, strconv.Itoa(i + 1), fault.Field, fault.Why}
					r.of.reasons[name] = append(r.of.reasons[name], row)
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
	return r.of.writeReasons()
}
