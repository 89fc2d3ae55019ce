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
	Keep TrashTime `name:"trash" default:"0s" env:"BACKOFFICE_TRASH" placeholder:"TIME" help:"For how long a customer or relation that a caller deletes can be brought back (backoffice trash), such as 30d or 12h; 0 erases at once (${default})."`
}

type TrashTime time.Duration

func (t TrashTime) String() string { return changes.Age(t).String() }

// UnmarshalText reads a time: 30d, or what time.ParseDuration knows.
func (t *TrashTime) UnmarshalText(text []byte) error {
	if (*changes.Age)(t).UnmarshalText(text) != nil {
		return errors.New("a time is a whole number of days or a duration, such as 30d, 12h or 90s; 0 keeps nothing")
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
			log.InfoContext(ctx, "emptied the trash of what was deleted long enough ago", "deletions", n)
		}
	}
	empty()
	backoffice.Every(ctx, trashPeriod, empty)
}
