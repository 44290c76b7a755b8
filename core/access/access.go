// Package access keeps tenants, keys and dispatches, and turns a key into the actor it stands for. A key's text is shown
// once and never stored: the database holds its SHA-256.
package access

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Settings are the limits of keys and dispatches; a zero field takes its default.
type Settings struct {
	MaxKeys         int           // live keys of a tenant, dispatches aside; default 100; a tenant's own setting "max_keys" wins
	MaxDispatches   int           // live dispatches of a tenant; default 1000
	RotationGrace   time.Duration // how long a rotated key lives on; default 24 h
	DispatchMin     time.Duration // shortest lifetime that may be asked for; default 60 s
	DispatchDefault time.Duration // default 1 h
	DispatchMax     time.Duration // default 4 h
	TouchEvery      time.Duration // how exact last_used_at is; default 1 min
}

// Defaults of Settings (facts §2).
const (
	defaultMaxKeys         = 100
	defaultMaxDispatches   = 1000
	DefaultRotationGrace   = 24 * time.Hour
	defaultDispatchMin     = 60 * time.Second
	defaultDispatchDefault = time.Hour
	defaultDispatchMax     = 4 * time.Hour
	defaultTouchEvery      = time.Minute
)

// Limits of what a caller may send.
const (
	maxNameRunes     = 200
	maxRotationGrace = 30 * 24 * time.Hour
	maxKeyLifetime   = 10 * 365 * 24 * time.Hour
)

func (s Settings) withDefaults() Settings {
	number := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	span := func(v *time.Duration, d time.Duration) {
		if *v == 0 {
			*v = d
		}
	}
	number(&s.MaxKeys, defaultMaxKeys)
	number(&s.MaxDispatches, defaultMaxDispatches)
	span(&s.RotationGrace, DefaultRotationGrace)
	span(&s.DispatchMin, defaultDispatchMin)
	span(&s.DispatchDefault, defaultDispatchDefault)
	span(&s.DispatchMax, defaultDispatchMax)
	span(&s.TouchEvery, defaultTouchEvery)
	return s
}

// Service is the door to tenants, keys and dispatches. Each method is one transaction.
type Service struct {
	db       *postgres.DB
	settings Settings
}

// New makes the service.
func New(db *postgres.DB, settings Settings) *Service {
	return &Service{db: db, settings: settings.withDefaults()}
}

// Operator is the person at the server's own command line, acting on a tenant, or on none with the zero id. It has no key.
func Operator(tenant uuid.UUID) wiki.Actor {
	return wiki.Actor{Tenant: tenant, Agent: "operator", Role: wiki.RoleSuperadmin}
}

// Nightly is the nightly pass of a tenant: what it may do is a user's, and it has no key.
func Nightly(tenant uuid.UUID) wiki.Actor {
	return wiki.Actor{Tenant: tenant, Agent: "nightly", Role: wiki.RoleUser}
}

// within runs fn behind the tenant's wall, or as the owner for an actor outside every tenant.
func (s *Service) within(ctx context.Context, actor wiki.Actor, fn func(context.Context, postgres.Tx) error) error {
	if actor.Tenant == uuid.Nil {
		return s.db.System(ctx, fn)
	}
	return s.db.Tenant(ctx, actor.Tenant, fn)
}

// Keys and dispatches of a tenant change one at a time, so that no limit is overrun and no child is minted under a parent
// that is being revoked.
const serialiseSQL = `select pg_advisory_xact_lock(hashtextextended('access:' || $1::uuid::text, 0))`

func serialise(ctx context.Context, tx postgres.Tx, tenant uuid.UUID) error {
	if _, err := tx.Exec(ctx, serialiseSQL, tenant); err != nil {
		return fmt.Errorf("access: take the tenant's turn: %w", err)
	}
	return nil
}
