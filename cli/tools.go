package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.org/backoffice/backoffice"
)

type toolsCommand struct {
	List   toolsListCommand   `cmd:"" help:"List the trusted documents that agents can call. To add one, run documents trust --tool."`
	Remove toolsRemoveCommand `cmd:"" help:"Remove a tool. Its document stays trusted."`
	Report toolsReportCommand `cmd:"" help:"Report a month's calls by credential and tool, and how many customers each credential can see."`
}

type toolsListCommand struct{ formatFlag }

func (c *toolsListCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	tools, err := store.TrustedDocuments(ctx, backoffice.TrustedQuery{Tools: true})
	if err != nil {
		return err
	}
	columns := []string{"tool", "set", "document", "scopes", "numbers", "description"}
	return listAll(c.formatFlag, t.out, columns, tools, func(d *backoffice.TrustedDocument) []any {
		numbers := map[bool]string{true: "disclosed", false: "withheld"}[d.Tool.Numbers]
		return []any{d.Tool.Name, d.Set, d.ID, backoffice.NamesOf(d.Scopes), numbers, d.Tool.About}
	})
}

type toolsRemoveCommand struct {
	Name string `arg:"" help:"The tool's name."`
}

func (c *toolsRemoveCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	err := backoffice.RemoveTool(ctx, store, c.Name, backoffice.InstantOf(time.Now()))
	if err != nil {
		return orUnknown(err, "no tool has this name: run backoffice tools list")
	}
	return printed(fmt.Fprintln(t.out, "Removed. Servers stop running it within 5 seconds."))
}

type toolsReportCommand struct {
	formatFlag
	Month string `placeholder:"YYYY-MM" help:"The month, in UTC (the last complete one)."`
}

func (c *toolsReportCommand) Validate() error {
	if _, err := time.Parse(backoffice.MonthLayout, c.Month); err != nil && c.Month != "" {
		return errors.New("--month must be a month such as 2026-06")
	}
	return nil
}

func (c *toolsReportCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	month := c.Month
	if now := time.Now().UTC(); month == "" {
		month = time.Date(now.Year(), now.Month()-1, 1, 0, 0, 0, 0, time.UTC).Format(backoffice.MonthLayout)
	}
	report, err := backoffice.ReportTools(ctx, store, month)
	if err != nil {
		return err
	}
	columns := []string{"clientId", "clientName", "tool", "calls", "lastCallAt", "customersVisible"}
	return listAll(c.formatFlag, t.out, columns, report, func(u backoffice.ToolUse) []any {
		return []any{u.ClientID, u.ClientName, u.Tool, u.Calls, given(u.LastAt), u.Customers}
	})
}
