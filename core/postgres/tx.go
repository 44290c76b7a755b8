package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"wiki/core/wiki"
)

// Tx is a transaction with the one time and the id maker of the act it carries.
type Tx struct {
	pgx.Tx
	Now   time.Time // UTC, in whole microseconds, as PostgreSQL keeps it
	NewID func() uuid.UUID
}

// Each kind of transaction begins, and gives up the owner's rights, in one round trip. Nothing is set for the session, so
// a connection that is shared by transaction (pgbouncer) carries nothing over.
const (
	beginTenant = "begin; set local role " + AppRole
	beginRead   = "begin isolation level repeatable read read only; set local role " + AppRole
	beginSystem = "begin"

	setLocalsSQL = `select set_config('wiki.tenant_id', $1, true), set_config('statement_timeout', $2, true), set_config('wiki.canon', $3, true)`
)

// openTxKey marks a context whose transaction is open, by the pool it came from.
type openTxKey struct{ pool *pgxpool.Pool }

// txKind is what tells the kinds of transaction apart.
type txKind struct {
	pool    *pgxpool.Pool
	begin   string
	tenant  uuid.UUID // zero: none
	timeout time.Duration
	retry   bool
	canon   bool // writes system canon
}

// Tenant runs fn in a read-write transaction that sees one tenant and system canon, and commits when fn returns nil. It
// runs fn once more when the database gave up one of two conflicting transactions (serialization failure, deadlock), so fn
// must keep its effects in the transaction. Errors: CodeTimeout, CodeStorageFull, CodeUnavailable, CodeOverloaded from the
// database; CodeForbidden without a tenant; fn's own as they are.
func (db *DB) Tenant(ctx context.Context, tenant uuid.UUID, fn func(context.Context, Tx) error) error {
	if tenant == uuid.Nil {
		return noTenant()
	}
	return db.run(ctx, txKind{db.pool, beginTenant, tenant, db.config.StatementTimeout, true, false}, fn)
}

// Act runs fn in a read-write transaction of the actor's scope: Tenant, or for a superadmin, whose key belongs to no tenant,
// one that writes system canon and nothing else (SPEC §1). Errors as Tenant.
func (db *DB) Act(ctx context.Context, actor wiki.Actor, fn func(context.Context, Tx) error) error {
	if !actor.KeepsCanon() {
		return db.Tenant(ctx, actor.Tenant, fn)
	}
	return db.run(ctx, txKind{db.pool, beginTenant, uuid.Nil, db.config.StatementTimeout, true, true}, fn)
}

// TenantRead runs fn in a read-only transaction of one tenant, on one snapshot: what fn reads first and last belongs
// together. Errors as Tenant.
func (db *DB) TenantRead(ctx context.Context, tenant uuid.UUID, fn func(context.Context, Tx) error) error {
	return db.run(ctx, txKind{db.pool, beginRead, tenant, db.config.StatementTimeout, false, false}, fn)
}

// ActRead is TenantRead in the actor's scope, for what no other tenant may read of it: Act's counterpart.
func (db *DB) ActRead(ctx context.Context, actor wiki.Actor, fn func(context.Context, Tx) error) error {
	return db.run(ctx, txKind{db.pool, beginRead, actor.Tenant, db.config.StatementTimeout, false, actor.KeepsCanon()}, fn)
}

// HeavyRead is TenantRead for what may scan much: vectors, enumerations, analytics (SPEC §6). It has its own connections,
// so that it starves no request, a shorter statement timeout, and a bound on what one tenant may have in flight. A read
// that waited too long for its turn is shed with CodeOverloaded.
func (db *DB) HeavyRead(ctx context.Context, tenant uuid.UUID, fn func(context.Context, Tx) error) error {
	release, err := db.turns.take(ctx, tenant, db.config.Wait)
	if err != nil {
		db.shed.count(err, ShedTurn)
		return err
	}
	defer release()
	return db.run(ctx, txKind{db.heavy, beginRead, tenant, db.config.HeavyTimeout, false, false}, fn)
}

// noTenant refuses to write for a key that belongs to no tenant: row-level security would, with an error that says nothing.
func noTenant() error {
	e := wiki.Errorf(wiki.CodeForbidden, "this key belongs to no tenant: it writes system canon, and nothing of a tenant's")
	e.Remedy = "use a key of the tenant"
	return e
}

// System runs fn as the owner of the tables, across tenants: for keys, tenants and operators' commands only. No request's
// input may choose the tenant here. Errors as Tenant.
func (db *DB) System(ctx context.Context, fn func(context.Context, Tx) error) error {
	return db.run(ctx, txKind{db.pool, beginSystem, uuid.Nil, db.config.StatementTimeout, true, false}, fn)
}

func (db *DB) run(ctx context.Context, kind txKind, fn func(context.Context, Tx) error) error {
	key := openTxKey{kind.pool}
	if ctx.Value(key) != nil {
		// Two connections for one act is how a full pool deadlocks against itself; it's a mistake in the code.
		return errors.New("a transaction is open in this context: pass its Tx on, do not begin another")
	}
	err := db.once(context.WithValue(ctx, key, true), kind, fn)
	if kind.retry && retryable(err) {
		err = db.once(context.WithValue(ctx, key, true), kind, fn)
	}
	return err
}

func (db *DB) once(ctx context.Context, kind txKind, fn func(context.Context, Tx) error) (err error) {
	ctx = withTenant(ctx, kind.tenant)
	conn, err := acquire(ctx, kind.pool, db.config.Wait)
	if err != nil {
		db.shed.count(err, db.poolName(kind.pool))
		return err
	}
	defer conn.Release()
	defer func() { err = mapError(ctx, err, conn.Conn().IsClosed()) }()
	return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{BeginQuery: kind.begin}, func(tx pgx.Tx) error {
		tenant, canon := "", "off"
		if kind.tenant != uuid.Nil {
			tenant = kind.tenant.String()
		}
		if kind.canon {
			canon = "on"
		}
		if _, err := tx.Exec(ctx, setLocalsSQL, tenant, strconv.FormatInt(kind.timeout.Milliseconds(), 10), canon); err != nil {
			return fmt.Errorf("begin: %w", err)
		}
		return fn(ctx, Tx{Tx: tx, Now: db.now(), NewID: db.config.NewID})
	})
}

func (db *DB) now() time.Time { return db.config.Now().UTC().Truncate(time.Microsecond) }

// acquire takes a connection within wait; a pool that stays full sheds the caller.
func acquire(ctx context.Context, pool *pgxpool.Pool, wait time.Duration) (*pgxpool.Conn, error) {
	bounded, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	conn, err := pool.Acquire(bounded)
	if err == nil {
		return conn, nil
	}
	if ctx.Err() == nil && bounded.Err() != nil && pool.Stat().AcquiredConns() >= pool.Config().MaxConns {
		return nil, overloaded("every database connection is in use")
	}
	return nil, mapError(ctx, err, true)
}

// retryAfter is what a shed caller is told to wait, in seconds.
const retryAfter = 1

func overloaded(why string) error {
	return &wiki.Error{
		Code: wiki.CodeOverloaded, Message: "the server is busy: " + why, Remedy: "retry in a moment",
		Details: map[string]any{"retry_after_seconds": retryAfter},
	}
}
