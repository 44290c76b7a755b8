package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	pgxvec "github.com/pgvector/pgvector-go/pgx"
)

const (
	// cancelGrace is how long a connection has to answer a cancel request before it is given up. Cancelling keeps the
	// connection usable, where closing it would make the next request pay for a new one.
	cancelGrace = 2 * time.Second
	// connectTimeout bounds one connection attempt, unless the DSN sets connect_timeout.
	connectTimeout = 5 * time.Second
)

// DB is a database in use. It is safe for concurrent use.
type DB struct {
	config Config
	pool   *pgxpool.Pool
	heavy  *pgxpool.Pool
	turns  turns
	shed   sheds
	slow   map[string]*slowLog // by pool; without an entry none is kept
}

// Open connects to the database and checks that it answers. A database that cannot be reached gives CodeUnavailable; a
// DSN that cannot be read, a plain error for the operator.
func Open(ctx context.Context, config Config) (*DB, error) {
	config = config.withDefaults()
	db := &DB{config: config, turns: turns{limit: config.HeavyPerTenant, inUse: map[uuid.UUID]*turn{}}, slow: map[string]*slowLog{}}
	if config.SlowStatement > 0 {
		for _, pool := range []string{PoolRequests, PoolHeavy} {
			db.slow[pool] = &slowLog{pool: pool, after: config.SlowStatement, log: config.Log}
		}
	}
	var err error
	if db.pool, err = newPool(ctx, config.DSN, config.MaxConns, db.slow[PoolRequests]); err != nil {
		return nil, err
	}
	if db.heavy, err = newPool(ctx, config.DSN, config.HeavyMaxConns, db.slow[PoolHeavy]); err != nil {
		db.pool.Close()
		return nil, err
	}
	if err := db.Ping(ctx); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

func newPool(ctx context.Context, dsn string, maxConns int32, slow *slowLog) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		// pgx hides the password in this message.
		return nil, fmt.Errorf("the database's connection string cannot be read: %w", err)
	}
	config.MaxConns = maxConns
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	config.ConnConfig.BuildContextWatcherHandler = cancelHandler
	config.AfterConnect = registerTypes
	if slow != nil { // a nil one in the interface would be called
		config.ConnConfig.Tracer = slow
	}
	return pgxpool.NewWithConfig(ctx, config)
}

func cancelHandler(conn *pgconn.PgConn) ctxwatch.Handler {
	return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelGrace}
}

// registerTypes says how values travel: times come back in UTC, whatever the zone of the machine that reads them.
func registerTypes(ctx context.Context, conn *pgx.Conn) error {
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	return registerVectors(ctx, conn)
}

// registerVectors lets vectors travel in binary. A database without the extension has not been migrated yet: it has
// nothing to read, and the first statement says so better than a refused connection would.
func registerVectors(ctx context.Context, conn *pgx.Conn) error {
	var installed bool
	if err := conn.QueryRow(ctx, "select to_regtype('halfvec') is not null").Scan(&installed); err != nil || !installed {
		return err
	}
	return pgxvec.RegisterTypes(ctx, conn)
}

// Close waits for the connections in use and closes them all.
func (db *DB) Close() {
	db.heavy.Close()
	db.pool.Close()
}

// Ping checks that the database answers; CodeUnavailable when it does not.
func (db *DB) Ping(ctx context.Context) error { return mapError(ctx, db.pool.Ping(ctx), false) }
