package cli

import (
	"cmp"
	"context"
	"fmt"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
)

type documentsCommand struct {
	Generate documentsGenerateCommand `cmd:"" help:"Generate the document of every completed transcript that has none."`

	Trust  documentsTrustCommand  `cmd:"" help:"Trust the query documents of a manifest or folder. Requests send their identifiers."`
	Check  documentsCheckCommand  `cmd:"" help:"Check query documents against the schema, without a store."`
	List   documentsListCommand   `cmd:"" help:"List the trusted documents and the saved queries."`
	Remove documentsRemoveCommand `cmd:"" help:"Stop trusting a document or a set of documents."`
}

type documentsGenerateCommand struct{}

// operator is the principal of commands. In the change log it has no client id.
var operator = &backoffice.Principal{Name: "operator", Scopes: backoffice.AllScopes}

// Run generates the documents one by one. It reports failures and fails at the end; a second run continues it.
func (c *documentsGenerateCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	missing := backoffice.TranscriptCriteria{IsCompleted: backoffice.Yes, DocumentGenerated: backoffice.No}
	all, err := backoffice.CountAll(ctx, b.Store.Transcripts(), missing)
	if err != nil {
		return err
	}
	generated, failed := 0, 0
	bar := newProgress(t.err, false)
	err = b.Service().GenerateMissingDocuments(ctx, operator, func(id string, err error) error {
		if err != nil {
			if ctx.Err() != nil || backoffice.KindOf(err) == backoffice.Unavailable { // the next one would fail too
				return err
			}
			failed++
			bar.end()
			fmt.Fprintf(t.err, "%s: %s\n", id, explain(err))
			return nil
		}
		generated++
		bar.at("documents", int64(generated+failed), int64(max(all, generated+failed)))
		return nil
	})
	bar.end()
	if _, wrong := fmt.Fprintf(t.out, "%d documents generated\n", generated); wrong != nil || err != nil {
		return cmp.Or(err, wrong)
	}
	if failed > 0 {
		return fmt.Errorf("%d documents could not be generated", failed)
	}
	return nil
}
