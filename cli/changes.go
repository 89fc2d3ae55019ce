package cli

import (
	"cmp"
	"context"
	"errors"
	"math"

	"example.org/backoffice/backoffice"
)

type changesCommand struct {
	List changesListCommand `cmd:"" help:"List what was changed, by whom and when, without values."`
}

type changesListCommand struct {
	formatFlag
	Administration bool  `help:"Only commands that administrators ran, with their operating-system user and host."`
	After          int64 `placeholder:"NUMBER" help:"Only entries after this sequence number."`
	Limit          int   `placeholder:"COUNT" help:"Maximum number of entries; 0 for all (${default})." default:"0"`
}

func (c *changesListCommand) Validate() error {
	if c.After < 0 || c.Limit < 0 {
		return errors.New("--after and --limit must be 0 or more")
	}
	return nil
}

func (c *changesListCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	columns := []string{"sequence", "at", "clientId", "action", "noun", "objectId", "fields",
		"issuer", "subject", "operator"}
	read := store.Changes
	if c.Administration {
		read = store.Administration
	}
	return c.list(t.out, columns, func(add adder) error {
		left := cmp.Or(c.Limit, math.MaxInt)
		for after := c.After; left > 0; {
			page, err := read(ctx, after, min(listPage, left))
			if err != nil || len(page) == 0 {
				return err
			}
			left -= len(page)
			for _, change := range page {
				after = change.Sequence
				if err := add(change.Sequence, given(change.At), change.ClientID, change.Action,
					string(change.Noun), change.ObjectID, change.Fields,
					given(change.Issuer), given(change.Subject), given(change.Operator)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
