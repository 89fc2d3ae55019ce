package changes

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
)

// Age is for how long entries of the change log are kept; 0 is for good.
type Age time.Duration

var errAge = errors.New("a time must be whole days or a duration, such as 400d, 12h or 90s; 0 keeps all")

func (a Age) String() string {
	const day = Age(24 * time.Hour)
	if a != 0 && a%day == 0 {
		return strconv.Itoa(int(a/day)) + "d"
	}
	return time.Duration(a).String()
}

// MarshalText writes what UnmarshalText reads.
func (a Age) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads an age: 400d, or what time.ParseDuration knows.
func (a *Age) UnmarshalText(text []byte) error {
	var age time.Duration
	if days, ok := strings.CutSuffix(string(text), "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > 36500 {
			return errAge
		}
		age = time.Duration(n) * 24 * time.Hour
	} else {
		var err error
		if age, err = time.ParseDuration(string(text)); err != nil || age < 0 {
			return errAge
		}
	}
	*a = Age(age)
	return nil
}

const (
	removedAtOnce = 1000 // entries, in one short transaction
	removeEvery   = 5 * time.Second
)

// Tidy removes expired entries, a few seconds late at most, until ctx ends.
func (f *Feed) Tidy(ctx context.Context) {
	if f.options.Keep == 0 {
		return
	}
	f.remove(ctx)
	backoffice.Every(ctx, removeEvery, func() { f.remove(ctx) })
}

func (f *Feed) remove(ctx context.Context) {
	now, err := f.store.Clock(ctx) // entries have its time
	before := backoffice.InstantOf(now.Time().Add(-time.Duration(f.options.Keep)))
	for more := err == nil; more && ctx.Err() == nil; {
		if more, err = f.store.RemoveChanges(ctx, before, removedAtOnce); err != nil && ctx.Err() == nil {
			f.options.Log.ErrorContext(ctx, "removing old entries of the change log", "cause", backoffice.Cause(err))
		}
	}
}
