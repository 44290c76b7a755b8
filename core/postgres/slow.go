package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// DefaultSlowStatement is from when on a statement is called slow. Nearly all take milliseconds.
const DefaultSlowStatement = 500 * time.Millisecond

const (
	// shownStatement bounds a statement in the log, bytes; its id tells apart what begins alike.
	shownStatement = 1000
	idBytes        = 4
)

// slowLog is a pool's log of the statements that take long: which, whose, and how long. It never sees their values: in the
// house's statements they are parameters, so that a text holds none.
type slowLog struct {
	pool  string
	after time.Duration
	log   *slog.Logger
	count atomic.Int64
}

type (
	slowKey   struct{} // of a statement that runs
	tenantKey struct{} // of the transaction's tenant
	running   struct {
		begun     time.Time
		statement string
	}
)

// withTenant says whose statements are sent in a context.
func withTenant(ctx context.Context, tenant uuid.UUID) context.Context {
	return context.WithValue(ctx, tenantKey{}, tenant)
}

// TraceQueryStart implements pgx.QueryTracer.
func (*slowLog) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return context.WithValue(ctx, slowKey{}, running{time.Now(), data.SQL})
}

// TraceQueryEnd implements pgx.QueryTracer. Of a query it is called when its rows have been read.
func (s *slowLog) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	s.ended(ctx, data.Err)
}

// TraceCopyFromStart implements pgx.CopyFromTracer.
func (*slowLog) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceCopyFromStartData) context.Context {
	return context.WithValue(ctx, slowKey{}, running{time.Now(), "copy " + data.TableName.Sanitize()})
}

// TraceCopyFromEnd implements pgx.CopyFromTracer.
func (s *slowLog) TraceCopyFromEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceCopyFromEndData) {
	s.ended(ctx, data.Err)
}

func (s *slowLog) ended(ctx context.Context, err error) {
	r, ok := ctx.Value(slowKey{}).(running)
	took := time.Since(r.begun)
	if !ok || took < s.after {
		return
	}
	s.count.Add(1)
	shown, id := shorten(r.statement)
	attrs := []slog.Attr{
		slog.String("pool", s.pool), slog.Duration("took", took), slog.String("outcome", outcome(err)),
		slog.String("statement_id", id), slog.String("statement", shown),
	}
	if tenant, ok := ctx.Value(tenantKey{}).(uuid.UUID); ok && tenant != uuid.Nil {
		attrs = append(attrs, slog.String("tenant_id", tenant.String()))
	}
	s.log.LogAttrs(ctx, slog.LevelWarn, "slow statement", attrs...)
}

// shorten gives a statement on one line, cut where it is long, and a digest of the whole.
func shorten(statement string) (shown, id string) {
	shown = strings.Join(strings.Fields(statement), " ")
	digest := sha256.Sum256([]byte(shown))
	if len(shown) > shownStatement {
		shown = strings.ToValidUTF8(shown[:shownStatement], "") + "..."
	}
	return shown, hex.EncodeToString(digest[:idBytes])
}

// outcome is ok, a SQLSTATE, or failed. An error's text may quote values.
func outcome(err error) string {
	var coded *pgconn.PgError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &coded):
		return coded.Code
	}
	return "failed"
}
