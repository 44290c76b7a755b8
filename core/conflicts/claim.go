package conflicts

import (
	"context"
	"fmt"
	"time"

	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

const (
	takeClaimSQL = `insert into conflict_claims (tenant_id, first_id, second_id, claimed_by, expires_at) values ($1, $2, $3, $4, $5)
on conflict (tenant_id, first_id, second_id) do update set claimed_by = excluded.claimed_by, expires_at = excluded.expires_at`
	dropClaimSQL = `delete from conflict_claims where tenant_id = $1 and first_id = $2 and second_id = $3`
)

// Claim takes a pair for a while, so that two curators do not judge one pair (case 89). Claiming again renews the lease; one
// that has lapsed is free. A pair that another principal holds is CodeClaimed.
func (s Service) Claim(ctx context.Context, actor wiki.Actor, pair wiki.Pair) (Claim, error) {
	var c Claim
	err := s.act(ctx, actor, pair, func(ctx context.Context, tx postgres.Tx, h held) error {
		if h.claim != nil && !h.claim.Mine {
			return claimed(*h.claim)
		}
		c = Claim{By: actor.Principal(), Mine: true, ExpiresAt: tx.Now.Add(s.lease())}
		if _, err := tx.Exec(ctx, takeClaimSQL, actor.Tenant, pair.First, pair.Second, actor.Stamp(), c.ExpiresAt); err != nil {
			return fmt.Errorf("conflicts: claim: %w", err)
		}
		return flags.Emit(ctx, tx, actor.Tenant, KindClaimed, pair, map[string]any{"by": c.By, "expires_at": c.ExpiresAt})
	})
	if err != nil {
		return Claim{}, err
	}
	return c, nil
}

// Release gives a claim up. A pair that is free or that another holds stays as it is: there is nothing to give up.
func (s Service) Release(ctx context.Context, actor wiki.Actor, pair wiki.Pair) error {
	return s.act(ctx, actor, pair, func(ctx context.Context, tx postgres.Tx, h held) error {
		if h.claim == nil || !h.claim.Mine {
			return nil
		}
		return dropClaim(ctx, tx, actor, pair)
	})
}

func dropClaim(ctx context.Context, tx postgres.Tx, actor wiki.Actor, pair wiki.Pair) error {
	if _, err := tx.Exec(ctx, dropClaimSQL, actor.Tenant, pair.First, pair.Second); err != nil {
		return fmt.Errorf("conflicts: release: %w", err)
	}
	return flags.Emit(ctx, tx, actor.Tenant, KindReleased, pair, nil)
}

func claimed(c Claim) error {
	e := wiki.Errorf(wiki.CodeClaimed, "%s holds this pair until %s", c.By, c.ExpiresAt.Format(time.TimeOnly))
	e.Remedy = "take another pair, or wait until the claim lapses"
	e.Details = map[string]any{"claimed_by": c.By, "expires_at": c.ExpiresAt}
	return e
}

// act runs fn on a held pair, in one transaction.
func (s Service) act(ctx context.Context, actor wiki.Actor, pair wiki.Pair, fn func(context.Context, postgres.Tx, held) error) error {
	if err := actor.Require(wiki.RoleAgent); err != nil {
		return err
	}
	return s.DB.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		h, err := hold(ctx, tx, actor, pair)
		if err != nil {
			return err
		}
		return fn(ctx, tx, h)
	})
}
