package nightly

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"wiki/core/audit"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

const (
	pauseSQL = `insert into nightly_switches (tenant_id, consumer, paused_by, paused_at, reason) values ($1, $2, $3, $4, $5)
on conflict (tenant_id, consumer) do update set reason = excluded.reason`
	resumeSQL   = `delete from nightly_switches where tenant_id = $1 and consumer = $2`
	switchesSQL = `select consumer, paused_by ->> 'principal', paused_at, reason from nightly_switches where tenant_id = $1 order by consumer`
)

// Switch is a consumer that somebody switched off for a tenant.
type Switch struct {
	Consumer string    `json:"consumer"`
	By       string    `json:"paused_by"` // principal
	At       time.Time `json:"paused_at"`
	Reason   string    `json:"reason"`
}

// Pause switches a consumer off for the actor's tenant, with a reason, until Resume. It needs role user; the pass that works
// now isn't disturbed. Errors: CodeInvalid for a consumer that there isn't, or without a reason.
func (s *Service) Pause(ctx context.Context, actor wiki.Actor, consumer, reason string) error {
	reason, err := wiki.CleanReason(reason, true)
	if err != nil {
		return err
	}
	return s.turn(ctx, actor, consumer, "nightly.pause", reason, func(ctx context.Context, tx postgres.Tx) (int64, error) {
		tag, err := tx.Exec(ctx, pauseSQL, actor.Tenant, consumer, actor.Stamp(), tx.Now, reason)
		return tag.RowsAffected(), err
	})
}

// Resume switches a consumer on again; one that is on stays so.
func (s *Service) Resume(ctx context.Context, actor wiki.Actor, consumer string) error {
	return s.turn(ctx, actor, consumer, "nightly.resume", "", func(ctx context.Context, tx postgres.Tx) (int64, error) {
		tag, err := tx.Exec(ctx, resumeSQL, actor.Tenant, consumer)
		return tag.RowsAffected(), err
	})
}

func (s *Service) turn(ctx context.Context, actor wiki.Actor, consumer, act, reason string, change func(context.Context, postgres.Tx) (int64, error)) error {
	if err := actor.Require(wiki.RoleUser); err != nil {
		return err
	}
	if _, err := s.consumer(consumer); err != nil {
		return err
	}
	return s.db.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		n, err := change(ctx, tx)
		if err != nil {
			return fmt.Errorf("nightly: turn %s: %w", consumer, err)
		}
		if n == 0 {
			return nil
		}
		return audit.Write(ctx, tx, actor, audit.Entry{Act: act, Detail: map[string]any{"consumer": consumer, "reason": reason}})
	})
}

// Switches lists what is switched off for the actor's tenant.
func (s *Service) Switches(ctx context.Context, actor wiki.Actor) (list []Switch, err error) {
	err = s.db.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		rows, err := tx.Query(ctx, switchesSQL, actor.Tenant)
		if err != nil {
			return fmt.Errorf("nightly: read the switches: %w", err)
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Switch])
		return err
	})
	return list, err
}
