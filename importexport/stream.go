package importexport

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"example.org/backoffice/backoffice"
)

// Stream is an import whose lines come from a caller, some of one noun at a time, in place of a folder: what another
// backoffice tells. Each Load is a transaction of its own; lines that cannot be loaded are told, and all others are. A
// record's version is the one that its line says, also a smaller one than is stored.
type Stream struct {
	im      *importing
	repairs map[string]bool
	end     func()
}

// Stream waits for another import and begins one; beside has the files that lines name, nil for none. Close it.
func (i *Importer) Stream(ctx context.Context, beside *os.Root) (*Stream, error) {
	s, err := i.StreamBeside(beside)
	if err != nil {
		return nil, err
	}
	s.end, err = i.turn(ctx)
	return s, err
}

// StreamBeside begins one beside others that may run, for single records that nobody is to wait for.
func (i *Importer) StreamBeside(beside *os.Root) (*Stream, error) {
	im, err := i.importing(beside)
	if err != nil {
		return nil, err
	}
	im.stream = true
	return &Stream{im, im.repairs, func() {}}, nil
}

// Close lets another import begin.
func (s *Stream) Close() { s.end() }

// Fields are the names of the fields that a noun's lines may have besides _id and _deleted.
func Fields(noun backoffice.Noun) []string { return tables[noun].fieldNames() }

// Load brings the store in step with lines of a noun in the folder's form, each with a line feed behind it. Loaded.Bad
// are all that could not be loaded, by the number of their line. Errors are those of the store, after which none of
// the lines was loaded.
//
// With repair, lines are loaded without the Importer's fields of that name when these are what is wrong with them.
func (s *Stream) Load(ctx context.Context, noun backoffice.Noun, lines []byte, repair bool) (Loaded, error) {
	s.im.repairs = nil
	if repair {
		s.im.repairs = s.repairs
	}
	t, known := tables[noun]
	if !known {
		return Loaded{}, fmt.Errorf("no file has lines of a %s", noun)
	}
	return t.loadFrom(ctx, s.im, source{name: t.fileName(), file: inMemory{bytes.NewReader(lines)}, size: int64(len(lines))})
}

// inMemory is the content of a source that is no file.
type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }
