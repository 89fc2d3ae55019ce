package mirror

import (
	"context"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
)

// A write through the mirror may come between a pull's reading a page and loading it, which would undo the write here.
// So each write is noted before it is sent, and after loading a page a pull reads those records of it again.

const (
	// clocksApart is how much the clocks of a pull and a server may differ.
	clocksApart = time.Minute
	// keepNotes is how long the notes are needed: longer than a pull takes for any page.
	keepNotes = time.Hour
)

const throughNotes = "through "

func throughNote(noun backoffice.Noun, id string) string {
	return throughNotes + string(noun) + " " + id + "\n" // no other note begins like it
}

func noteOf(deletes bool) []byte {
	kind := "w"
	if deletes {
		kind = "d"
	}
	return []byte(kind + backoffice.InstantOf(time.Now()).String())
}

// readNote returns when a write was sent, and whether it was a deletion.
func readNote(note []byte) (at time.Time, deletes bool) {
	if len(note) == 0 {
		return at, false
	}
	at, _ = time.Parse(time.RFC3339Nano, string(note[1:]))
	return at, note[0] == 'd'
}

// superseded reads records of a loaded page again that were written here since the page was requested.
func (p *pulling) superseded(ctx context.Context, n *noun, asked time.Time, records []record) error {
	known := map[string]string{}
	for again := true; again; { // until no write came during the reading
		again = false
		notes, err := p.Store.MirrorNotes(ctx, throughNotes+string(n.of)+" ")
		if err != nil || len(notes) == 0 {
			return err
		}
		for _, r := range records {
			name := throughNote(n.of, r.id())
			at, deletes := readNote(notes[name])
			if at.Before(asked.Add(-clocksApart)) || known[name] == string(notes[name]) {
				continue
			}
			known[name] = string(notes[name])
			found, err := p.lookUp(ctx, n, r.id(), nil)
			if err != nil {
				return err
			}
			switch {
			case found != nil:
				err = p.loadOne(ctx, n, found)
			case deletes:
				err = p.loadDeletion(ctx, n, r.id())
			}
			if err != nil && err != errNoCopy { //nolint:errorlint // it is that one itself, and counted
				return err
			}
			again = true
		}
	}
	return nil
}

// forgetSuperseded drops the notes that are no longer needed.
func (p *pulling) forgetSuperseded(ctx context.Context) error {
	notes, err := p.Store.MirrorNotes(ctx, throughNotes)
	if err != nil {
		return err
	}
	for name, note := range notes {
		if at, _ := readNote(note); strings.HasSuffix(name, "\n") && time.Since(at) > keepNotes {
			if err := p.Store.NoteMirror(ctx, name, nil); err != nil {
				return err
			}
		}
	}
	return nil
}
