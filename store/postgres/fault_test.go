package postgres_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
)

// throughProxy opens a fresh schema through a proxy that can do harm.
func throughProxy(t *testing.T, options postgres.Options) (*pgtest.Proxy, *postgres.Store) {
	t.Helper()
	proxy := pgtest.NewProxy(t)
	return proxy, openAt(t, proxy.Through(migrated(t)), options)
}

func read(ctx context.Context, from *postgres.Store) error {
	_, err := backoffice.ReadByID(ctx, from.Labels(), []string{"nothing"}, 0)
	return err
}

func TestADatabaseThatStopsAnsweringIsUnavailableAndIsBackByItself(t *testing.T) {
	t.Parallel()
	proxy, opened := throughProxy(t, postgres.Options{StatementTimeout: 300 * time.Millisecond, MaxConns: 4})
	proxy.Poison(t, `{"name": "hole", "type": "timeout", "stream": "downstream", "attributes": {"timeout": 0}}`)
	began := time.Now()
	if err := read(t.Context(), opened); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Fatalf("a read of a database that does not answer: %v (%v)", err, cause(err))
	}
	if _, err := label(t.Context(), opened, "writer", "lost"); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Fatalf("a write to a database that does not answer: %v (%v)", err, cause(err))
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Fatalf("the two hung for %v", took)
	}
	proxy.Heal(t)
	eventually(t, 5*time.Second, "the store works again", func() bool { return read(t.Context(), opened) == nil })
}

func TestAStatementThatIsTooSlowIsATimeoutAndAWriteThatWaitsForOthersIsToComeAgain(t *testing.T) { //nolint:paralleltest // it holds seconds
	url := migrated(t)
	opened := openAt(t, url, postgres.Options{StatementTimeout: 2 * time.Second, MaxConns: 4})
	other, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close(context.Background()) }()
	if _, err := other.Exec(t.Context(), "BEGIN; LOCK TABLE labels"); err != nil {
		t.Fatal(err)
	}
	if err := read(t.Context(), opened); backoffice.KindOf(err) != backoffice.Timeout {
		t.Errorf("a read that takes too long: %v (%v)", err, cause(err))
	}
	if _, err := label(t.Context(), opened, "writer", "waiting"); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Errorf("a write that waits for others too long: %v (%v)", err, cause(err))
	}
	if _, err := other.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if _, err := label(t.Context(), opened, "writer", "waiting"); err != nil {
		t.Errorf("a write that waits for nobody: %v (%v)", err, cause(err))
	}
}

func TestADatabaseThatGoesAwayMidQueryIsUnavailableAndIsBackByItself(t *testing.T) {
	t.Parallel()
	proxy, opened := throughProxy(t, postgres.Options{MaxConns: 4})
	if err := read(t.Context(), opened); err != nil {
		t.Fatal(err)
	}
	proxy.Poison(t, `{"name": "cut", "type": "limit_data", "stream": "downstream", "attributes": {"bytes": 20}}`)
	if err := read(t.Context(), opened); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Fatalf("a connection that is cut off within an answer: %v (%v)", err, cause(err))
	}
	if _, err := label(t.Context(), opened, "writer", "cut"); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Fatalf("a write on a connection that is cut off: %v (%v)", err, cause(err))
	}
	proxy.Heal(t)
	eventually(t, 5*time.Second, "the store works again", func() bool { return read(t.Context(), opened) == nil })

	proxy.Stop()
	if err := read(t.Context(), opened); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Fatalf("a server that refuses connections: %v (%v)", err, cause(err))
	}
	proxy.Start(t)
	eventually(t, 5*time.Second, "the store works again", func() bool { return read(t.Context(), opened) == nil })
}

func TestConnectionsThatDiedWhileNobodyUsedThemAreNotNoticed(t *testing.T) {
	t.Parallel()
	_, opened := throughProxy(t, postgres.Options{MaxConns: 4})
	if err := read(t.Context(), opened); err != nil {
		t.Fatal(err)
	}
	opened.KillConnections(t)
	if err := read(t.Context(), opened); err != nil {
		t.Fatalf("a read after the connections were ended: %v (%v)", err, cause(err))
	}
	opened.KillConnections(t)
	if _, err := label(t.Context(), opened, "writer", "after"); err != nil {
		t.Fatalf("a write after the connections were ended: %v (%v)", err, cause(err))
	}
}

func TestAPoolThatIsExhaustedRefusesSomeAndServesTheRest(t *testing.T) {
	t.Parallel()
	proxy, opened := throughProxy(t, postgres.Options{MaxConns: 10})
	proxy.Poison(t, `{"name": "slow", "type": "latency", "stream": "downstream", "attributes": {"latency": 100}}`)
	var served, refused atomic.Int64
	var clients sync.WaitGroup
	began := time.Now()
	for range 500 {
		clients.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			switch err := read(ctx, opened); {
			case err == nil:
				served.Add(1)
			case backoffice.KindOf(err) == backoffice.Unavailable:
				refused.Add(1)
			default:
				t.Errorf("%v (%v)", err, cause(err))
			}
		})
	}
	clients.Wait()
	if served.Load() == 0 || refused.Load() == 0 || time.Since(began) > 10*time.Second {
		t.Fatalf("of 500 clients %d were served and %d refused, in %v", served.Load(), refused.Load(), time.Since(began))
	}
	proxy.Heal(t)
	eventually(t, 5*time.Second, "all are served again", func() bool { return read(t.Context(), opened) == nil })
}

// old answers as a server of PostgreSQL 12 does.
func old(client net.Conn) {
	backend := pgproto3.NewBackend(client, client)
	if _, err := backend.ReceiveStartupMessage(); err != nil {
		return
	}
	backend.Send(&pgproto3.AuthenticationOk{})
	backend.Send(&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{0, 0, 0, 1}})
	backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	answer := []byte("off")
	for backend.Flush() == nil {
		message, err := backend.Receive()
		if err != nil {
			return
		}
		field := pgproto3.FieldDescription{Name: []byte("x"), DataTypeOID: 25, DataTypeSize: -1, TypeModifier: -1}
		if string(answer) != "off" {
			field.DataTypeOID, field.DataTypeSize = 23, 4
		}
		switch message := message.(type) {
		case *pgproto3.Query: // a setting that it does not have
			backend.Send(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 0")})
			backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		case *pgproto3.Parse:
			if strings.Contains(message.Query, "server_version_num") {
				answer = []byte("120004")
			}
			backend.Send(&pgproto3.ParseComplete{})
		case *pgproto3.Describe:
			if message.ObjectType == 'S' {
				backend.Send(&pgproto3.ParameterDescription{})
			}
			backend.Send(&pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{field}})
		case *pgproto3.Bind:
			backend.Send(&pgproto3.BindComplete{})
			if len(message.ResultFormatCodes) > 0 && message.ResultFormatCodes[0] == 1 && string(answer) != "off" {
				answer = []byte{0, 1, 0xd4, 0xc4}
			}
		case *pgproto3.Execute:
			backend.Send(&pgproto3.DataRow{Values: [][]byte{answer}})
			backend.Send(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")})
		case *pgproto3.Sync:
			backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		}
	}
}

func TestAServerThatCannotBeUsedIsNamedInASentence(t *testing.T) {
	t.Parallel()
	address := pgtest.Bridge(t)
	behind := pgtest.Migrated(t, postgres.Migrate)
	for name, test := range map[string]struct{ url, says string }{
		"no URL":              {"postgres:/backoffice", "form postgres://"},
		"a bad option":        {"postgres://user:hunter2@127.0.0.1/x?sslmode=perhaps", "form postgres://"},
		"nobody there":        {"postgres://127.0.0.1:1/x?sslmode=disable", "cannot be reached"},
		"no such host":        {"postgres://nowhere.invalid/x?sslmode=disable", "host"},
		"no such database":    {"postgres://postgres@" + address + "/nothing?sslmode=disable", "does not exist"},
		"TLS that it lacks":   {"postgres://postgres@" + address + "/postgres?sslmode=require", "TLS"},
		"an old server":       {"postgres://postgres@" + pgtest.Serve(t, old) + "/postgres?sslmode=disable", "version 13 or newer"},
		"a server that hangs": {"postgres://postgres@" + pgtest.Serve(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }) + "/postgres?sslmode=disable", "in time"},
		"an empty schema":     {pgtest.Schema(t), "backoffice migrate"},
		"only a replica":      {behind + "&default_transaction_read_only=on", "accepts writes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			opened, err := postgres.Open(ctx, test.url, postgres.Options{})
			if err == nil {
				_ = opened.Close()
				t.Fatal("it was opened")
			}
			if ctx.Err() != nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the operator is told: %v", err)
			}
		})
	}
}

func TestAWrongPasswordIsNamedInASentence(t *testing.T) {
	t.Parallel()
	pair := pgtest.NewPair(t)
	pair.Primary.Execute(t, "postgres", "CREATE ROLE guarded LOGIN PASSWORD 'right'")
	pair.Primary.Write(t, "pg_hba.conf", "local all guarded scram-sha-256\nlocal all all trust\nlocal replication all trust\n")
	pair.Primary.Execute(t, "postgres", "SELECT pg_reload_conf()")
	url := strings.Replace(pair.Primary.URL("backoffice"), "postgres@", "guarded:hunter2@", 1)
	eventually(t, 5*time.Second, "the password is asked for", func() bool {
		opened, err := postgres.Open(t.Context(), url, postgres.Options{})
		if err == nil {
			_ = opened.Close()
		}
		return err != nil && strings.Contains(err.Error(), "password") && !strings.Contains(err.Error(), "hunter2")
	})
}

func TestASchemaOfAnotherVersionIsRefusedWithTheCommandThatHelps(t *testing.T) {
	t.Parallel()
	url := pgtest.Schema(t)
	var starting sync.WaitGroup
	for range 4 { // several servers that start at once
		starting.Go(func() {
			if err := postgres.Migrate(t.Context(), url); err != nil {
				t.Error(err)
			}
		})
	}
	starting.Wait()
	openAt(t, url, postgres.Options{})
	pgtest.Execute(t, url, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
	_, err := postgres.Open(t.Context(), url, postgres.Options{})
	var other *store.SchemaError
	if !errors.As(err, &other) || !strings.Contains(err.Error(), "newer backoffice") {
		t.Errorf("a newer schema: %v", err)
	}
	if err := postgres.Migrate(t.Context(), url); !errors.As(err, &other) {
		t.Errorf("migrating a newer schema: %v", err)
	}
}
