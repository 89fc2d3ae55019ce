package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// neverCompiled prepares a new connection that is this program's alone, as one through a pooler may not be. What
// restricted pairs ask is dear by PostgreSQL's reckoning and quick in fact: compiled, the change feed of a pair with
// three alternatives was 14,000 functions and 9 seconds, in which PostgreSQL can't be told to stop.
func neverCompiled(ctx context.Context, conn *pgx.Conn) error {
	const text = "SELECT set_config('jit', 'off', false) FROM pg_settings WHERE name = 'jit'" // a server that is too old to have it is told so elsewhere
	if _, err := conn.Exec(ctx, text); err != nil {
		return err
	}
	return registerTexts(ctx, conn)
}
