package proposals

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/access"
	"wiki/core/audit"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Swept is what a sweep did.
type Swept struct {
	Expired   int // proposals that waited too long for a person
	Carried   int // approved runs that had been cut, and were carried on
	Forgotten int // dry runs and runs whose answers nobody asks for any more
}

const (
	// keepSpent is how long a dry run's or a run's rows answer a late repeat.
	keepSpent = 7 * 24 * time.Hour
	maxSwept  = 1000 // rows of each sort in one sweep

	dueSQL = `select tenant_id, id, state from proposals where kind = 'review'
  and (state = 'pending' and expires_at <= $1 or state = 'running' and lease_until <= $1) order by expires_at limit $2`
	expireSQL = `update proposals set state = 'expired', settled_at = $3 where tenant_id = $1 and id = $2`
	forgetSQL = `delete from proposals where id in (select id from proposals where kind <> 'review' and minted_at <= $1 order by minted_at limit $2)`
)

type due struct {
	tenant, id uuid.UUID
	state      State
}

// Sweep closes proposals that waited too long, carries on approved runs that were cut, and forgets old dry runs. Any number
// of servers may sweep at once; nothing that it does is needed for a right answer.
func (s *Service) Sweep(ctx context.Context) (Swept, error) {
	var out Swept
	var list []due
	err := s.db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		rows, err := tx.Query(ctx, dueSQL, tx.Now, maxSwept)
		if err != nil {
			return fmt.Errorf("proposals: look for what is due: %w", err)
		}
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (d due, err error) {
			return d, row.Scan(&d.tenant, &d.id, &d.state)
		})
		if err != nil {
			return fmt.Errorf("proposals: look for what is due: %w", err)
		}
		tag, err := tx.Exec(ctx, forgetSQL, tx.Now.Add(-keepSpent), maxSwept)
		out.Forgotten = int(tag.RowsAffected())
		return err
	})
	if err != nil {
		return out, err
	}
	var failures []error
	for _, d := range list {
		if ctx.Err() != nil {
			break
		}
		done, err := s.settleDue(ctx, d)
		switch {
		case err != nil:
			failures = append(failures, err)
		case done && d.state == StateRunning:
			out.Carried++
		case done:
			out.Expired++
		}
	}
	return out, errors.Join(failures...)
}

// settleDue does what is due; false when another server was quicker.
func (s *Service) settleDue(ctx context.Context, d due) (bool, error) {
	if d.state != StateRunning {
		return s.expire(ctx, d)
	}
	_, err := s.Execute(ctx, access.Operator(d.tenant), d.id)
	if code := wiki.ErrorCode(err); code == wiki.CodeClaimed || code == wiki.CodeNotFound {
		return false, nil
	}
	return err == nil, err
}

func (s *Service) expire(ctx context.Context, d due) (expired bool, err error) {
	err = s.db.Tenant(ctx, d.tenant, func(ctx context.Context, tx postgres.Tx) error {
		expired = false
		p, err := lock(ctx, tx, d.tenant, d.id)
		if err != nil || p.State != StateExpired || p.SettledAt != nil {
			return err
		}
		if _, err := tx.Exec(ctx, expireSQL, d.tenant, d.id, tx.Now); err != nil {
			return fmt.Errorf("proposals: expire: %w", err)
		}
		expired = true
		actor := access.Operator(d.tenant)
		if err := audit.Write(ctx, tx, actor, audit.Entry{Act: "proposal.expire", Subject: p.ID, Detail: decision(p, "")}); err != nil {
			return err
		}
		return emit(ctx, tx, p, KindExpired, p.Counts.payload())
	})
	return expired, err
}
