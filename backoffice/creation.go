package backoffice

import (
	"context"
	"slices"
)

type creation[T any, C comparable] struct {
	by      *Principal
	action  string
	table   *Table[T, C]
	made    *T
	at      Instant                                // the object's time of creation; zero: now
	key     Optional[string]                       // the idempotency key
	content values                                 // all that was asked for, in canonical form
	wrong   checker                                // faults that were found without the store
	told    func() map[string]any                  // see OriginWrite.Sent; nil: no origin makes such objects
	look    func(ctx context.Context, tx Tx) error // reads what the object is checked against; nil: nothing
	check   func(check *checker)                   // checks the object against that
}

// create makes the object once per idempotency key: it checks and writes the object. If the key was used for the same
// content within IdempotencyPeriod, it returns the object that was made then, as it is now.
func create[T any, C comparable](ctx context.Context, s *Service, c creation[T, C]) (*T, error) {
	checkKey(c.key, &c.wrong)
	if c.told != nil {
		switch there, err := s.writesThere(ctx, c.table.Noun); {
		case err != nil:
			return nil, err
		case there && s.dry:
			s = s.onCopies()
		case there:
			return createThere(ctx, s, &c)
		}
	}
	now := c.at
	if now.IsZero() {
		now = InstantOf(s.now())
	}
	noun, id := c.table.Noun, *c.table.ID(c.made)
	use, err := s.keyUse(c.by, noun, c.key, c.content, id)
	if err != nil {
		return nil, err
	}
	var made *T
	err = s.write(ctx, func(ctx context.Context, tx Tx) (bool, error) {
		check := &checker{found: slices.Clone(c.wrong.found)}
		var earlier string
		err := tx.Together(ctx, func(ctx context.Context) (err error) {
			if len(check.found) == 0 {
				earlier, err = s.useKey(ctx, tx, use)
			}
			return err
		}, func(ctx context.Context) error {
			if c.look == nil || earlier != "" {
				return nil
			}
			return c.look(ctx, tx)
		})
		switch {
		case err != nil:
			return false, err
		case earlier != "":
			var there bool
			if made, there, err = Find(ctx, c.table.Writer(tx), earlier); err == nil && !there {
				err = Refuse(goneSince(noun))
			}
			return false, err
		}
		if c.check != nil {
			c.check(check)
		}
		if err := check.refusal(); err != nil {
			return false, err
		}
		made = c.made
		if err := c.table.Writer(tx).Insert(ctx, made); err != nil {
			return false, err
		}
		return false, tx.LogChanges(ctx, changeBy(c.by, now, c.action, noun, id, c.content.names()...))
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}
