package cli

import (
	"context"
	"fmt"
)

// changesCommand shows the change log.
type changesCommand struct {
	List changesListCommand `cmd:"" help:"List what was changed, by whom and when; never a value."`
}

type changesListCommand struct {
	formatFlag
	After int64 `placeholder:"NUMBER" help:"Only the entries after this sequence number."`
	Limit int   `placeholder:"COUNT" help:"At most so many entries; 0 for all (${default})." default:"0"`
}

// Validate wants no negative numbers.
func (c *changesListCommand) Validate() error {
	if c.After < 0 || c.Limit < 0 {
		return fmt.Errorf("--after and --limit are 0 or more")
	}
	return nil
}

// Run lists the log in its order.
func (c *changesListCommand) Run(ctx context.Context, s *settings, t terminal) error {
	store, err := s.OpenRecords(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	list := c.open(t.out, "sequence", "at", "clientId", "action", "noun", "objectId", "fields")
	for after, left := c.After, c.Limit; ; {
		size := listPage
		if c.Limit > 0 {
			size = min(size, left)
		}
		if size == 0 {
			return list.close()
		}
		page, err := store.Changes(ctx, after, size)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			return list.close()
		}
		left -= len(page)
		for _, change := range page {
			after = change.Sequence
			if err := list.add(change.Sequence, moment(change.At), change.ClientID, change.Action, string(change.Noun), change.ObjectID, change.Fields); err != nil {
				return err
			}
		}
	}
}
