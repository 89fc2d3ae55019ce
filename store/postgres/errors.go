package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// codeOf is the server's code for an error, "" when it does not come from the server.
func codeOf(err error) string {
	var of *pgconn.PgError
	if errors.As(err, &of) {
		return of.Code
	}
	return ""
}

// serverError is the loggable part of an error of the server, whose own texts repeat values of rows.
type serverError struct{ code, constraint, table string }

func (e *serverError) Error() string {
	text := "PostgreSQL error " + e.code
	if words := codeWords[e.code]; words != "" {
		text += ": " + words
	}
	if e.constraint != "" {
		text += " on " + e.constraint
	} else if e.table != "" {
		text += " on " + e.table
	}
	return text
}

// codeWords describe the codes that an operator can do something about.
var codeWords = map[string]string{
	"25006": "it is read-only: a replica, or no longer the primary",
	"53200": "it is out of memory",
	"53300": "all its connections are taken; raise max_connections or use a pooler",
	"53400": "a limit of its configuration is reached",
	"55P03": "a lock was not available in time",
	"57P01": "it was told to stop, or to close the connection",
	"57P02": "it closed all connections because one of its processes crashed",
	"57P03": "it is starting, recovering or stopping",
	"58030": "it cannot read or write its disk",
	"58P01": "one of its files is missing",
}

// isRetryable reports whether the same transaction may succeed when it is run again.
func isRetryable(err error) bool {
	var of *serverError
	return errors.As(err, &of) && (of.code == "40001" || of.code == "40P01")
}

// isCancelled reports that the server cancelled a statement while its caller was waiting: an operator did, or a late
// request to cancel the previous statement on this connection, whose caller had gone. So it is run once more.
func isCancelled(err error) bool {
	var of *serverError
	return errors.As(err, &of) && of.code == "57014"
}

// lostError reports that a connection ended while in use.
type lostError struct{ how string }

// how describes how a connection ended, or failed to open, without an address.
func how(err error) string {
	var network *net.OpError
	var name *net.DNSError
	switch {
	case errors.As(err, &name):
		return "its host is unknown"
	case errors.Is(err, context.DeadlineExceeded), pgconn.Timeout(err):
		return "no answer in time"
	case errors.As(err, &network):
		return network.Err.Error() // of the system: connection refused, connection reset by peer
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return "the connection was closed"
	}
	return fmt.Sprintf("%T", err)
}

func (e *lostError) Error() string { return "the connection to PostgreSQL was lost (" + e.how + ")" }

// errSilent is the loss of a connection on which neither a statement nor its cancelling was answered in time.
var errSilent = &lostError{"no answer in time"}

// isLost reports that a connection is unusable, and maybe others like it: it ended, or its server stops or was demoted.
func isLost(err error) bool {
	var lost *lostError
	var of *serverError
	switch {
	case errors.As(err, &lost):
		return true
	case errors.As(err, &of):
		return of.code == "25006" || of.code == "57P01" || of.code == "57P02" || of.code[:min(2, len(of.code))] == "08"
	}
	return false
}

// mayPass reports that what failed may succeed when run once more, on another connection.
func mayPass(err error) bool { return isLost(err) && !errors.Is(err, errSilent) || isCancelled(err) }

func classify(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ended := ctx.Err(); ended != nil {
		return backoffice.Fault(ended, "querying the store")
	}
	var known *backoffice.Error
	if errors.As(err, &known) {
		return known
	}
	var of *pgconn.PgError
	if errors.As(err, &of) {
		return classifyCode(of)
	}
	var connecting *pgconn.ConnectError
	var network net.Error
	switch {
	case errors.As(err, &connecting):
		return store.Unavailable(fmt.Errorf("connecting to PostgreSQL failed: %s", how(connecting)))
	case errors.Is(err, context.DeadlineExceeded): // of a part of what ctx is for
		return backoffice.Fault(err, "querying the store")
	// The server, or the connection to it, is gone.
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, net.ErrClosed), pgconn.SafeToRetry(err), pgconn.Timeout(err):
		return store.Unavailable(&lostError{how(err)})
	}
	return backoffice.Fault(fmt.Errorf("%T", err), "querying the store")
}

func classifyCode(of *pgconn.PgError) error {
	cause := &serverError{of.Code, of.ConstraintName, of.TableName}
	switch of.Code {
	case "23505", "23P01":
		return &store.Violation{Of: store.UniqueViolation, Constraint: of.ConstraintName}
	case "23503":
		return &store.Violation{Of: store.ReferenceViolation, Constraint: of.ConstraintName}
	case "P0001": // a trigger of ours
		if strings.Contains(of.Message, store.ClosedKeyWords) {
			return store.ClosedKey()
		}
	case "57014":
		return &backoffice.Error{Kind: backoffice.Timeout, Message: "the request took too long", Cause: cause}
	case "53100":
		return store.Full(cause)
	case "XX001", "XX002":
		return store.Damaged(cause)
	case "25006", "40001", "40P01", "55P03": // a former primary; conflicts that outlast the attempts
		return store.Unavailable(cause)
	}
	switch of.Code[:min(2, len(of.Code))] {
	case "08", "53", "57", "58":
		return store.Unavailable(cause)
	}
	return backoffice.Fault(cause, "querying the store")
}

// describe turns an error of connecting into a sentence for the operator. It repeats nothing of the URL.
func describe(err error) error {
	switch code := codeOf(err); {
	case code == "28P01" || code == "28000":
		return errors.New("PostgreSQL rejects the URL's user or password, or connections from here (pg_hba.conf)")
	case code == "3D000":
		return errors.New("the URL's database does not exist on the server")
	case code == "42501":
		return errors.New("the URL's user lacks a privilege in the database")
	case code == "55P03":
		return errors.New("another transaction holds a table or a row for too long, for example an export")
	case strings.HasPrefix(code, "53"):
		return errors.New("PostgreSQL has no free connection; raise max_connections or use a pooler")
	case code != "":
		return fmt.Errorf("PostgreSQL answered with error %s", code)
	}
	if errors.Is(err, errNotUTF8) {
		return err
	}
	if errors.Is(err, errNotPrimary) {
		return errors.New("no server in the URL accepts writes: each is a replica or read-only")
	}
	var network *net.OpError
	var name *net.DNSError
	var connecting *pgconn.ConnectError
	switch {
	case errors.Is(err, context.DeadlineExceeded), pgconn.Timeout(err):
		return errors.New("PostgreSQL does not answer in time")
	case errors.As(err, &name):
		return errors.New("the host in the database's URL is unknown")
	case errors.As(err, &network):
		return fmt.Errorf("PostgreSQL cannot be reached: %w", network.Err)
	case errors.As(err, &connecting):
		return errors.New("connecting to PostgreSQL failed; the server may require TLS (sslmode=require), or not offer it")
	}
	return fmt.Errorf("PostgreSQL cannot be used: %T", err)
}
