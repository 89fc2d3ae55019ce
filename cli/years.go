package cli

import (
	"bufio"
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
	Year           string `arg:"" name:"yyyy" help:"The year to start, the one after the current one."`
	Yes            bool   `help:"Do not ask. Nobody is asked either where standard input is no terminal."`
	Force          bool   `help:"Start a later year too that is not the one after the current one."`
	WithChecklists bool   `name:"with-checklists" help:"Bring the checklists of the current year over, as new ones of the same name, language and settings."`
}

func (c *yearsStartCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	if !c.Yes && term.IsTerminal(int(os.Stdin.Fd())) {
		question := "Archive the current financial year, whose checklists and transcripts then take no more writes, " +
			"and start " + backoffice.ShownName(c.Year) + "?"
		if err := confirm(os.Stdin, t.err, question); err != nil {
			return err
		}
	}
	start := backoffice.YearStart{Year: c.Year, Skip: c.Force, WithChecklists: c.WithChecklists}
	started, err := b.Service().StartYear(ctx, start)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.out, "The financial year %s is current: %s\n", started.Year.StartDate, started.Year.ID)
	if err != nil || !c.WithChecklists {
		return err
	}
	return printed(fmt.Fprintf(t.out, "Checklists that came over: %d\n", len(started.Checklists)))
}

// confirm asks a question and fails unless the answer is yes.
func confirm(in io.Reader, out io.Writer, question string) error {
	fmt.Fprintf(out, "%s [y/N] ", question)
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("the answer cannot be read: %w", err)
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
	ids := backoffice.Mapped(years, (*backoffice.FinancialYear).Identity)
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
		state := "archived"
		if year.IsCurrentYear {
			state = "current"
		}
		return []any{year.StartDate, year.EndDate, state, checklists[year.ID], transcripts[year.ID],
			moment(year.ArchivedAt), year.ID}
	})
}
