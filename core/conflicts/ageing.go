package conflicts

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// IntakeWindow is the span in which intake is counted.
const IntakeWindow = 24 * time.Hour

// Ageing says whether a queue is kept up with (case 85): one that takes in more than is judged, or whose oldest pair only
// grows older, is a heap.
type Ageing struct {
	Open   int       // pairs that wait for a verdict
	Intake int       // pairs flagged within IntakeWindow, judged since or not
	Oldest time.Time // when the pair that has waited longest was flagged; zero = none waits
	At     time.Time // when this was so
}

// OldestAge is how long the pair has waited that waits longest; 0 when none does.
func (a Ageing) OldestAge() time.Duration {
	if a.Oldest.IsZero() {
		return 0
	}
	return a.At.Sub(a.Oldest)
}

// What is open and what came lately are two walks along indexes; neither touches a pair that was settled long ago.
var (
	ageingColumns = `select count(*) filter (where p.state = 'open' and p.closed = ''), count(*) filter (where p.flagged_at > @since),
  min(p.flagged_at) filter (where p.state = 'open' and p.closed = '') from conflict_pairs p`

	ageingRows = `((p.state = 'open' and p.closed = '') or (p.closed = '' and p.state in ('judged', 'settled') and p.flagged_at > @since)
  or ((p.state = 'settled' or p.closed <> '') and p.flagged_at > @since))`

	ageingSQL = ageingColumns + `
join articles a on a.id = p.first_id and a.tenant_id = p.tenant_id
join articles b on b.id = p.second_id and b.tenant_id = p.tenant_id
where p.tenant_id = @viewer_tenant and ` + postgres.VisibleTo("a") + ` and ` + postgres.VisibleTo("b") + ` and ` + ageingRows

	// A user sees every pair of the tenant, so counting needs no article.
	ageingAllSQL = ageingColumns + ` where p.tenant_id = @viewer_tenant and ` + ageingRows

	// The indexes begin with the tenant: without one, every pair that ever was would be read.
	ageingEverywhereSQL = `select coalesce(sum(q.open), 0)::bigint, coalesce(sum(q.intake), 0)::bigint, min(q.oldest) from tenants t
cross join lateral (` + ageingColumns + ` where p.tenant_id = t.id and ` + ageingRows + `) q (open, intake, oldest)`
)

// Ageing measures the queue of the pairs that the actor can see.
func (s Service) Ageing(ctx context.Context, actor wiki.Actor) (a Ageing, err error) {
	sql := ageingSQL
	if actor.Role >= wiki.RoleUser {
		sql = ageingAllSQL
	}
	err = s.read(ctx, actor, func(ctx context.Context, tx postgres.Tx) error {
		return a.scan(ctx, tx, sql, args(actor, pgx.NamedArgs{"since": tx.Now.Add(-IntakeWindow)}))
	})
	return a, err
}

// AgeingEverywhere measures the queues of all tenants together, for the operator's metrics. It shows no pair. It reads each
// open pair and the last day's: 0.1 s for 100,000, so that who asks often should keep the answer for some seconds.
func (s Service) AgeingEverywhere(ctx context.Context) (a Ageing, err error) {
	err = s.DB.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		return a.scan(ctx, tx, ageingEverywhereSQL, pgx.NamedArgs{"since": tx.Now.Add(-IntakeWindow)})
	})
	return a, err
}

func (a *Ageing) scan(ctx context.Context, tx postgres.Tx, sql string, args pgx.NamedArgs) error {
	var oldest *time.Time
	if err := tx.QueryRow(ctx, sql, args).Scan(&a.Open, &a.Intake, &oldest); err != nil {
		return fmt.Errorf("conflicts: measure the queue: %w", err)
	}
	a.At, a.Oldest = tx.Now, time.Time{}
	if oldest != nil {
		a.Oldest = *oldest
	}
	return nil
}
