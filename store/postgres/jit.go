package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// neverCompiled prepares a new connection that is this program's alone, as one through a pooler may not be. What restricted pairs ask is
// dear by PostgreSQL's reckoning and quick in fact: compiled, the change feed of a pair with three alternatives was 14,000 functions and 9 seconds,
// in which PostgreSQL can't be told to stop.
func neverCompiled(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "SET jit = off"); err != nil {
		return err
	}
	return registerTexts(ctx, conn)
}
