package access

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Identity is what a key stands for.
type Identity struct {
	Actor      wiki.Actor
	TenantSlug string // empty for a superadmin outside any tenant
	TenantName string
	KeyName    string
	KeyPrefix  string
	ExpiresAt  *time.Time
	Now        time.Time // the server's clock when the key was checked
	Calls      Calls     // set by Enter
}

const resolveSQL = `select k.id, k.key_hash, k.key_prefix, k.name, k.role, coalesce(k.agent_id, ''), k.expires_at, k.revoked_at, k.last_used_at,
       coalesce(d.lineage, array[coalesce(k.origin_id, k.id)]), coalesce(d.revoked_at is not null, false), case when d.id is not null then array(
         select x.agent_id from (
           select r.agent_id, 0 as depth from api_keys r where r.id = d.lineage[1]
           union all select p.agent_id, l.depth from unnest(d.lineage[2:array_length(d.lineage, 1) - 1]) with ordinality as l (id, depth) join dispatches p on p.id = l.id
         ) x where x.agent_id is not null order by x.depth) end,
       k.tenant_id, coalesce(t.slug, ''), coalesce(t.name, ''), t.suspended_at is not null,
       coalesce((t.settings ->> 'rate_per_key')::int, 0)
from api_keys k left join tenants t on t.id = k.tenant_id left join dispatches d on d.id = k.dispatch_id
where k.key_hash = $1`

// skip locked: a request never waits for another one's touch.
const touchSQL = `update api_keys set last_used_at = $2
where id in (select id from api_keys where id = $1 and (last_used_at is null or last_used_at < $3) for update skip locked)`

// Resolve turns a key's text into who it is. An unknown or revoked key is CodeUnauthorized, an expired one CodeKeyExpired,
// a key of a suspended tenant CodeTenantSuspended.
func (s *Service) Resolve(ctx context.Context, secret string) (Identity, error) {
	return s.Enter(ctx, secret, Rates{})
}

// Enter is Resolve for a call, which it counts against the rates in the same transaction. A call too many is no error here:
// Identity.Calls says so.
func (s *Service) Enter(ctx context.Context, secret string, rates Rates) (Identity, error) {
	if !secretForm.MatchString(secret) {
		return Identity{}, unknownKey()
	}
	var id Identity
	err := s.db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		var lastUsed *time.Time
		var ownRate int
		var err error
		if id, lastUsed, ownRate, err = lookUp(ctx, tx, secret); err != nil {
			return err
		}
		if id.Calls, err = rates.count(ctx, tx, id.Actor, ownRate); err != nil {
			return err
		}
		if lastUsed != nil && tx.Now.Sub(*lastUsed) < s.settings.TouchEvery {
			return nil
		}
		if _, err := tx.Exec(ctx, touchSQL, id.Actor.Key, tx.Now, tx.Now.Add(-s.settings.TouchEvery)); err != nil {
			return fmt.Errorf("access: touch the key: %w", err)
		}
		return nil
	})
	if err != nil {
		return Identity{}, err
	}
	return id, nil
}

func lookUp(ctx context.Context, tx postgres.Tx, secret string) (id Identity, lastUsed *time.Time, ownRate int, err error) {
	var (
		hash, role                 string
		revokedAt                  *time.Time
		dispatchRevoked, suspended bool
		tenant                     *uuid.UUID
		wanted                     = hashSecret(secret)
	)
	id.Now = tx.Now
	err = tx.QueryRow(ctx, resolveSQL, wanted).Scan(&id.Actor.Key, &hash, &id.KeyPrefix, &id.KeyName, &role, &id.Actor.Agent,
		&id.ExpiresAt, &revokedAt, &lastUsed, &id.Actor.Lineage, &dispatchRevoked, &id.Actor.Line, &tenant, &id.TenantSlug, &id.TenantName, &suspended, &ownRate)
	if errors.Is(err, pgx.ErrNoRows) {
		return id, nil, 0, unknownKey()
	}
	if err != nil {
		return id, nil, 0, fmt.Errorf("access: look up the key: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(hash), []byte(wanted)) != 1 || revokedAt != nil || dispatchRevoked {
		return id, nil, 0, unknownKey()
	}
	if id.ExpiresAt != nil && !tx.Now.Before(*id.ExpiresAt) {
		e := wiki.Errorf(wiki.CodeKeyExpired, "the key expired at %s", id.ExpiresAt.Format(time.RFC3339))
		e.Remedy = "ask for a new key"
		return id, nil, 0, e
	}
	if suspended {
		e := wiki.Errorf(wiki.CodeTenantSuspended, "the tenant %s is suspended", id.TenantSlug)
		e.Remedy = "ask the operator of the server"
		return id, nil, 0, e
	}
	if tenant != nil {
		id.Actor.Tenant = *tenant
	}
	id.Actor.Role, err = wiki.ParseRole(role)
	return id, lastUsed, ownRate, err
}

// unknownKey is one answer for a malformed, an unknown and a revoked key.
func unknownKey() error {
	e := wiki.Errorf(wiki.CodeUnauthorized, "the key is not valid")
	e.Remedy = "send a valid key as Authorization: Bearer wk_..."
	return e
}
