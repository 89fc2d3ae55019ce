package gateway

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres"
)

// postgresSettings configure a store in PostgreSQL; an embedded one uses none of them.
type postgresSettings struct {
	// Several in the environment are separated by blanks, because a URL with several hosts has commas.
	Replicas    []string `name:"replica" sep:" " env:"BACKOFFICE_REPLICA" placeholder:"URL" help:"A replica of the PostgreSQL store, postgres://…, which serves reads while it is fresh enough. Can be repeated."`
	QueryMode   string   `name:"postgres-query-mode" default:"prepared" enum:"prepared,described,plain" env:"BACKOFFICE_POSTGRES_QUERY_MODE" placeholder:"MODE" help:"How statements are sent: prepared; with PgBouncer in transaction mode, described or plain (${default})."`
	Connections int      `name:"postgres-connections" default:"0" env:"BACKOFFICE_POSTGRES_CONNECTIONS" placeholder:"N" help:"Maximum connections to each PostgreSQL server for callers, of which one caller uses at most half; 0 is 16. Up to 3 more to the primary are for credentials, the register and readiness (${default})."`
}

func (s *postgresSettings) Validate() error {
	if s.Connections < 0 {
		return errors.New("--postgres-connections must be 0 or more")
	}
	return nil
}

func isPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

func (s *postgresSettings) openStore(ctx context.Context, url string, limit time.Duration) (backoffice.Store, error) {
	return postgres.Open(ctx, url, postgres.Options{
		QueryMode: postgres.QueryMode(s.QueryMode), MaxConns: s.Connections,
		StatementTimeout: limit, Replicas: s.Replicas,
	})
}

// Migrate creates the store with its keys, or brings its schema up to date. An embedded store does that whenever it is
// opened. Only Migrate updates PostgreSQL's, since servers of several versions may use it.
func (s *Settings) Migrate(ctx context.Context) error {
	if isPostgres(s.Database) {
		if err := s.migratePostgres(ctx); err != nil {
			return err
		}
	}
	if _, missing := s.missing(); missing {
		b, err := s.Open(ctx) // with its keys and files
		if err != nil {
			return err
		}
		return b.Close()
	}
	store, err := s.OpenRecords(ctx)
	if err != nil {
		return err
	}
	return store.Close()
}

// SchemaVersion is the version of this program's schema: the number of the newest migration, the same for both engines.
func SchemaVersion() int64 { return postgres.SchemaVersion() }

// migratePostgres brings the schema up to date. A database without a schema gets its keys: it has no data under others.
func (s *Settings) migratePostgres(ctx context.Context) error {
	empty, err := postgres.IsEmpty(ctx, s.Database)
	if err != nil {
		return err
	}
	if _, missing := os.Stat(s.Keyset); empty && errors.Is(missing, fs.ErrNotExist) {
		if err := makeFolderOf(s.Keyset); err != nil {
			return err
		}
		file, err := s.KeysetFile()
		if err != nil {
			return err
		}
		// Of several processes that start at once, one creates the keys and the others find them.
		if _, err := file.Create(); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return postgres.Migrate(ctx, s.Database)
}
