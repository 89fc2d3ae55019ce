package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
)

type yearsCommand struct {
	Start yearsStartCommand `cmd:"" help:"Archive the current financial year and start the next."`
	List  yearsListCommand  `cmd:"" help:"List the financial years."`
}

type yearsStartCommand struct {
	Year           string `arg:"" name:"yyyy" help:"The year to start: the one after the current one."`
	Yes            bool   `help:"Do not ask for confirmation. A script without a terminal is never asked."`
	Force          bool   `help:"Start a later year than the one after the current one."`
	WithChecklists bool   `name:"with-checklists" help:"Copy the checklists of the current year, with their names, languages and settings."`
	RollForward    bool   `help:"Also assign them to the customers that had them. A second run assigns what is missing."`
	DryRun         bool   `help:"With --roll-forward: write nothing, and list what would be assigned."`
	formatFlag     `embed:""`
}

// Validate rejects a dry run without anything to list.
func (c *yearsStartCommand) Validate() error {
	if c.DryRun && !c.RollForward {
		return errors.New("--dry-run needs --roll-forward")
	}
	return nil
}

func (c *yearsStartCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	if !c.DryRun && !c.Yes && term.IsTerminal(int(os.Stdin.Fd())) {
		question := "Archive the current financial year, which makes its checklists and transcripts read-only, " +
			"and start " + backoffice.ShownName(c.Year) + "?"
		if err := confirm(os.Stdin, t.err, question); err != nil {
			return err
		}
	}
	start := backoffice.YearStart{Year: c.Year, Skip: c.Force, WithChecklists: c.WithChecklists}
	if c.RollForward {
		return c.rollForward(ctx, b, t, start)
	}
	started, err := b.Service().StartYear(ctx, start)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.out, "The financial year %s is current: %s\n", started.Year.StartDate, started.Year.ID)
	if err != nil || !c.WithChecklists {
		return err
	}
	return printed(fmt.Fprintf(t.out, "Checklists copied: %d\n", len(started.Checklists)))
}

// rollForward starts the year and assigns its checklists, or lists what it would assign.
func (c *yearsStartCommand) rollForward(
	ctx context.Context, b *gateway.Backend, t terminal, start backoffice.YearStart,
) error {
	if c.DryRun {
		columns := []string{"checklist", "language", "customer", "customerId"}
		return c.list(t.out, columns, func(add adder) error {
			_, err := b.Service().DryRun().RollForward(ctx, operator, start, func(r *backoffice.RolledForward) error {
				return proposed(ctx, b.Store, r, t, add)
			})
			return err
		})
	}
	assigned, already := 0, 0
	year, err := b.Service().RollForward(ctx, operator, start, func(r *backoffice.RolledForward) error {
		assigned, already = assigned+len(r.CustomerIDs), already+r.Already
		warnUnmatched(t, r)
		return nil
	})
	if year == nil {
		return err
	}
	_, wrong := fmt.Fprintf(t.out, "The financial year %s is current: %s\nAssigned: %d\nAlready assigned: %d\n",
		year.StartDate, year.ID, assigned, already)
	return cmp.Or(err, wrong)
}

func proposed(ctx context.Context, store backoffice.Store, r *backoffice.RolledForward, t terminal, add adder) error {
	warnUnmatched(t, r)
	rows := store.Customers()
	found, err := backoffice.ReadByID(ctx, rows, r.CustomerIDs, rows.Columns([]string{"displayName"}))
	for _, id := range r.CustomerIDs {
		if c := found[id]; c != nil && err == nil {
			err = add(r.To.Name, r.To.Language, c.DisplayName, id)
		}
	}
	return err
}

func warnUnmatched(t terminal, r *backoffice.RolledForward) {
	if r.To == nil {
		const why = "not assigned: no checklist, or more than one, matches %q (%s)\n"
		fmt.Fprintf(t.err, why, r.From.Name, r.From.Language)
	}
}

// confirm asks a question and fails unless the answer is yes.
func confirm(in io.Reader, out io.Writer, question string) error {
	fmt.Fprintf(out, "%s [y/N] ", question)
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("cannot read the answer: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errors.New("nothing was done")
}

type yearsListCommand struct{ formatFlag }

func (c *yearsListCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	years, err := backoffice.Years(ctx, store)
	if err != nil {
		return err
	}
	ids := backoffice.Map(years, (*backoffice.FinancialYear).Identity)
	const of = backoffice.OfFinancialYear
	checklists, err := backoffice.ReadCounts(ctx, store.Checklists(), of, backoffice.ChecklistCriteria{}, ids)
	if err != nil {
		return err
	}
	transcripts, err := backoffice.ReadCounts(ctx, store.Transcripts(), of, backoffice.TranscriptCriteria{}, ids)
	if err != nil {
		return err
	}
	columns := []string{"startDate", "endDate", "state", "checklists", "transcripts", "archivedAt", "id"}
	return listAll(c.formatFlag, t.out, columns, years, func(year *backoffice.FinancialYear) []any {
		state := map[bool]string{true: "current", false: "archived"}[year.IsCurrentYear]
		return []any{year.StartDate, year.EndDate, state, checklists[year.ID], transcripts[year.ID],
			given(year.ArchivedAt), year.ID}
	})
}
