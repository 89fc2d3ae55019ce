package importexport

import (
	"context"
	"hash/maphash"
	"slices"

	"example.org/backoffice/backoffice"
)

// claims are the unique values that a file's records want. They are decided after the last line, because only the
// result counts: records may swap their values, or pass them on in a chain.
type claims struct {
	seed    maphash.Seed
	first   map[uint64][]backoffice.Period // values that lines claim, as keyed hashes
	leaving map[uint64]bool                // records that give up their value, or are deleted
	held    []heldClaim
}

// heldClaim is a line's claim to the value of a stored record.
type heldClaim struct {
	at         stagedLine
	id, holder string
}

const taken = "another record already has this value, which must be unique"

// claim notes the values that lines without a fault want and give up.
func (l *loading[T, C]) claim(ctx context.Context, all []*entry[T]) error {
	if l.Unique == nil {
		return nil
	}
	c := &l.claims
	entries, deleted := l.sound(all)
	for _, e := range deleted {
		c.leaving[maphash.String(c.seed, e.id)] = true
	}
	var rows []*T
	lines := map[string]stagedLine{}
	for _, e := range entries {
		value, before := l.UniqueValue(e.row), backoffice.UniqueValue{}
		if e.old != nil {
			before = l.UniqueValue(e.old)
		}
		if value == before {
			continue
		}
		c.leaving[maphash.String(c.seed, e.id)] = true
		if value.Value == "" {
			continue
		}
		key := maphash.String(c.seed, value.Value)
		if slices.ContainsFunc(c.first[key], value.Overlaps) {
			e.fault(l.uniqueField(), taken)
			c.leaving[maphash.String(c.seed, e.id)] = !l.bad.all // as in decide
			continue
		}
		c.first[key] = append(c.first[key], value.Period)
		rows, lines[e.id] = append(rows, e.row), e.at
	}
	if len(rows) == 0 {
		return nil
	}
	holders, err := l.rows.Holders(ctx, rows)
	if err != nil {
		return err
	}
	for id, of := range holders {
		for _, holder := range of {
			c.held = append(c.held, heldClaim{lines[id], id, holder})
		}
	}
	return nil
}

func (l *loading[T, C]) uniqueField() string { return folderName(l.Unique[:1]) }

// decide rejects claims to a value that its holder keeps, and reports whether any claims remain. A record whose claim
// is rejected keeps its own value, so a claim to that may have to be rejected too.
func (l *loading[T, C]) decide() (contested bool) {
	c := &l.claims
	for again := true; again; {
		again = false
		c.held = slices.DeleteFunc(c.held, func(claim heldClaim) bool {
			if c.leaving[maphash.String(c.seed, claim.holder)] {
				return false
			}
			l.bad.add(claim.at, claim.id, Fault{Field: l.uniqueField(), Why: taken})
			if l.bad.all { // else nothing is loaded, and claims that fail for that reason are no mistake
				delete(c.leaving, maphash.String(c.seed, claim.id))
				again = true
			}
			return true
		})
	}
	return len(c.held) > 0
}

// release clears unique values that are passed on, so that the rows can be written in any order.
func (l *loading[T, C]) release(ctx context.Context) error {
	holders := backoffice.Map(l.claims.held, func(claim heldClaim) string { return claim.holder })
	if len(holders) == 0 {
		return nil
	}
	if err := l.writer.Lock(ctx, holders...); err != nil {
		return err
	}
	rows, err := backoffice.ReadByID(ctx, l.rows, holders, 0)
	if err != nil {
		return err
	}
	l.parked = rows
	return l.writer.Release(ctx, holders)
}
