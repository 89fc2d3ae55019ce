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
	Expires  string `placeholder:"DATE" xor:"end" help:"When the credential expires: 2027-01-31 (00:00 UTC) or 2027-01-31T12:00:00Z. Without it, 365 days from now."`
	NoExpiry bool   `xor:"end" help:"The credential never expires."`
}

// expiry is the instant when the credential expires, zero for never.
func (f *lifeFlags) expiry(now time.Time) (backoffice.Instant, error) {
	switch {
	case f.NoExpiry:
		return 0, nil
	case f.Expires == "":
		return backoffice.InstantOf(now.Add(backoffice.CredentialLife)), nil
	}
	return parseDate("--expires", f.Expires)
}

// parseDate parses an instant, or a day, which is its start in UTC.
func parseDate(flag, text string) (backoffice.Instant, error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return backoffice.InstantOf(day), nil
	}
	at, err := backoffice.ParseInstant(text)
	if err != nil {
		return 0, errors.New(flag + " must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z")
	}
	return at, nil
}

type credentialsExtendCommand struct {
	ID string `arg:"" help:"The credential's client id."`
	lifeFlags
	expires backoffice.Instant
}

func (c *credentialsExtendCommand) Validate() (err error) {
	c.expires, err = c.expiry(time.Now())
	return err
}

func (c *credentialsExtendCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	err := auth.Change(ctx, store, c.ID, func(of *backoffice.Credential, now backoffice.Instant) error {
		return of.Extend(c.expires, now)
	})
	if err != nil {
		return orUnknown(err, unknownCredential)
	}
	return printExpiry(t, c.expires)
}

func printExpiry(t terminal, at backoffice.Instant) error {
	if at.IsZero() {
		return printed(fmt.Fprintln(t.out, "The credential never expires."))
	}
	return printed(fmt.Fprintf(t.out, "The credential expires at %s. To change that, run credentials extend.\n", at))
}

func dayOf(at backoffice.Instant) any {
	if at.IsZero() {
		return nil
	}
	return at.Time().UTC().Format(time.DateOnly)
}

// warningOf is a warning for the operator, nil for none.
func warningOf(credential *backoffice.Credential, now backoffice.Instant) any {
	days, soon := credential.EndsSoon(now)
	switch {
	case !soon:
		return nil
	case days <= 1:
		return "expires within a day"
	}
	return fmt.Sprintf("expires in %d days", days)
}
