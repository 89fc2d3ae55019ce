package forecast

import (
	"context"
	"slices"

	"example.org/backoffice/backoffice"
)

// reader imagines rows of a noun.
type reader[T any, C comparable] struct {
	backoffice.Reader[T, C] // the real one, which tells what serves a field
	world                   *world
	imagine                 func(w *world, id string) T
}

// Send implements backoffice.Sender.
func (r reader[T, C]) Send(ctx context.Context, b *backoffice.Batch) error {
	return r.world.Send(ctx, b)
}

// Find implements backoffice.Reader: what can be an identifier is one.
func (r reader[T, C]) Find(b *backoffice.Batch, ids []string, _ backoffice.Columns, found func(T)) backoffice.Queued {
	if !slices.ContainsFunc(ids, backoffice.IsID) {
		return queue(b, nil)
	}
	return queue(b, func() {
		for _, id := range ids {
			if backoffice.IsID(id) && r.world.room(1) {
				found(r.imagine(r.world, id))
			}
		}
	})
}

// Lists implements backoffice.Reader: each list has one row, and a page ends with it.
func (r reader[T, C]) Lists(b *backoffice.Batch, list backoffice.ListQuery[C], _ []string, _ backoffice.Columns, into []backoffice.Page[T]) backoffice.Queued {
	w := r.world
	return queue(b, func() {
		window := list.Window
		w.numbered = w.numbered || window.Offset > 0
		switch {
		case window.Limit == 0 && !window.HasAfter && !window.HasBefore:
			w.looks++
		case window.Limit > 0 && !(w.behind && window.Offset > 0):
			for i := range into {
				if w.room(1) {
					into[i].Items = []T{r.imagine(w, w.newID())}
				}
			}
		}
	})
}

// Counts implements backoffice.Reader.
func (r reader[T, C]) Counts(b *backoffice.Batch, _ backoffice.Parent, _ C, _ []string, into []int) backoffice.Queued {
	return queue(b, func() {
		for i := range into {
			into[i] = 1
		}
	})
}

// Groups implements backoffice.Reader.
func (r reader[T, C]) Groups(b *backoffice.Batch, _ backoffice.GroupQuery[C], _ *backoffice.Aggregate) backoffice.Queued {
	return queue(b, func() {})
}

type transcriptReader struct {
	reader[*backoffice.Transcript, backoffice.TranscriptCriteria]
}

// StatusCounts implements backoffice.TranscriptReader.
func (r transcriptReader) StatusCounts(b *backoffice.Batch, _ backoffice.Parent, _ backoffice.TranscriptCriteria, _ []string, _ [][]backoffice.TranscriptStatusCount) backoffice.Queued {
	return queue(b, func() {})
}
