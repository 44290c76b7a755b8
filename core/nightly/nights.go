package nightly

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Bounds of how many passes are read at a time.
const (
	DefaultPasses = 14
	MaxPasses     = 90
)

const passesSQL = `select p.id, p.night, coalesce(p.started_by ->> 'principal', ''), p.started_at, p.finished_at, p.cut, p.spent_ms, p.turns,
  coalesce(s.consumer, ''), coalesce(s.offered, 0), coalesce(s.applied, 0), coalesce(s.refused, 0), coalesce(s.withheld, 0), coalesce(s.failed, 0), coalesce(s.gate, '')
from (select * from nightly_passes where tenant_id = $1 order by night desc, started_at desc limit $2) p
left join nightly_steps s on s.pass_id = p.id and s.tenant_id = p.tenant_id
order by p.night desc, p.started_at desc, s.place`

// Passes gives the tenant's last passes, newest first, with what each consumer did, without its items. Role orchestrator. The
// error is CodeInvalid on "limit".
func (s *Service) Passes(ctx context.Context, actor wiki.Actor, limit int) (passes []Report, err error) {
	if err := actor.Require(wiki.RoleOrchestrator); err != nil {
		return nil, err
	}
	if limit < 1 || limit > MaxPasses {
		return nil, wiki.Invalid("limit", "the limit must be between 1 and %d", MaxPasses)
	}
	err = s.db.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		passes = nil
		rows, err := tx.Query(ctx, passesSQL, actor.Tenant, limit)
		if err != nil {
			return fmt.Errorf("nightly: read the passes: %w", err)
		}
		var r Report
		var step Step
		var spent int64
		_, err = pgx.ForEachRow(rows, []any{
			&r.Pass, &r.Night, &r.StartedBy, &r.StartedAt, &r.FinishedAt, &r.Cut, &spent, &r.Turns,
			&step.Consumer, &step.Offered, &step.Applied, &step.Refused, &step.Withheld, &step.Failed, &step.Gate,
		}, func() error {
			if n := len(passes); n == 0 || passes[n-1].Pass != r.Pass {
				next := r
				next.Tenant, next.Spent = actor.Tenant, time.Duration(spent)*time.Millisecond
				passes = append(passes, next)
			}
			if last := &passes[len(passes)-1]; step.Consumer != "" {
				last.Steps = append(last.Steps, step)
			}
			return nil
		})
		return err
	})
	return passes, err
}
