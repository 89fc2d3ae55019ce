package backoffice

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// Batch collects reads that are sent together, as pgx.Batch does. Readers queue reads, Send answers them, and all of
// them see one snapshot. The zero value is an empty batch. A batch is sent once and is not safe for concurrent use.
type Batch struct {
	// Last ends the snapshot with the batch: nothing else is read in it.
	Last bool
	// Pooled allows rows in memory that Release gives to later batches. Otherwise the rows are the caller's own.
	Pooled bool
	queued []Queued
	pooled []Releaser
}

type Queued interface {
	// Err is the error of this read after the batch was sent: BadInput, Unavailable, Timeout or Internal.
	Err() error
}

// Sender answers batches: a Store, a transaction, or a Reader of either.
type Sender interface {
	// Send answers the reads of a batch that readers of the same store queued, in one round trip where the engine can.
	// When a read fails, the others still have their answers. The error is that of the first read that failed; an
	// error that no read has applies to all of them.
	Send(ctx context.Context, b *Batch) error
}

// Queue adds a read. Only implementations of Reader call it.
func (b *Batch) Queue(q Queued) Queued {
	b.queued = append(b.queued, q)
	return q
}

// Queued returns the reads, in the order in which they were added.
func (b *Batch) Queued() []Queued { return b.queued }

// Releaser is memory that can be used again.
type Releaser interface{ Release() }

// Borrow adds memory that has rows of a pooled batch.
func (b *Batch) Borrow(memory Releaser) { b.pooled = append(b.pooled, memory) }

// Release lets later batches use the memory of the rows. Rows must not be used afterwards; their texts may be.
func (b *Batch) Release() {
	for _, memory := range b.pooled {
		memory.Release()
	}
	b.pooled = nil
}

func (b *Batch) Err() error {
	for _, q := range b.queued {
		if err := q.Err(); err != nil {
			return err
		}
	}
	return nil
}

// ReadByID returns the rows with these identifiers, which may repeat, by identifier.
func ReadByID[T any, C comparable](
	ctx context.Context, r Reader[T, C], ids []string, want Columns,
) (map[string]T, error) {
	var b Batch
	rows := make(map[string]T, len(ids))
	r.Find(&b, Unique(ids), want, func(row T) { rows[any(row).(Entity).Identity()] = row })
	if err := r.Send(ctx, &b); err != nil {
		return nil, err
	}
	return rows, nil
}

// ReadPages reads a page for each of the parents, by parent (only NoParent for the list of the root).
func ReadPages[T any, C comparable](
	ctx context.Context, r Reader[T, C], list ListQuery[C], parents []string, want Columns,
) (map[string]Page[T], error) {
	parents = parentsOf(list.Parent, parents)
	pages := make([]Page[T], len(parents))
	return readEach(ctx, r, parents, pages, func(b *Batch) { r.Lists(b, list, parents, want, pages) })
}

// EachPage visits all of a parent's list (NoParent's for the root) in the order of ask, a page of ask.Window.Limit rows
// at a time (0 is MaxPageSize), and stops at the first error of visit.
func EachPage[T any, C comparable](
	ctx context.Context, r Reader[T, C], ask ListQuery[C], parent string, want Columns, visit func([]T) error,
) error {
	ask.Window.Limit = cmp.Or(ask.Window.Limit, MaxPageSize)
	for {
		pages, err := ReadPages(ctx, r, ask, []string{parent}, want)
		if err != nil {
			return err
		}
		page := pages[parent]
		if len(page.Items) > 0 {
			err = visit(page.Items)
		}
		if err != nil || !page.More {
			return err
		}
		last := any(page.Items[len(page.Items)-1]).(Entity)
		ask.Window.After, ask.Window.HasAfter = last.Position(ask.Order.Key), true
	}
}

// ReadAll returns all of a parent's list (NoParent's for the root), in the order of ask.
func ReadAll[T any, C comparable](
	ctx context.Context, r Reader[T, C], ask ListQuery[C], parent string) (all []T, err error) {
	err = EachPage(ctx, r, ask, parent, 0, func(page []T) error {
		all = append(all, page...)
		return nil
	})
	return all, err
}

// eachRow is EachPage, row by row.
func eachRow[T any, C comparable](
	ctx context.Context, r Reader[T, C], ask ListQuery[C], parent string, want Columns, visit func(T) error,
) error {
	return EachPage(ctx, r, ask, parent, want, func(page []T) error {
		for _, row := range page {
			if err := visit(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// Find reads one row; ok reports whether it exists. It is false for a malformed identifier.
func Find[T any, C comparable](ctx context.Context, r Reader[T, C], id string) (row T, ok bool, err error) {
	if !IsID(id) {
		return row, false, nil
	}
	found, err := ReadByID(ctx, r, []string{id}, 0)
	row, ok = found[id]
	return row, ok, err
}

// First reads the first row of a parent's list (NoParent's for the root); ok is false for an empty list.
func First[T any, C comparable](
	ctx context.Context, r Reader[T, C], ask ListQuery[C], parent string,
) (row T, ok bool, err error) {
	ask.Window.Limit = 1
	pages, err := ReadPages(ctx, r, ask, []string{parent}, 0)
	if items := pages[parent].Items; len(items) > 0 {
		row, ok = items[0], true
	}
	return row, ok, err
}

// ReadCounts returns how many rows of each parent's list meet the criteria, by parent.
func ReadCounts[T any, C comparable](
	ctx context.Context, r Reader[T, C], under Parent, criteria C, parents []string,
) (map[string]int, error) {
	parents = parentsOf(under, parents)
	counts := make([]int, len(parents))
	return readEach(ctx, r, parents, counts, func(b *Batch) { r.Counts(b, under, criteria, parents, counts) })
}

// CountAll returns how many rows of the list of all meet the criteria.
func CountAll[T any, C comparable](ctx context.Context, r Reader[T, C], criteria C) (int, error) {
	counts, err := ReadCounts(ctx, r, Root, criteria, nil)
	return counts[NoParent], err
}

// ReadNouns returns the noun of each identifier, by identifier; unknown ones are absent.
func ReadNouns(ctx context.Context, r NounReader, ids []string) (map[string]Noun, error) {
	ids = Unique(ids)
	nouns := make([]Noun, len(ids))
	found, err := readEach(ctx, r, ids, nouns, func(b *Batch) { r.Nouns(b, ids, nouns) })
	maps.DeleteFunc(found, func(_ string, noun Noun) bool { return noun == "" })
	return found, err
}

// readEach sends a batch of one read; answers[i] belongs to keys[i].
func readEach[V any](
	ctx context.Context, s Sender, keys []string, answers []V, queue func(*Batch),
) (map[string]V, error) {
	var b Batch
	queue(&b)
	if err := s.Send(ctx, &b); err != nil {
		return nil, err
	}
	byKey := make(map[string]V, len(keys))
	for i, key := range keys {
		byKey[key] = answers[i]
	}
	return byKey, nil
}

func parentsOf(under Parent, parents []string) []string {
	if under == Root {
		return []string{NoParent}
	}
	return Unique(parents)
}

// Unique drops repeated identifiers and keeps the order. It returns ids itself when none repeats, nil without any.
func Unique(ids []string) []string {
	if len(ids) == 0 {
		return nil
	}
	seen := make(map[string]struct{}, len(ids))
	for _, id := range ids {
		seen[id] = struct{}{}
	}
	if len(seen) == len(ids) {
		return ids
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		_, first := seen[id]
		delete(seen, id)
		return !first
	})
}
