package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
)

func (calculation) Transcript(ctx context.Context, calculations []*backoffice.Calculation) ([]*backoffice.Transcript, error) {
	return linked(ctx, &loaders.From(ctx).Transcripts, calculations, func(c *backoffice.Calculation) string { return c.TranscriptID })
}
