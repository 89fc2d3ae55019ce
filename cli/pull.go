package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/importexport"
	"example.org/backoffice/importexport/mirror"
	"example.org/backoffice/privacy"
)

type pullCommand struct {
	originFlags    `embed:""`
	Watch          time.Duration `placeholder:"TIME" help:"Pull again at this interval, 1s or more, until stopped."`
	AllowDeletions int           `placeholder:"COUNT" help:"Delete up to COUNT records of a noun that are gone there, even if that is more than 2 %."`
	Repair         []string      `placeholder:"FIELD,…" help:"If one of these fields is invalid, load the record without it."`
	Rejects        string        `placeholder:"FOLDER" predictor:"path" help:"Write records that cannot be loaded to this folder, as import does, with the reasons in reasons.csv."`
	Budget         int           `placeholder:"COUNT" help:"Maximum requests per hour; 0 for no limit (${default})." default:"0"`

	RegistrationNumbers bool   `help:"Pull registration numbers, which needs privacy.read there. The register there records each answer with one."`
	Purpose             string `placeholder:"TEXT" help:"Why registration numbers are read, for the register there."`

	Release bool `help:"Stop mirroring: the store is independent from then on, and accepts writes."`
}

// Validate checks combinations of flags, and reads the secret.
func (c *pullCommand) Validate() error {
	switch {
	case c.Release:
		return nil
	case c.From == "" || c.ClientID == "":
		return errors.New("pass --from and --client-id of the backoffice to mirror, or --release")
	case c.Watch != 0 && c.Watch < time.Second:
		return errors.New("--watch must be 1s or more")
	case c.AllowDeletions < 0 || c.Budget < 0:
		return errors.New("--allow-deletions and --budget must be 0 or more")
	case c.RegistrationNumbers && c.Purpose == "":
		return errors.New("--registration-numbers needs --purpose")
	case !c.RegistrationNumbers && c.Purpose != "":
		return errors.New("--purpose needs --registration-numbers")
	}
	if c.RegistrationNumbers {
		purpose, err := privacy.ParsePurpose(c.Purpose)
		if err != nil {
			return fmt.Errorf("--purpose: %w", err)
		}
		c.Purpose = purpose
	}
	return c.readSecret()
}

func (c *pullCommand) Run(ctx context.Context, s *settings, t terminal) error {
	if c.Release {
		return c.release(ctx, s, t)
	}
	h, err := s.Open(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	bar := newProgress(t.err, true)
	pull := c.pull(h)
	if c.Rejects != "" {
		if pull.Rejects, err = importexport.NewRejects(c.Rejects); err != nil {
			return err
		}
		defer func() { _ = pull.Rejects.Close() }()
	}
	pull.Progress = func(noun backoffice.Noun, done, total int) { bar.at(string(noun), int64(done), int64(total)) }
	pull.Waiting = func(r importexport.Running) {
		fmt.Fprintf(t.err, "an import is running (%s); the pull starts when it ends\n", r)
	}
	for {
		began := time.Now()
		report, err := pull.Once(ctx)
		bar.end()
		if ctx.Err() != nil && c.Watch > 0 {
			return nil
		}
		c.print(report, t)
		if c.Rejects != "" {
			err = errors.Join(err, report.WriteRejects(pull.Rejects))
		}
		if err == nil && (report.Incomplete() || report.Rejected() > 0) {
			incomplete := 0
			for i := range report.Nouns {
				if report.Nouns[i].Incomplete != "" {
					incomplete++
				}
			}
			err = partial(fmt.Sprintf("nouns that were not read completely: %d; records that could not be loaded: %d",
				incomplete, report.Rejected()))
		}
		if c.Watch == 0 || backoffice.KindOf(err) == backoffice.BadInput { // another attempt would fail too
			compactErased(ctx, h, t)
			return err
		}
		if err != nil {
			fmt.Fprintf(t.err, "backoffice: %s\n", explain(err))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Until(began.Add(c.Watch))):
		}
	}
}

func (c *pullCommand) pull(b *gateway.Backend) *mirror.Pull {
	pull := c.of(b)
	pull.Repair, pull.AllowDeletions, pull.PerHour = c.Repair, c.AllowDeletions, c.Budget
	if c.RegistrationNumbers {
		pull.Purpose = &c.Purpose
	}
	return pull
}

func (c *pullCommand) print(report *mirror.Report, t terminal) {
	for i := range report.Nouns {
		n := &report.Nouns[i]
		fmt.Fprintln(t.out, n)
		for _, reason := range n.Loaded.Reasons {
			fmt.Fprintf(t.out, "  %d rejected: %s\n", reason.Lines, reason.Fault)
		}
		for _, rejected := range n.Rejected[:min(len(n.Rejected), importexport.MaxBadLines)] {
			for _, fault := range rejected.Faults {
				fmt.Fprintf(t.err, "%s: rejected: %s: %s\n", n.Noun, rejected.Record, fault)
			}
		}
		for _, left := range n.LeftOut {
			fmt.Fprintf(t.err, "%s: left out: %s\n", n.Noun, left)
		}
		if n.Incomplete != "" {
			fmt.Fprintf(t.err, "%s: incomplete, so nothing is deleted: %s\n", n.Noun, n.Incomplete)
		}
	}
	fmt.Fprintf(t.out, "requests: %d\n", report.Requests)
}

func (c *pullCommand) release(ctx context.Context, s *settings, t terminal) error {
	b, err := s.OpenExisting(ctx)
	if err != nil {
		return err
	}
	defer b.Close()
	was, err := mirror.Release(ctx, b.Store)
	switch {
	case err != nil:
		return err
	case was == nil:
		fmt.Fprintln(t.out, "the store is not a mirror")
	default:
		fmt.Fprintf(t.out, "the store, the mirror of %s since %s, is independent now\n",
			was.Origin, given(was.Since))
	}
	return nil
}
