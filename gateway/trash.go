package gateway

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes"
)

type TrashSettings struct {
	Keep TrashTime `name:"trash" default:"0s" env:"BACKOFFICE_TRASH" placeholder:"TIME" help:"How long a deleted customer or relation can be restored (backoffice trash), such as 30d or 12h; 0 erases immediately (${default})."`
}

type TrashTime time.Duration

func (t TrashTime) String() string { return changes.Age(t).String() }

// UnmarshalText reads a time: 30d, or what time.ParseDuration knows.
func (t *TrashTime) UnmarshalText(text []byte) error {
	if (*changes.Age)(t).UnmarshalText(text) != nil {
		return errors.New("a time must be whole days or a duration, such as 30d, 12h or 90s; 0 keeps nothing")
	}
	return nil
}

// trashPeriod is how often the trash is checked for records whose time is over.
const trashPeriod = time.Minute

// emptyTrash erases what has been in the trash for its time, until ctx ends: also on a server that no longer keeps any.
func emptyTrash(ctx context.Context, service *backoffice.Service, log *slog.Logger) {
	empty := func() {
		switch n, err := service.EmptyDueTrash(ctx); {
		case err != nil && ctx.Err() == nil:
			log.ErrorContext(ctx, "emptying the trash", "kind", backoffice.KindOf(err), "error", err)
		case n > 0:
			log.InfoContext(ctx, "erased expired records from the trash", "deletions", n)
		}
	}
	empty()
	backoffice.Every(ctx, trashPeriod, empty)
}
