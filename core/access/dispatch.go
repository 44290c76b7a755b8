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

// maxDepth bounds a lineage: a chain of dispatches longer than this is a loop that mints itself.
const maxDepth = 32

// Dispatch is a short-lived child key's record. Secret is set only in the answer that made it.
type Dispatch struct {
	ID         uuid.UUID
	Parent     *uuid.UUID // nil when a key outside every dispatch minted it
	MintedBy   uuid.UUID  // the minting key
	AgentID    string
	Role       wiki.Role
	Lineage    []uuid.UUID // the root key's origin, then the dispatches down to this one
	ExpiresAt  time.Time
	RevokedAt  *time.Time
	InsertedAt time.Time
	Key        uuid.UUID
	Secret     string
}

// NewDispatch asks for a child key.
type NewDispatch struct {
	AgentID  string        // empty = the child key's own id is its principal
	Role     wiki.Role     // at most the minter's
	Lifetime time.Duration // 0 = the default
}

const dispatchColumns = `d.id, d.parent_dispatch_id, d.minted_by_key_id, coalesce(d.agent_id, ''), d.role, d.lineage, d.expires_at,
       d.revoked_at, d.inserted_at, k.id`

const (
	parentSQL = `select k.dispatch_id, k.role, k.expires_at, coalesce(d.lineage, array[coalesce(k.origin_id, k.id)]),
       k.revoked_at is not null or coalesce(d.revoked_at is not null, false)
from api_keys k left join dispatches d on d.id = k.dispatch_id where k.tenant_id = $1 and k.id = $2`
	// An agent id that a key outside the minter's line carries is somebody else's name.
	foreignAgentSQL = `select exists (select from api_keys k left join dispatches d on d.id = k.dispatch_id
  where k.tenant_id = $1 and k.agent_id = $2 and coalesce(d.lineage[1], k.origin_id, k.id) <> $3)`
	liveDispatchesSQL = `select count(*) from dispatches where tenant_id = $1 and revoked_at is null and expires_at > $2`
	insertDispatchSQL = `insert into dispatches (id, tenant_id, parent_dispatch_id, minted_by_key_id, agent_id, role, lineage, expires_at, inserted_at)
values ($1, $2, $3, $4, nullif($5, ''), $6, $7, $8, $9)`
	listDispatchesSQL = `select ` + dispatchColumns + ` from dispatches d join api_keys k on k.dispatch_id = d.id
where d.tenant_id = $1 and ($2::uuid is null or d.lineage @> array[$2::uuid]) order by d.inserted_at desc, d.id desc limit $3`
	findDispatchSQL = `select lineage from dispatches where tenant_id = $1 and id = $2`
	// A subtree and its keys end in one statement each; what is revoked already keeps its time.
	revokeTreeSQL     = `update dispatches set revoked_at = $3 where tenant_id = $1 and lineage && $2 and revoked_at is null`
	revokeTreeKeysSQL = `update api_keys set revoked_at = $3 where tenant_id = $1 and revoked_at is null
  and dispatch_id in (select id from dispatches where tenant_id = $1 and lineage && $2)`
	mintedBySQL    = `select coalesce(array_agg(id), '{}') from dispatches where tenant_id = $1 and minted_by_key_id = $2`
	shortenTreeSQL = `update dispatches set expires_at = $3 where tenant_id = $1 and lineage && $2 and expires_at > $3`
	shortenKeysSQL = `update api_keys set expires_at = $3 where tenant_id = $1 and expires_at > $3
  and dispatch_id in (select id from dispatches where tenant_id = $1 and lineage && $2)`
)

// maxListedDispatches bounds a listing: the newest.
const maxListedDispatches = 500

type parent struct {
	dispatch *uuid.UUID
	role     wiki.Role
	expires  *time.Time
	lineage  []uuid.UUID
}

// MintDispatch makes a child of the actor's own key. The child never outlives its parent: a lifetime that would is cut to
// the parent's rest. A minter below role user, or a dispatch, may not give the child the name of an agent of another
// line, whose private articles it would then read. A parent that was revoked or has expired is CodeParentExpired.
func (s *Service) MintDispatch(ctx context.Context, actor wiki.Actor, in NewDispatch) (Dispatch, error) {
	in.AgentID = norm.NFC.String(in.AgentID)
	lifetime, err := s.validateNewDispatch(actor, in)
	if err != nil {
		return Dispatch{}, err
	}
	var d Dispatch
	err = s.within(ctx, actor, func(ctx context.Context, tx postgres.Tx) error {
		if err := serialise(ctx, tx, actor.Tenant); err != nil {
			return err
		}
		p, err := liveParent(ctx, tx, actor)
		if err != nil {
			return err
		}
		if err := s.mayMint(ctx, tx, actor, p, in); err != nil {
			return err
		}
		d = Dispatch{
			ID: tx.NewID(), Parent: p.dispatch, MintedBy: actor.Key, AgentID: in.AgentID, Role: in.Role,
			ExpiresAt: tx.Now.Add(lifetime), InsertedAt: tx.Now,
		}
		if p.expires != nil && p.expires.Before(d.ExpiresAt) {
			d.ExpiresAt = *p.expires
		}
		d.Lineage = append(append([]uuid.UUID{}, p.lineage...), d.ID)
		if err := storeDispatch(ctx, tx, actor.Tenant, &d); err != nil {
			return err
		}
		return audit.Write(ctx, tx, actor, audit.Entry{
			Act: "dispatch.mint", Subject: d.ID,
			Detail: map[string]any{"role": d.Role.String(), "agent_id": d.AgentID, "expires_at": d.ExpiresAt},
		})
	})
	if err != nil {
		return Dispatch{}, err
	}
	return d, nil
}

func (s *Service) validateNewDispatch(actor wiki.Actor, in NewDispatch) (time.Duration, error) {
	if err := actor.Require(wiki.RoleAgent); err != nil {
		return 0, err
	}
	if actor.Tenant == uuid.Nil || actor.Key == uuid.Nil {
		return 0, wiki.Errorf(wiki.CodeForbidden, "only a tenant's key mints a dispatch")
	}
	if in.Role < wiki.RoleAgent || in.Role > wiki.RoleUser {
		return 0, wiki.Invalid("role", "role must be agent, orchestrator or user")
	}
	lifetime := in.Lifetime
	if lifetime == 0 {
		lifetime = s.settings.DispatchDefault
	}
	if lifetime < s.settings.DispatchMin || lifetime > s.settings.DispatchMax {
		return 0, wiki.Invalid("lifetime_seconds", "lifetime_seconds must be between %d and %d",
			int(s.settings.DispatchMin.Seconds()), int(s.settings.DispatchMax.Seconds()))
	}
	return lifetime, validateAgentID(in.AgentID)
}

func liveParent(ctx context.Context, tx postgres.Tx, actor wiki.Actor) (parent, error) {
	var p parent
	var role string
	var revoked bool
	err := tx.QueryRow(ctx, parentSQL, actor.Tenant, actor.Key).Scan(&p.dispatch, &role, &p.expires, &p.lineage, &revoked)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return p, fmt.Errorf("access: read the minting key: %w", err)
	}
	if err != nil || revoked || (p.expires != nil && !tx.Now.Before(*p.expires)) {
		e := wiki.Errorf(wiki.CodeParentExpired, "the minting key is no longer live")
		e.Remedy = "mint the dispatch with a live key"
		return p, e
	}
	p.role, err = wiki.ParseRole(role)
	return p, err
}

func (s *Service) mayMint(ctx context.Context, tx postgres.Tx, actor wiki.Actor, p parent, in NewDispatch) error {
	if in.Role > p.role {
		return wiki.Errorf(wiki.CodeForbidden, "a key of role %s cannot mint one of role %s", p.role, in.Role)
	}
	if len(p.lineage) >= maxDepth {
		return wiki.Errorf(wiki.CodeForbidden, "a dispatch has at most %d ancestors", maxDepth)
	}
	if in.AgentID != "" && in.AgentID != actor.Agent && (p.role < wiki.RoleUser || p.dispatch != nil) {
		var foreign bool
		if err := tx.QueryRow(ctx, foreignAgentSQL, actor.Tenant, in.AgentID, p.lineage[0]).Scan(&foreign); err != nil {
			return fmt.Errorf("access: look for the agent: %w", err)
		}
		if foreign {
			e := wiki.Errorf(wiki.CodeForbidden, "the agent %q belongs to another key", in.AgentID)
			e.Field, e.Remedy = "agent_id", "choose another agent id, or mint with a key of role user that is no dispatch"
			return e
		}
	}
	var live int
	if err := tx.QueryRow(ctx, liveDispatchesSQL, actor.Tenant, tx.Now).Scan(&live); err != nil {
		return fmt.Errorf("access: count dispatches: %w", err)
	}
	if live >= s.settings.MaxDispatches {
		e := wiki.Errorf(wiki.CodeRateLimited, "the tenant has its %d live dispatches", s.settings.MaxDispatches)
		e.Remedy = "revoke dispatches that are done, or wait until some expire"
		return e
	}
	return nil
}

func storeDispatch(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, d *Dispatch) error {
	_, err := tx.Exec(ctx, insertDispatchSQL, d.ID, tenant, d.Parent, d.MintedBy, d.AgentID, d.Role.String(), d.Lineage, d.ExpiresAt, d.InsertedAt)
	if err != nil {
		return fmt.Errorf("access: store the dispatch: %w", err)
	}
	key := Key{
		ID: tx.NewID(), Name: "dispatch-" + d.ID.String(), Role: d.Role, AgentID: d.AgentID, Dispatch: &d.ID,
		ExpiresAt: &d.ExpiresAt, InsertedAt: d.InsertedAt,
	}
	key.Origin = key.ID
	if err := insertKey(ctx, tx, tenant, &key); err != nil {
		return err
	}
	d.Key, d.Secret = key.ID, key.Secret
	return nil
}

// ListDispatches gives the newest dispatches, ended ones too: a user's own key sees the tenant's, anyone else its own line's.
func (s *Service) ListDispatches(ctx context.Context, actor wiki.Actor) ([]Dispatch, error) {
	if err := actor.Require(wiki.RoleAgent); err != nil {
		return nil, err
	}
	var within *uuid.UUID
	if actor.Role < wiki.RoleUser || actor.Dispatched() {
		own := self(actor)
		within = &own
	}
	var list []Dispatch
	err := s.within(ctx, actor, func(ctx context.Context, tx postgres.Tx) error {
		rows, err := tx.Query(ctx, listDispatchesSQL, actor.Tenant, within, maxListedDispatches)
		if err != nil {
			return fmt.Errorf("access: list dispatches: %w", err)
		}
		list, err = pgx.CollectRows(rows, scanDispatch)
		return err
	})
	return list, err
}

func scanDispatch(row pgx.CollectableRow) (Dispatch, error) {
	var d Dispatch
	var role string
	err := row.Scan(&d.ID, &d.Parent, &d.MintedBy, &d.AgentID, &role, &d.Lineage, &d.ExpiresAt, &d.RevokedAt, &d.InsertedAt, &d.Key)
	if err != nil {
		return d, fmt.Errorf("access: read a dispatch: %w", err)
	}
	d.Role, err = wiki.ParseRole(role)
	return d, err
}
