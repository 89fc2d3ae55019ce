package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/graphql/trusted"
)

// manifestFlags are a manifest that a client's tool wrote, and the limits of its documents.
type manifestFlags struct {
	Path   string          `arg:"" predictor:"path" help:"An Apollo manifest, a Relay or GraphQL Code Generator map (.json), a GraphQL file, or a folder of these."`
	Limits limits.Settings `embed:"" prefix:"limit-" envprefix:"BACKOFFICE_LIMIT_" group:"Limits of a GraphQL request, as on the servers:"`
}

func (f *manifestFlags) read() ([]*backoffice.TrustedDocument, error) {
	documents, err := trusted.Read(f.Path)
	if err != nil {
		return nil, err
	}
	checked, err := trusted.Check(gateway.NewDocumentChecker(f.Limits), documents)
	if problems := trusted.Problems(nil); errors.As(err, &problems) {
		return nil, fmt.Errorf("%d problems:\n%w", len(problems), problems)
	}
	return checked, err
}

type documentsTrustCommand struct {
	manifestFlags
	Set           string `required:"" placeholder:"NAME" help:"The name of the set of documents, such as the client that sends them. The manifest replaces the set."`
	AllowRemovals *int   `placeholder:"N" help:"Remove up to N documents that are no longer in the manifest. Without it they stay, for older clients."`
	Tool          string `placeholder:"NAME" help:"Make a query a tool of agents: the operation with this name, or the only one. Existing tools stay tools until their text changes."`
	Description   string `placeholder:"TEXT" help:"The tool's description for agents (the one in the document)."`
	WithNumbers   bool   `help:"Let the tool disclose registration numbers, to callers with privacy.read."`
}

func (c *documentsTrustCommand) Validate() error {
	if c.AllowRemovals != nil && *c.AllowRemovals < 0 {
		return errors.New("--allow-removals is 0 or more")
	}
	if err := backoffice.CheckSetName(c.Set); err != nil {
		return fmt.Errorf("--set: %w", err)
	}
	if c.Tool == "" && (c.Description != "" || c.WithNumbers) {
		return errors.New("--description and --with-numbers need --tool")
	}
	return nil
}

func (c *documentsTrustCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	documents, err := c.read()
	if err != nil {
		return err
	}
	now := backoffice.InstantOf(time.Now())
	act := backoffice.Trusting{Set: c.Set, Documents: documents, Removals: c.AllowRemovals, Now: now}
	if c.Tool != "" {
		act.Mark = &backoffice.Tool{Name: c.Tool, About: c.Description, Numbers: c.WithNumbers}
	}
	done, err := act.Trust(ctx, store)
	if err != nil {
		return err
	}
	return printed(fmt.Fprintf(t.out, "%s trusted as %s: %d new, %d unchanged, %d missing but kept, %d removed.\n",
		backoffice.Plural(len(documents), "document", "documents"),
		c.Set, done.Added, done.Same, done.Retired, done.Removed))
}

type documentsCheckCommand struct{ manifestFlags }

// Run checks the documents against the schema of this program; no store is needed.
func (c *documentsCheckCommand) Run(t terminal) error {
	documents, err := c.read()
	if err != nil {
		return err
	}
	return printed(fmt.Fprintf(t.out, "Valid: %s.\n", backoffice.Plural(len(documents), "document", "documents")))
}

type documentsListCommand struct {
	formatFlag
	Set string `placeholder:"NAME" help:"Only documents of this set."`
}

func (c *documentsListCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	documents, err := store.TrustedDocuments(ctx, backoffice.TrustedQuery{})
	if err != nil {
		return err
	}
	columns := []string{"id", "set", "name", "kind", "title", "cost", "scopes", "aliases",
		"createdAt", "retiredAt", "clientId", "tool"}
	if c.Set != "" {
		documents = slices.DeleteFunc(documents, func(d *backoffice.TrustedDocument) bool { return d.Set != c.Set })
	}
	return listAll(c.formatFlag, t.out, columns, documents, func(d *backoffice.TrustedDocument) []any {
		return []any{d.ID, d.Set, d.Name, d.Kind, d.Title, orNil(d.Cost), backoffice.NamesOf(d.Scopes), d.Aliases,
			given(d.CreatedAt), given(d.RetiredAt), d.ClientID, d.Tool.Name}
	})
}

type documentsRemoveCommand struct {
	ID  string `arg:"" optional:"" help:"The document's identifier: sha256:…, or one from its manifest."`
	Set string `placeholder:"NAME" help:"Remove all documents of this set."`
}

func (c *documentsRemoveCommand) Validate() error {
	if (c.ID == "") == (c.Set == "") {
		return errors.New("pass either an identifier or --set")
	}
	return nil
}

func (c *documentsRemoveCommand) Run(ctx context.Context, store backoffice.Store, t terminal) (err error) {
	var n int
	now := backoffice.InstantOf(time.Now())
	if c.Set != "" {
		n, err = backoffice.RemoveTrustedSet(ctx, store, c.Set, now)
	} else {
		n, err = backoffice.RemoveTrusted(ctx, store, c.ID, now)
	}
	if err != nil {
		return orUnknown(err, "there is no such trusted document: run backoffice documents list")
	}
	return printed(fmt.Fprintf(t.out, "Removed: %d. Servers reject requests for them within 5 seconds.\n", n))
}
