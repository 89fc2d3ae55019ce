package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// neverCompiled prepares a new connection of this program's own, which one through a pooler may not be. PostgreSQL
// overestimates the cost of restricted queries, which are quick: compiled, the change feed of a credential with three
// alternatives was 14,000 functions and 9 seconds, during which PostgreSQL can't be interrupted.
func neverCompiled(ctx context.Context, conn *pgx.Conn) error {
	// Older servers do not have it; the version check reports those.
	const text = "SELECT set_config('jit', 'off', false) FROM pg_settings WHERE name = 'jit'"
	if _, err := conn.Exec(ctx, text); err != nil {
		return err
	}
	return registerTexts(ctx, conn)
}
