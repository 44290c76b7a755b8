package access

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/text/unicode/norm"

	"wiki/core/audit"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Key is a key's record. Secret is set only in the answer that made it.
type Key struct {
	ID         uuid.UUID
	Name       string
	Prefix     string
	Role       wiki.Role
	AgentID    string
	Dispatch   *uuid.UUID // set for a key that a dispatch minted
	Origin     uuid.UUID  // the first key of its chain of rotations
	Successor  *uuid.UUID // set once rotated
	ExpiresAt  *time.Time
	RevokedAt  *time.Time
	LastUsedAt *time.Time
	InsertedAt time.Time
	Secret     string
}

// NewKey asks for a key in the actor's tenant.
type NewKey struct {
	Name     string
	Role     wiki.Role
	AgentID  string        // empty = the key's own id is its principal
	Lifetime time.Duration // 0 = does not expire
}

const keyColumns = `id, name, key_prefix, role, coalesce(agent_id, ''), dispatch_id, coalesce(origin_id, id), successor_id,
       expires_at, revoked_at, last_used_at, inserted_at`

const (
	insertKeySQL = `insert into api_keys (id, tenant_id, name, key_hash, key_prefix, role, agent_id, dispatch_id, origin_id, expires_at, inserted_at)
values ($1, $2, $3, $4, $5, $6, nullif($7, ''), $8, nullif($9, $1::uuid), $10, $11)`
	liveKeysSQL = `select count(*) from api_keys where tenant_id is not distinct from $1 and dispatch_id is null and revoked_at is null
  and (expires_at is null or expires_at > $2)`
	maxKeysSQL = `select coalesce((settings ->> 'max_keys')::int, 0) from tenants where id = $1`
	twinKeySQL = `select exists (select from api_keys where tenant_id = $1 and agent_id = $2 and role = $3 and dispatch_id is null
  and successor_id is null and revoked_at is null and (expires_at is null or expires_at > $4))`
	listKeysSQL = `select ` + keyColumns + ` from api_keys where tenant_id is not distinct from $1 and dispatch_id is null order by inserted_at desc, id desc`
	lockKeySQL  = `select ` + keyColumns + ` from api_keys where tenant_id is not distinct from $1 and id = $2 for update`
	revokeSQL   = `update api_keys set revoked_at = $2 where id = $1 and revoked_at is null`
	retireSQL   = `update api_keys set successor_id = $2, expires_at = least(expires_at, $3) where id = $1`
)

// CreateKey makes a key; its text is in the answer and nowhere else. It needs role user and no dispatch, never grants a role above the
// actor's own, and a tenant has no superadmin keys: those belong to no tenant. For roles below user one agent has one key
// per role; past a tenant's limit of live keys the answer is CodeInvalid.
func (s *Service) CreateKey(ctx context.Context, actor wiki.Actor, in NewKey) (Key, error) {
	in.Name, in.AgentID = norm.NFC.String(in.Name), norm.NFC.String(in.AgentID)
	if err := validateNewKey(actor, in); err != nil {
		return Key{}, err
	}
	var key Key
	err := s.within(ctx, actor, func(ctx context.Context, tx postgres.Tx) error {
		if err := serialise(ctx, tx, actor.Tenant); err != nil {
			return err
		}
		if err := s.roomForKey(ctx, tx, actor.Tenant); err != nil {
			return err
		}
		if in.AgentID != "" && in.Role < wiki.RoleUser {
			var twin bool
			if err := tx.QueryRow(ctx, twinKeySQL, actor.Tenant, in.AgentID, in.Role.String(), tx.Now).Scan(&twin); err != nil {
				return fmt.Errorf("access: look for the agent's key: %w", err)
			}
			if twin {
				e := wiki.Invalid("agent_id", "the agent %q has a live key of role %s", in.AgentID, in.Role)
				e.Remedy = "rotate or revoke that key, or choose another agent id"
				return e
			}
		}
		key = Key{ID: tx.NewID(), Name: in.Name, Role: in.Role, AgentID: in.AgentID, InsertedAt: tx.Now}
		key.Origin = key.ID
		if in.Lifetime > 0 {
			key.ExpiresAt = at(tx.Now, in.Lifetime)
		}
		if err := insertKey(ctx, tx, actor.Tenant, &key); err != nil {
			return err
		}
		return audit.Write(ctx, tx, actor, audit.Entry{
			Act: "key.create", Subject: key.ID,
			Detail: map[string]any{"name": key.Name, "role": key.Role.String(), "agent_id": key.AgentID},
		})
	})
	if err != nil {
		return Key{}, err
	}
	return key, nil
}

func (s *Service) roomForKey(ctx context.Context, tx postgres.Tx, tenant uuid.UUID) error {
	if tenant == uuid.Nil {
		return nil
	}
	limit := 0
	err := tx.QueryRow(ctx, maxKeysSQL, tenant).Scan(&limit)
	if errors.Is(err, pgx.ErrNoRows) {
		return wiki.NotFound()
	}
	if err != nil {
		return fmt.Errorf("access: read the tenant's limit: %w", err)
	}
	if limit == 0 {
		limit = s.settings.MaxKeys
	}
	var live int
	if err := tx.QueryRow(ctx, liveKeysSQL, tenant, tx.Now).Scan(&live); err != nil {
		return fmt.Errorf("access: count keys: %w", err)
	}
	if live >= limit {
		e := wiki.Invalid("name", "the tenant has its %d keys", limit)
		e.Remedy = "revoke a key that is no longer used"
		return e
	}
	return nil
}

// insertKey draws the secret and stores its hash; it sets Secret and Prefix.
func insertKey(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, key *Key) error {
	key.Secret = newSecret()
	key.Prefix = shown(key.Secret)
	_, err := tx.Exec(ctx, insertKeySQL, key.ID, idOrNull(tenant), key.Name, hashSecret(key.Secret), key.Prefix, key.Role.String(),
		key.AgentID, key.Dispatch, key.Origin, key.ExpiresAt, key.InsertedAt)
	if err != nil {
		return fmt.Errorf("access: store the key: %w", err)
	}
	return nil
}

// ListKeys gives the tenant's keys, newest first, revoked ones too; the keys of dispatches are listed with those.
func (s *Service) ListKeys(ctx context.Context, actor wiki.Actor) ([]Key, error) {
	if err := actor.Require(wiki.RoleUser); err != nil {
		return nil, err
	}
	var keys []Key
	err := s.within(ctx, actor, func(ctx context.Context, tx postgres.Tx) error {
		rows, err := tx.Query(ctx, listKeysSQL, idOrNull(actor.Tenant))
		if err != nil {
			return fmt.Errorf("access: list keys: %w", err)
		}
		keys, err = pgx.CollectRows(rows, scanKey)
		return err
	})
	return keys, err
}

// RevokeKey ends a key and every dispatch minted with it, at once; a dispatch revokes none (CodeForbidden). Revoking a revoked key changes nothing.
func (s *Service) RevokeKey(ctx context.Context, actor wiki.Actor, id uuid.UUID) error {
	if err := keepsKeys(actor); err != nil {
		return err
	}
	return s.within(ctx, actor, func(ctx context.Context, tx postgres.Tx) error {
		if err := serialise(ctx, tx, actor.Tenant); err != nil {
			return err
		}
		key, err := lockKey(ctx, tx, actor.Tenant, id)
		if err != nil || key.RevokedAt != nil {
			return err
		}
		if _, err := tx.Exec(ctx, revokeSQL, id, tx.Now); err != nil {
			return fmt.Errorf("access: revoke the key: %w", err)
		}
		ended, err := revokeMintedBy(ctx, tx, actor.Tenant, id)
		if err != nil {
			return err
		}
		return audit.Write(ctx, tx, actor, audit.Entry{Act: "key.revoke", Subject: id, Detail: map[string]any{"name": key.Name, "dispatches": ended}})
	})
}

func lockKey(ctx context.Context, tx postgres.Tx, tenant, id uuid.UUID) (Key, error) {
	rows, err := tx.Query(ctx, lockKeySQL, idOrNull(tenant), id)
	if err != nil {
		return Key{}, fmt.Errorf("access: read the key: %w", err)
	}
	key, err := pgx.CollectExactlyOneRow(rows, scanKey)
	if errors.Is(err, pgx.ErrNoRows) {
		return Key{}, wiki.NotFound()
	}
	return key, err
}

func scanKey(row pgx.CollectableRow) (Key, error) {
	var k Key
	var role string
	err := row.Scan(&k.ID, &k.Name, &k.Prefix, &role, &k.AgentID, &k.Dispatch, &k.Origin, &k.Successor, &k.ExpiresAt, &k.RevokedAt,
		&k.LastUsedAt, &k.InsertedAt)
	if err != nil {
		return k, fmt.Errorf("access: read a key: %w", err)
	}
	k.Role, err = wiki.ParseRole(role)
	return k, err
}

func at(now time.Time, after time.Duration) *time.Time {
	t := now.Add(after)
	return &t
}

func idOrNull(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}
