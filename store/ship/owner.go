package ship

import (
	"context"
	"errors"
	"io"
	"strings"

	"example.org/backoffice/backoffice"
)

// owner is the mark of a place: the store that is shipped there, and the key that seals.
type owner struct{ store, key string }

const ownerFormat = "backoffice ship 1"

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
