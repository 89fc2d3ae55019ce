package store

import (
	"context"

	"example.org/backoffice/backoffice"
)

func (s *Store) CountToolCalls(ctx context.Context, calls []backoffice.ToolCalls) error {
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		for _, c := range calls {
			_, err := tx.conn.Exec(ctx, "INSERT /*backoffice:tool_calls.count*/ INTO tool_calls"+
				" (month, client_id, tool, client_name, restriction, calls, last_at)"+
				" VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (month, client_id, tool)"+
				" DO UPDATE SET client_name = excluded.client_name, restriction = excluded.restriction,"+
				" calls = tool_calls.calls + excluded.calls, last_at = excluded.last_at",
				[]any{c.Month, c.ClientID, c.Tool, storable(c.ClientName), c.Restriction.String(), int64(c.Calls),
					c.LastAt.Milliseconds()})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) ToolCalls(ctx context.Context, month string) (found []backoffice.ToolCalls, err error) {
	const text = "SELECT /*backoffice:tool_calls.list*/ month, client_id, tool, client_name, restriction, calls," +
		" last_at FROM tool_calls WHERE month = $1 ORDER BY client_id, tool"
	err = s.primary().Query(ctx, text, []any{storable(month)}, func(row *Row) (err error) {
		c := backoffice.ToolCalls{Month: row.Text(0), ClientID: row.Text(1), Tool: row.Text(2), ClientName: row.Text(3),
			Calls: int(row.Int(5)), LastAt: row.Instant(6)}
		c.Restriction, err = backoffice.ParseRestriction(row.Text(4))
		found = append(found, c)
		return err
	})
	return found, err
}
