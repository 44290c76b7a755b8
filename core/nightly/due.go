package nightly

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Due is a tenant whose pass wants a turn.
type Due struct {
	Tenant uuid.UUID
	Pass   uuid.UUID // zero: tonight's has not begun
	Turn   int       // turns that the pass has had
}

// What was open longest comes first. A tenant that was made since the night began waits for the next one. A suspended tenant
// has no pass: suspension is what stops it.
const dueSQL = `select t.id, coalesce(p.id, '00000000-0000-0000-0000-000000000000'), coalesce(p.turns, 0) from tenants t
left join nightly_passes p on p.tenant_id = t.id and p.finished_at is null
where t.suspended_at is null and ($4::uuid is null or t.id = $4) and case when p.id is not null then coalesce(p.lease_until <= $1, true)
  else t.inserted_at < $2 and not exists (select from nightly_passes d where d.tenant_id = t.id and d.night >= $3) end
order by p.started_at nulls last, t.id`

// Due lists the tenants whose pass wants a turn: those whose pass was cut or died, and those that have not had tonight's.
func (s *Service) Due(ctx context.Context) (list []Due, err error) { return s.due(ctx, nil) }

func (s *Service) due(ctx context.Context, tenant *uuid.UUID) (list []Due, err error) {
	err = s.db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		night := wiki.NightOf(tx.Now, s.settings.Hour)
		begins := night.Add(time.Duration(s.settings.Hour) * time.Hour)
		rows, err := tx.Query(ctx, dueSQL, tx.Now, begins, night, tenant)
		if err != nil {
			return fmt.Errorf("nightly: look for what is due: %w", err)
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Due])
		return err
	})
	return list, err
}
