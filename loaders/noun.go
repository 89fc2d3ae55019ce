package loaders

import (
	"context"

	"example.org/backoffice/backoffice"
)

type Noun[T backoffice.Entity, C comparable] struct {
	of     *Loaders
	noun   backoffice.Noun
	reader backoffice.Reader[T, C]
	rows   loader[struct{}, T]
	pages  loader[backoffice.ListQuery[C], backoffice.Page[T]]
	counts loader[counted[C], int]
	groups loader[backoffice.GroupQuery[C], *backoffice.Aggregate]
}

// counted identifies the totals that one read answers.
type counted[C comparable] struct {
	under    backoffice.Parent
	criteria C
}

// In returns the request's loader of a noun, which it makes on first use.
func In[T backoffice.Entity, C comparable](ctx context.Context, of backoffice.NounOf[T, C]) *Noun[T, C] {
	l, noun := From(ctx), of.Name()
	l.making.Lock()
	defer l.making.Unlock()
	n, made := l.nouns[noun].(*Noun[T, C])
	if !made {
		n = &Noun[T, C]{of: l, noun: noun, reader: of.Reader(l.store)}
		l.nouns[noun] = n
	}
	return n
}

func (n *Noun[T, C]) readRows(b *backoffice.Batch, _ struct{}, ids []string, want backoffice.Columns, rows []T,
	at func(string) int) backoffice.Queued {
	return n.reader.Find(b, ids, want, func(row T) {
		if place := at(row.Identity()); place >= 0 {
			rows[place] = row
		}
	})
}

func (n *Noun[T, C]) readPages(b *backoffice.Batch, list backoffice.ListQuery[C], parents []string,
	want backoffice.Columns, pages []backoffice.Page[T], _ func(string) int) backoffice.Queued {
	return n.reader.Lists(b, list, parents, want, pages)
}

func (n *Noun[T, C]) readCounts(b *backoffice.Batch, c counted[C], parents []string, _ backoffice.Columns, counts []int,
	_ func(string) int) backoffice.Queued {
	return n.reader.Counts(b, c.under, c.criteria, parents, counts)
}

func (n *Noun[T, C]) readGroups(b *backoffice.Batch, q backoffice.GroupQuery[C], _ []string, _ backoffice.Columns,
	answers []*backoffice.Aggregate, _ func(string) int) backoffice.Queued {
	answers[0] = &backoffice.Aggregate{}
	return n.reader.Groups(b, q, answers[0])
}

// All returns the rows with these identifiers, in order, nil for unknown ones.
func (n *Noun[T, C]) All(ctx context.Context, ids []string) ([]T, error) {
	return n.rows.all(ctx, n.of, n.readRows, struct{}{}, ids, n.want(ctx))
}

func (n *Noun[T, C]) One(ctx context.Context, id string) (T, error) {
	return Only(n.All(ctx, []string{id}))
}

// Only returns the one answer to a question about one key.
func Only[T any](answers []T, err error) (one T, _ error) {
	if err != nil {
		return one, err
	}
	return answers[0], nil
}

// Pages answers one question about each of the parents, in order.
func (n *Noun[T, C]) Pages(ctx context.Context, ask backoffice.ListQuery[C],
	parents []string) ([]backoffice.Page[T], error) {
	return n.pages.all(ctx, n.of, n.readPages, ask, parents, n.want(ctx))
}

// Counts returns the total of each parent's list, in order.
func (n *Noun[T, C]) Counts(ctx context.Context, under backoffice.Parent, criteria C, parents []string) ([]int, error) {
	return n.counts.all(ctx, n.of, n.readCounts, counted[C]{under, criteria}, parents, 0)
}

func (n *Noun[T, C]) Groups(ctx context.Context, q backoffice.GroupQuery[C]) (*backoffice.Aggregate, error) {
	return Only(n.groups.all(ctx, n.of, n.readGroups, q, []string{backoffice.NoParent}, 0))
}

func (n *Noun[T, C]) want(ctx context.Context) backoffice.Columns {
	if fields, ok := ctx.Value(fieldsKey{}).(*Fields); ok {
		return fields.columns(n.noun, n.reader.Columns)
	}
	return 0
}

func (n *Noun[T, C]) forget() {
	n.rows.known, n.pages.known, n.counts.known, n.groups.known = nil, nil, nil, nil
}

// StatusCounts loads how many transcripts of a list have each status.
type StatusCounts struct {
	of     *Loaders
	reader backoffice.TranscriptReader
	loader loader[counted[backoffice.TranscriptCriteria], []backoffice.TranscriptStatusCount]
}

func (s *StatusCounts) All(ctx context.Context, under backoffice.Parent, criteria backoffice.TranscriptCriteria,
	parents []string) ([][]backoffice.TranscriptStatusCount, error) {
	return s.loader.all(ctx, s.of, s.read, counted[backoffice.TranscriptCriteria]{under, criteria}, parents, 0)
}

func (s *StatusCounts) read(b *backoffice.Batch, c counted[backoffice.TranscriptCriteria], parents []string,
	_ backoffice.Columns, counts [][]backoffice.TranscriptStatusCount, _ func(string) int) backoffice.Queued {
	return s.reader.StatusCounts(b, c.under, c.criteria, parents, counts)
}

type Nouns struct {
	of     *Loaders
	reader backoffice.NounReader
	loader loader[struct{}, backoffice.Noun]
}

// All returns the noun of each identifier, in order, "" for unknown ones. Reads follow: their batch is never the last.
func (n *Nouns) All(ctx context.Context, ids []string) ([]backoffice.Noun, error) {
	n.of.ExpectMore()
	return n.loader.all(ctx, n.of, n.read, struct{}{}, ids, 0)
}

func (n *Nouns) read(b *backoffice.Batch, _ struct{}, ids []string, _ backoffice.Columns, nouns []backoffice.Noun,
	_ func(string) int) backoffice.Queued {
	return n.reader.Nouns(b, ids, nouns)
}
