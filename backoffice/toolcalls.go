package backoffice

import "context"

// ToolCalls is how often somebody called a tool in a month. It holds nothing of what was asked or answered.
type ToolCalls struct {
	Month       string // YYYY-MM, in UTC
	ClientID    string // PersonID for a person
	ClientName  string
	Tool        string
	Restriction Restriction // of the caller, at the last call
	Calls       int
	LastAt      Instant
}

// ToolCallStore reads from and writes to the primary.
type ToolCallStore interface {
	// CountToolCalls adds to the counts; the other fields are those of the last call.
	CountToolCalls(ctx context.Context, calls []ToolCalls) error
	// ToolCalls returns the counts of a month, by client and tool.
	ToolCalls(ctx context.Context, month string) ([]ToolCalls, error)
}

// ToolUse is a line of the report of what agents saw: counts, and nothing else.
type ToolUse struct {
	ToolCalls
	Customers int // that the caller could see, as of the report
}

// ReportTools reports who called which tool how often in a month, and how many customers they may see.
func ReportTools(ctx context.Context, store Store, month string) ([]ToolUse, error) {
	calls, err := store.ToolCalls(ctx, month)
	if err != nil {
		return nil, err
	}
	visible, report := map[Restriction]int{}, make([]ToolUse, len(calls))
	for i, c := range calls {
		n, known := visible[c.Restriction]
		if !known {
			seen := WithRestriction(ctx, c.Restriction)
			if n, err = CountAll(seen, store.CustomersWithoutNumbers(), CustomerCriteria{}); err != nil {
				return nil, err
			}
			visible[c.Restriction] = n
		}
		report[i] = ToolUse{ToolCalls: c, Customers: n}
	}
	return report, nil
}
