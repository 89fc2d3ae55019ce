package importexport

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"example.org/backoffice/backoffice"
)

// Stream is an import whose lines come from a caller instead of a folder, some of one noun at a time: the records of
// another backoffice. Each Load is its own transaction; it reports lines that cannot be loaded, and loads all others. A
// record gets the version of its line, even if the stored one is larger.
type Stream struct {
	im      *importing
	repairs map[string]bool
	end     func()
}

// Stream waits for any running import and begins one. beside has the files that lines name, nil for none. Close it.
func (i *Importer) Stream(ctx context.Context, beside *os.Root) (*Stream, error) {
	s, err := i.StreamBeside(beside)
	if err != nil {
		return nil, err
	}
	s.end, err = i.turn(ctx)
	return s, err
}

// StreamBeside begins one without waiting for others, for single records.
func (i *Importer) StreamBeside(beside *os.Root) (*Stream, error) {
	im, err := i.importing(beside)
	if err != nil {
		return nil, err
	}
	im.stream = true
	return &Stream{im, im.repairs, func() {}}, nil
}

func (s *Stream) Close() { s.end() }

// Fields are the names of the fields that a noun's lines may have besides _id and _deleted.
func Fields(noun backoffice.Noun) []string { return tables[noun].fieldNames() }

// Load loads lines of a noun in the folder's form, each with a line feed. Loaded.Bad are all rejected lines, by number.
// After an error, of the store, no line was loaded. With repair, it leaves out invalid fields of Importer.Repair;
// without it, only an invalid responsible user: no later line brings one.
func (s *Stream) Load(ctx context.Context, noun backoffice.Noun, lines []byte, repair bool) (Loaded, error) {
	s.im.repairs = map[string]bool{"responsible": s.repairs["responsible"]}
	if repair {
		s.im.repairs = s.repairs
	}
	t, known := tables[noun]
	if !known {
		return Loaded{}, fmt.Errorf("no file has lines of a %s", noun)
	}
	from := source{name: t.fileName(), file: inMemory{bytes.NewReader(lines)}, size: int64(len(lines))}
	return t.loadFrom(ctx, s.im, from)
}

// inMemory is the content of a source without a file.
type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }
