package ship

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// An object at a place lists the stored files there that no record names any more, as the beginning of each generation
// finds them. A file that was unnamed when a generation began is in no state of a later one. Only a restored store may
// name it again, and that begins a generation, too. So clocks do not matter.
const (
	unnamedName   = "unnamed"
	unnamedFormat = "backoffice unnamed files 1"
)

// readUnnamed returns the generation that first found a file unnamed, by the file's key: nothing when it is damaged, or
// when a generation was shipped that did not keep it up to date, as earlier versions of the program do. Then files only
// stay for longer.
func (s *Shipper) readUnnamed(ctx context.Context, newest string) (map[string]string, error) {
	object, err := s.To.Get(ctx, unnamedName)
	if backoffice.KindOf(err) == backoffice.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sealed, err := io.ReadAll(object)
	if err = errors.Join(err, object.Close()); err != nil {
		return nil, err
	}
	var text []byte
	opened, err := s.Key.NewDecryptingReader(bytes.NewReader(sealed), []byte(unnamedName))
	if err == nil {
		text, err = io.ReadAll(opened)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if err != nil || len(lines) < 2 || lines[0] != unnamedFormat || lines[1] < newest {
		return nil, nil //nolint:nilerr // it is damaged
	}
	since := map[string]string{}
	for _, line := range lines[2:] {
		if key, generation, ok := strings.Cut(line, " "); ok && backoffice.ValidFileKey(key) {
			since[key] = generation
		}
	}
	return since, nil
}

// noteUnnamed notes what no record names, before the snapshot of a generation: a restore has been noticed by then.
func (g *generation) noteUnnamed(ctx context.Context, keys []string) error {
	before, err := g.readUnnamed(ctx, g.before)
	if err != nil {
		return err
	}
	slices.Sort(keys)
	content := sealing(g.Key, unnamedName, func(to io.Writer) error {
		_, err := fmt.Fprintf(to, "%s\n%s\n", unnamedFormat, g.name)
		for _, key := range keys {
			since, known := before[key]
			if !known {
				since = g.name
			}
			if err == nil {
				_, err = fmt.Fprintln(to, key, since)
			}
		}
		return err
	})
	defer content.Close()
	return g.To.Put(ctx, unnamedName, content)
}
