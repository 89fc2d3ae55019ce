package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

type lifeFlags struct {
	Expires  string `placeholder:"DATE" xor:"end" help:"When the pair ends: 2027-01-31 (the start of that day, UTC) or 2027-01-31T12:00:00Z. Without it, 365 days from now."`
	NoExpiry bool   `xor:"end" help:"The pair does not end until it is revoked."`
}

// end is the instant when the pair ends, zero for never.
func (f *lifeFlags) end(now time.Time) (backoffice.Instant, error) {
	switch {
	case f.NoExpiry:
		return 0, nil
	case f.Expires == "":
		return backoffice.InstantOf(now.Add(backoffice.CredentialLife)), nil
	}
	return parseDate("--expires", f.Expires)
}

// parseDate parses an instant, or a day, which stands for its start in UTC.
func parseDate(flag, text string) (backoffice.Instant, error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return backoffice.InstantOf(day), nil
	}
	at, err := backoffice.ParseInstant(text)
	if err != nil {
		return 0, errors.New(flag + ": a date is written as in 2027-01-31 or 2027-01-31T12:00:00Z")
	}
	return at, nil
}

type credentialsExtendCommand struct {
	ID string `arg:"" help:"The pair's client id."`
	lifeFlags
	expires backoffice.Instant
}

func (c *credentialsExtendCommand) Validate() (err error) {
	c.expires, err = c.end(time.Now())
	return err
}

func (c *credentialsExtendCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	if err := auth.Extend(ctx, store, c.ID, c.expires); err != nil {
		return orUnknown(err, unknownPair)
	}
	return printEnd(t, c.expires)
}

func printEnd(t terminal, at backoffice.Instant) error {
	if at.IsZero() {
		return printed(fmt.Fprintln(t.out, "The pair does not end until it is revoked."))
	}
	return printed(fmt.Fprintf(t.out, "The pair ends at %s; credentials extend gives it another end.\n", at))
}

func dayOf(at backoffice.Instant) any {
	if at.IsZero() {
		return nil
	}
	return at.Time().UTC().Format(time.DateOnly)
}

// warningOf is a warning for the operator, nil for none.
func warningOf(pair *backoffice.Credential, now backoffice.Instant) any {
	days, soon := pair.EndsSoon(now)
	switch {
	case !soon:
		return nil
	case days <= 1:
		return "ends within a day"
	}
	return fmt.Sprintf("ends in %d days", days)
}
