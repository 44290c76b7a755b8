package proposals

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/audit"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

const (
	actMint = "proposal.mint"

	// One principal's mints take turns, so that the bound on what waits holds.
	mintTurnSQL = `select pg_advisory_xact_lock(hashtextextended('mint:' || $1::uuid::text || ':' || $2, 0))`
	pendingSQL  = `select count(*) from proposals where tenant_id = $1 and kind = 'review' and state = 'pending' and minted_by ->> 'principal' = $2 and expires_at > $3`
)

// Mint freezes a set and puts it before a person, with the minter's reason. Any role may propose an act on articles that it
// sees; another principal of role user decides (SPEC §4). Ids that name nothing are in it as such. A repeat by the act key
// answers with the first one's proposal. Errors: CodeInvalid for a set that is empty or over the frozen bound, and for a
// missing reason; CodeRateLimited for a minter with too many that wait.
func (s *Service) Mint(ctx context.Context, actor wiki.Actor, r Request, actKey string) (Detail, error) {
	r, digest, err := s.prepare(ctx, actor, r, wiki.RoleAgent, true)
	if err != nil {
		return Detail{}, err
	}
	var id uuid.UUID
	err = s.db.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		raw, found, err := audit.Replay(ctx, tx, actor, actKey, actMint, uuid.Nil)
		if err != nil {
			return err
		}
		if found {
			return json.Unmarshal(raw, &id)
		}
		if err := s.mayMint(ctx, tx, actor); err != nil {
			return err
		}
		p, err := s.mint(ctx, tx, actor, r, digest)
		if err != nil {
			return err
		}
		id = p.ID
		detail := map[string]any{"op": p.Act.String(), "selector": p.Selector, "requested": p.Counts.Requested, "reason": p.Reason}
		if err := audit.Write(ctx, tx, actor, audit.Entry{Act: actMint, Subject: id, ActKey: actKey, Result: id, Detail: detail}); err != nil {
			return err
		}
		return emit(ctx, tx, p, KindMinted, p.Counts.payload())
	})
	if err != nil {
		return Detail{}, err
	}
	return s.Get(ctx, actor, id)
}

func (s *Service) mint(ctx context.Context, tx postgres.Tx, actor wiki.Actor, r Request, digest []byte) (Proposal, error) {
	set, err := s.selectSet(ctx, tx, actor, r)
	if err != nil {
		return Proposal{}, err
	}
	field := string(r.Selector.Kind())
	switch n := present(set); {
	case n == 0:
		return Proposal{}, wiki.Invalid(field, "no article matches: there is nothing to propose")
	case len(set) > s.settings.FrozenBound:
		e := wiki.Invalid(field, "%d articles are too many for one proposal; at most %d are allowed", len(set), s.settings.FrozenBound)
		e.Remedy = "propose them in several parts: a person has to look at each"
		return Proposal{}, e
	}
	return s.freeze(ctx, tx, actor, r, KindReview, set, digest, nil)
}

// mayMint bounds what one principal leaves for people to decide (case 85).
func (s *Service) mayMint(ctx context.Context, tx postgres.Tx, actor wiki.Actor) error {
	if _, err := tx.Exec(ctx, mintTurnSQL, actor.Tenant, actor.Principal()); err != nil {
		return fmt.Errorf("proposals: take the minter's turn: %w", err)
	}
	var waiting int
	if err := tx.QueryRow(ctx, pendingSQL, actor.Tenant, actor.Principal(), tx.Now).Scan(&waiting); err != nil {
		return fmt.Errorf("proposals: count what waits: %w", err)
	}
	if waiting < s.settings.MaxPending {
		return nil
	}
	e := wiki.Errorf(wiki.CodeRateLimited, "%d proposals of yours wait for a decision", waiting)
	e.Remedy = "wait until some are decided, or withdraw those that are no longer needed"
	return e
}

// named are the arguments that find one proposal.
func named(actor wiki.Actor, id uuid.UUID) pgx.NamedArgs {
	return pgx.NamedArgs{"tenant": actor.Tenant, "id": id}
}
