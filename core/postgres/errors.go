package postgres

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"wiki/core/wiki"
)

// SQLSTATE codes that mean something to the wiki (PostgreSQL manual, appendix A).
const (
	stateForeignKeyViolation  = "23503"
	stateUniqueViolation      = "23505"
	stateSerializationFailure = "40001"
	stateDeadlock             = "40P01"
	stateDiskFull             = "53100"
	stateTooManyConnections   = "53300"
	stateQueryCanceled        = "57014"
	stateUndefinedTable       = "42P01"
	classConnection           = "08"  // connection exceptions
	classData                 = "22"  // data exceptions
	classOperator             = "57P" // shut down, crashed, starting, dropped
)

// mapError gives a database error the code that callers branch on. lost says that the connection did not survive. What has
// a code keeps it, and what the caller cancelled stays as it is: nobody waits for that answer.
func mapError(ctx context.Context, err error, lost bool) error {
	var coded *wiki.Error
	if err == nil || errors.As(err, &coded) || errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return timedOut(err)
	}
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		return mapState(pgErr.Code, err)
	}
	var connectErr *pgconn.ConnectError
	if lost || errors.As(err, &connectErr) {
		return unavailable(err)
	}
	return err
}

func mapState(state string, err error) error {
	switch {
	case state == stateQueryCanceled:
		return timedOut(err)
	case state == stateDiskFull:
		return &wiki.Error{
			Code: wiki.CodeStorageFull, Message: "the database has no space left to write",
			Remedy: "free disk space on the server; reading goes on", Err: err,
		}
	case state == stateForeignKeyViolation:
		// What is referred to was checked before it was; a hard delete came in between.
		return &wiki.Error{Code: wiki.CodeNotFound, Message: "not found", Err: err}
	case state == stateTooManyConnections, strings.HasPrefix(state, classConnection), strings.HasPrefix(state, classOperator):
		return unavailable(err)
	case strings.HasPrefix(state, classData):
		return muted{err}
	}
	return err
}

// muted is a data exception without the value that PostgreSQL quotes in it: an error is logged, and a log holds no texts of
// the wiki.
type muted struct{ err error }

func (m muted) Unwrap() error { return m.err }

func (m muted) Error() string {
	text := m.err.Error()
	var pgErr *pgconn.PgError
	if !errors.As(m.err, &pgErr) {
		return text
	}
	plain, _, quoting := strings.Cut(pgErr.Message, `"`)
	if !quoting {
		return text
	}
	return strings.ReplaceAll(text, pgErr.Message, plain+"(not shown)")
}

func timedOut(err error) error {
	return &wiki.Error{
		Code: wiki.CodeTimeout, Message: "the database took too long to answer", Remedy: "narrow the request, or retry", Err: err,
	}
}

func unavailable(err error) error {
	return &wiki.Error{
		Code: wiki.CodeUnavailable, Message: "the database cannot be reached", Remedy: "retry in a moment", Err: err,
	}
}

// retryable says whether the database gave a transaction up in favour of another: the same work may pass the next time.
func retryable(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && (pgErr.Code == stateSerializationFailure || pgErr.Code == stateDeadlock)
}

// IsUnique says whether err breaks the named unique index or constraint; with no name, any.
func IsUnique(err error, constraint string) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == stateUniqueViolation && (constraint == "" || pgErr.ConstraintName == constraint)
}

// IsTimeout says whether err is a statement that ran into its time limit.
func IsTimeout(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == stateQueryCanceled
}
