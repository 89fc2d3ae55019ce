package ship

import (
	"context"
	"errors"
	"io"
	"strings"

	"example.org/backoffice/backoffice"
)

// own marks the place as the store's own, or fails when it is another's, or sealed by another key. What lacks the mark
// later is not the place, but perhaps the folder on which its disk was mounted.
func (s *Shipper) own(ctx context.Context) error {
	err := s.owns(ctx)
	if s.marked = s.marked || err == nil; s.marked || !errors.Is(err, errUnmarked) {
		return err
	}
	for _, folder := range []string{generations, shipped} {
		empty := true
		err := s.To.List(ctx, folder, "", func(string) error { empty = false; return nil })
		if err == nil && !empty {
			err = errNotEmpty
		}
		if err != nil {
			return err
		}
	}
	mark, err := s.mark(ctx)
	if err != nil {
		return err
	}
	return s.To.Put(ctx, ownerName, mark.content())
}

// clear deletes what a kill has left of objects at the store's own place, to which nobody else writes now.
func (s *Shipper) clear(held context.Context) error {
	if err := s.own(held); err != nil {
		return err
	}
	var left []string
	err := s.To.List(held, backoffice.Unfinished, "",
		func(name string) error { left = append(left, name); return nil })
	if err != nil || len(left) == 0 {
		return err
	}
	return s.deleteAll(held, left)
}

// owns fails unless the place is marked as the store's own.
func (s *Shipper) owns(ctx context.Context) error {
	own, err := s.mark(ctx)
	if err != nil {
		return err
	}
	mark, err := readOwner(ctx, s.To)
	switch {
	case backoffice.KindOf(err) == backoffice.NotFound:
		return errUnmarked
	case err != nil:
		return err
	case mark.store != own.store && mark.fingerprint() == own.fingerprint():
		return errPromoted
	case mark.store != own.store:
		return errors.New("another store is shipped to this place: name another one with --ship")
	case mark.key != own.key:
		return errWrongKey
	}
	return nil
}

func (s *Shipper) mark(ctx context.Context) (owner, error) {
	name, err := nameOf(ctx, s.Store)
	return owner{name, s.KeyID}, err
}

// owner is the mark of a place: the store that is shipped there, and the key that seals.
type owner struct{ store, key string }

const ownerFormat = "backoffice ship 1"

var (
	errUnmarked = errors.New("this place has no object owner any more: mount its disk, or, to ship to an empty " +
		"place, start the server again")
	errNotEmpty = errors.New("this place has objects, but no object owner, so they may be another store's: put that " +
		"back, or name an empty place with --ship")
)

var errWrongKey = errors.New("what is at this place is sealed by another shipping keyset: pass that one with " +
	"--ship-keyset; without it nothing there can be read")

func (o owner) content() io.Reader {
	return strings.NewReader(strings.Join([]string{ownerFormat, o.store, o.key}, "\n") + "\n")
}

func readOwner(ctx context.Context, from backoffice.ObjectStore) (owner, error) {
	reader, err := from.Get(ctx, ownerName)
	if err != nil {
		return owner{}, err
	}
	text, err := io.ReadAll(io.LimitReader(reader, 4096))
	if err = errors.Join(err, reader.Close()); err != nil {
		return owner{}, err
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) < 3 || lines[0] != ownerFormat {
		return owner{}, errors.New("this place is not one that a server has shipped to: its object owner is another " +
			"program's, or damaged")
	}
	return owner{lines[1], lines[2]}, nil
}
