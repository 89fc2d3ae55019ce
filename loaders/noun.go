package loaders

import (
	"context"

	"example.org/backoffice/backoffice"
)

// Noun loads rows, pages and totals of one noun.
type Noun[T backoffice.Entity, C comparable] struct {
	reader backoffice.Reader[T, C]
	index  int // among the nouns, for Fields
	rows   loader[struct{}, T]
	pages  loader[backoffice.Ask[C], backoffice.Page[T]]
	counts loader[counted[C], int]
}

// counted is what totals must share to travel as one statement.
type counted[C comparable] struct {
	under    backoffice.Edge
	criteria C
}

func (n *Noun[T, C]) serve(of *Loaders, index int, reader backoffice.Reader[T, C]) {
	n.reader, n.index = reader, index
	n.rows.of, n.pages.of, n.counts.of = of, of, of
	n.rows.from, n.pages.from, n.counts.from = (*rowsOf[T, C])(n), (*pagesOf[T, C])(n), (*countsOf[T, C])(n)
}

// The sources of a noun's loaders.
type (
	rowsOf[T backoffice.Entity, C comparable]   Noun[T, C]
	pagesOf[T backoffice.Entity, C comparable]  Noun[T, C]
	countsOf[T backoffice.Entity, C comparable] Noun[T, C]
)

func (n *rowsOf[T, C]) fetch(ctx context.Context, _ struct{}, ids []string, want backoffice.Columns, rows []T, at func(string) int) error {
	return n.reader.Find(ctx, ids, want, func(row T) {
		if place := at(row.Identity()); place >= 0 {
			rows[place] = row
		}
	})
}

func (n *pagesOf[T, C]) fetch(ctx context.Context, ask backoffice.Ask[C], parents []string, want backoffice.Columns, pages []backoffice.Page[T], _ func(string) int) error {
	found, err := n.reader.Lists(ctx, ask, parents, want)
	copy(pages, found)
	return err
}

func (n *countsOf[T, C]) fetch(ctx context.Context, c counted[C], parents []string, _ backoffice.Columns, counts []int, _ func(string) int) error {
	found, err := n.reader.Counts(ctx, c.under, c.criteria, parents)
	pick(counts, parents, found)
	return err
}

// pick puts what was found by key in the keys' places.
func pick[V any](answers []V, keys []string, found map[string]V) {
	for i, key := range keys {
		answers[i] = found[key]
	}
}

// All returns the rows with these identifiers, in their order, nil for those that are not there.
func (n *Noun[T, C]) All(ctx context.Context, ids []string) ([]T, error) {
	return n.rows.all(ctx, struct{}{}, ids, n.want(ctx))
}

// One returns the row with the identifier, nil when it is not there.
func (n *Noun[T, C]) One(ctx context.Context, id string) (row T, err error) {
	rows, err := n.All(ctx, []string{id})
	if err != nil {
		return row, err
	}
	return rows[0], nil
}

// Pages answers one question about each of the parents, in their order.
func (n *Noun[T, C]) Pages(ctx context.Context, ask backoffice.Ask[C], parents []string) ([]backoffice.Page[T], error) {
	return n.pages.all(ctx, ask, parents, n.want(ctx))
}

// Counts returns the total of each parent's list, in their order.
func (n *Noun[T, C]) Counts(ctx context.Context, under backoffice.Edge, criteria C, parents []string) ([]int, error) {
	return n.counts.all(ctx, counted[C]{under, criteria}, parents, 0)
}

func (n *Noun[T, C]) want(ctx context.Context) backoffice.Columns {
	if fields, ok := ctx.Value(fieldsKey{}).(*Fields); ok {
		return fields.columns(n.index, n.reader.Columns)
	}
	return 0
}

func (n *Noun[T, C]) forget() {
	n.rows.forget()
	n.pages.forget()
	n.counts.forget()
}

// StatusCounts loads how many transcripts of a list have each status.
type StatusCounts struct {
	loader loader[counted[backoffice.TranscriptCriteria], []backoffice.TranscriptStatusCount]
}

func (s *StatusCounts) serve(of *Loaders, reader backoffice.TranscriptReader) {
	s.loader.of, s.loader.from = of, statusCountsOf{reader}
}

type statusCountsOf struct{ backoffice.TranscriptReader }

func (s statusCountsOf) fetch(ctx context.Context, c counted[backoffice.TranscriptCriteria], parents []string, _ backoffice.Columns, counts [][]backoffice.TranscriptStatusCount, _ func(string) int) error {
	found, err := s.StatusCounts(ctx, c.under, c.criteria, parents)
	pick(counts, parents, found)
	return err
}

// All returns the counts of each parent's list, in their order.
func (s *StatusCounts) All(ctx context.Context, under backoffice.Edge, criteria backoffice.TranscriptCriteria, parents []string) ([][]backoffice.TranscriptStatusCount, error) {
	return s.loader.all(ctx, counted[backoffice.TranscriptCriteria]{under, criteria}, parents, 0)
}

// Nouns loads of which noun identifiers are.
type Nouns struct {
	loader loader[struct{}, backoffice.Noun]
}

func (n *Nouns) serve(of *Loaders, reader backoffice.Reads) {
	n.loader.of, n.loader.from = of, nounsOf{reader}
}

type nounsOf struct{ backoffice.Reads }

func (n nounsOf) fetch(ctx context.Context, _ struct{}, ids []string, _ backoffice.Columns, nouns []backoffice.Noun, _ func(string) int) error {
	found, err := n.NounsOf(ctx, ids)
	pick(nouns, ids, found)
	return err
}

// All returns the noun of each identifier, in their order, "" for unknown ones.
func (n *Nouns) All(ctx context.Context, ids []string) ([]backoffice.Noun, error) {
	return n.loader.all(ctx, struct{}{}, ids, 0)
}
