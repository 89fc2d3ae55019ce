package loaders

import (
	"context"

	"example.org/backoffice/backoffice"
)

type Changes struct {
	of     *Loaders
	reader backoffice.ChangeStore
	loader loader[backoffice.ChangeQuery, *backoffice.ChangePage]
}

func (c *Changes) Page(ctx context.Context, q backoffice.ChangeQuery) (*backoffice.ChangePage, error) {
	return Only(c.loader.all(ctx, c.of, c.read, q, []string{backoffice.NoParent}, 0))
}

// Before returns the position of the changes that became visible at an instant or later.
func (c *Changes) Before(ctx context.Context, at backoffice.Instant) (int64, error) {
	return c.reader.ChangesBefore(ctx, at)
}

func (c *Changes) read(b *backoffice.Batch, q backoffice.ChangeQuery, _ []string, _ backoffice.Columns,
	pages []*backoffice.ChangePage, _ func(string) int) backoffice.Queued {
	pages[0] = &backoffice.ChangePage{}
	return c.reader.ReadChanges(b, q, pages[0])
}
