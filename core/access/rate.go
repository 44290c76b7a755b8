package access

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// RateWindow is what the rates count over.
const RateWindow = time.Minute

// Rates bound the calls of a RateWindow (facts §2). The counts are in the database: all servers share one limit.
type Rates struct {
	PerKey     int // a tenant's own setting "rate_per_key" wins; zero or less = no limit
	TenantKeys int // of a tenant, in multiples of PerKey
}

// Who made all its calls.
const (
	OverKey    = "key"
	OverTenant = "tenant"
)

// Calls is where a key stands with its rate after a call.
type Calls struct {
	Limited   bool // false: nothing is counted for this key
	Limit     int
	Remaining int
	Reset     time.Time // when the window ends
	Over      string    // OverKey or OverTenant when the call is one too many, else empty
}

// A call is counted for the tenant only when it is for the key: a key that hammers must not spend what its tenant's other
// keys may use. The window before counts by the part of it that lies within the last RateWindow. A call that its
// own key's rate refuses is not counted, so that a caller who slows down gets through again.
const countCallSQL = `with before as (
	select id, calls * @weight::float8 as calls from rate_counts where id in (@key, @tenant) and starts_at = @previous
), key as (
	insert into rate_counts as r (id, starts_at, calls) select @key, @window, 1
	where coalesce((select calls from before where id = @key), 0) < @key_most
	on conflict (id, starts_at) do update set calls = r.calls + 1
	where r.calls + coalesce((select calls from before where id = @key), 0) < @key_most
	returning calls
), tenant as (
	insert into rate_counts as r (id, starts_at, calls) select @tenant, @window, 1
	where exists (select from key) and coalesce((select calls from before where id = @tenant), 0) < @tenant_most
	on conflict (id, starts_at) do update set calls = r.calls + 1
	where r.calls + coalesce((select calls from before where id = @tenant), 0) < @tenant_most
	returning calls
)
select coalesce((select calls from key), 0), coalesce((select calls from before where id = @key), 0), (select calls from tenant)`

const forgetCallsSQL = `delete from rate_counts where id in ($1, $2) and starts_at < $3`

// count counts one call. A superadmin's are not counted.
func (r Rates) count(ctx context.Context, tx postgres.Tx, actor wiki.Actor, own int) (Calls, error) {
	if own > 0 {
		r.PerKey = own
	}
	if r.PerKey <= 0 || actor.Tenant == uuid.Nil || actor.Role >= wiki.RoleSuperadmin {
		return Calls{}, nil
	}
	window := tx.Now.Truncate(RateWindow)
	c := Calls{Limited: true, Limit: r.PerKey, Reset: window.Add(RateWindow)}
	var byKey int
	var before float64
	var byTenant *int
	err := tx.QueryRow(ctx, countCallSQL, pgx.NamedArgs{
		"key": actor.Key, "tenant": actor.Tenant, "window": window, "previous": window.Add(-RateWindow),
		"weight":   float64(c.Reset.Sub(tx.Now)) / float64(RateWindow),
		"key_most": r.PerKey, "tenant_most": r.PerKey * r.TenantKeys,
	}).Scan(&byKey, &before, &byTenant)
	if err != nil {
		return c, fmt.Errorf("access: count the call: %w", err)
	}
	switch {
	case byKey == 0:
		c.Over = OverKey
	case byTenant == nil:
		c.Over = OverTenant
	}
	if byKey > 0 {
		c.Remaining = max(r.PerKey-byKey-int(before), 0)
	}
	if byKey == 1 { // the window's first call
		if _, err := tx.Exec(ctx, forgetCallsSQL, actor.Key, actor.Tenant, window.Add(-RateWindow)); err != nil {
			return c, fmt.Errorf("access: forget calls: %w", err)
		}
	}
	return c, nil
}
