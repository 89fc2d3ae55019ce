package store

import (
	"context"
	"maps"
	"slices"

	"example.org/backoffice/backoffice"
)

// A restricted transaction writes only records that are visible before it, if they exist, and after it, if they stay.
// Reads check the records that a caller names and return NOT_FOUND; this checks cascades, and the result of the write.

func (t *tx) noteWrote(o object, done backoffice.ChangeAction) {
	if !t.restricted {
		return
	}
	if t.wrote == nil {
		t.wrote = map[backoffice.Noun]map[string]bool{}
	}
	if t.wrote[o.noun] == nil {
		t.wrote[o.noun] = map[string]bool{}
	}
	if done == backoffice.Deleted {
		delete(t.wrote[o.noun], o.id)
	} else {
		t.wrote[o.noun][o.id] = true
	}
}

func (t *tx) StaysInView(ctx context.Context) error {
	if t.failed != nil {
		return t.failed
	}
	for _, noun := range slices.Sorted(maps.Keys(t.wrote)) {
		if err := t.isInView(ctx, noun, slices.Sorted(maps.Keys(t.wrote[noun])), backoffice.OutOfView()); err != nil {
			return err
		}
	}
	t.wrote = nil
	return nil
}

// goesInView rejects a deletion when a record of its cascade is not visible.
func (t *tx) goesInView(ctx context.Context) error {
	if !t.restricted {
		return nil
	}
	ids := map[backoffice.Noun][]string{}
	for o := range t.touched {
		if !t.passed[o] { // it may be deleted since
			ids[o.noun] = append(ids[o.noun], o.id)
		}
	}
	for _, noun := range slices.Sorted(maps.Keys(ids)) {
		if err := t.isInView(ctx, noun, ids[noun], backoffice.OutOfView("id")); err != nil {
			return err
		}
	}
	if t.passed == nil {
		t.passed = map[object]bool{}
	}
	for o := range t.touched {
		t.passed[o] = true
	}
	return nil
}

// isInView fails when one of the records is not visible.
func (t *tx) isInView(ctx context.Context, noun backoffice.Noun, ids []string, refusal error) error {
	if ids = backoffice.Unique(wellFormed(ids)); !t.restricted || ids == nil {
		return nil
	}
	n := t.store.nouns
	at := slices.IndexFunc(n.bound, func(of description) bool { return of.noun == noun })
	if at < 0 || n.bound[at].seenBy.nobody || !n.bound[at].binds(n.viewOf(ctx).kind) {
		return nil // all records are visible
	}
	text := "SELECT " + naming(n.bound[at].table, "in_view") + "count(*) FROM " + n.bound[at].table + " t WHERE " +
		n.dialect.among("t.id")
	for batch := range slices.Chunk(ids, maxBatch) {
		found := 0
		if err := t.conn.Query(ctx, text, []any{n.dialect.List(batch)},
			func(row *Row) error { found = int(row.Int(0)); return nil }); err != nil {
			return err
		}
		if found < len(batch) {
			return t.fail(refusal)
		}
	}
	return nil
}
