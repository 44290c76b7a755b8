package proposals

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/audit"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Approval is what an approver decides beside yes.
type Approval struct {
	Exclude   []uuid.UUID // articles of the set that are left alone
	Reconfirm []Seen      // articles that changed since they were frozen and that are meant all the same
	Reason    string      // optional
}

// Seen is an article at the version that was looked at.
type Seen struct {
	Article uuid.UUID
	Version int
}

const (
	actApprove  = "proposal.approve"
	actReject   = "proposal.reject"
	actWithdraw = "proposal.withdraw"

	loneOperatorSQL = `select lone_operator from tenants where id = $1`
	memberSQL       = `select n.id from unnest($3::uuid[]) as n (id) where not exists
  (select from proposal_items i where i.tenant_id = $1 and i.proposal_id = $2 and i.article_id = n.id) limit 1`
	excludeSQL   = `update proposal_items set outcome = 'excluded', done_at = $4 where tenant_id = $1 and proposal_id = $2 and article_id = any ($3) and outcome is null`
	reconfirmSQL = `update proposal_items i set version = n.version from unnest($3::uuid[], $4::int[]) as n (id, version)
where i.tenant_id = $1 and i.proposal_id = $2 and i.article_id = n.id and i.outcome is null`
	approveSQL = `update proposals set state = 'running', settled_by = $3, settled_at = $4, settle_reason = $5, lone_operator = $6, lease_until = $7
where tenant_id = $1 and id = $2`
	endSQL = `update proposals set state = $3, settled_by = $4, settled_at = $5, settle_reason = $6, lone_operator = $7 where tenant_id = $1 and id = $2`
)

// Approve decides that a proposal is carried out, and carries it out: exactly the frozen set, less what is excluded and
// what is not any more what was frozen, unless it is confirmed at the version that the approver looked at. Role user, and
// never the minter's own line (wiki.CheckApproval). The proposal is approved once, however many approve it at once; a
// repeat by the act key answers with the first one's result. A run that is cut, or too long for one call, is StateRunning:
// Execute carries it on.
//
// Errors: CodeNotFound; CodeForbidden; CodeSelfApproval; CodeProposalExpired; CodeProposalSettled; CodeInvalid on "exclude"
// or "reconfirm".
func (s *Service) Approve(ctx context.Context, actor wiki.Actor, id uuid.UUID, in Approval, actKey string) (Result, error) {
	reason, err := wiki.CleanReason(in.Reason, false)
	if err != nil {
		return Result{}, err
	}
	var p Proposal
	err = s.settle(ctx, actor, wiki.RoleUser, id, actApprove, actKey, &p, func(ctx context.Context, tx postgres.Tx) error {
		excepted, err := separate(ctx, tx, actor, p)
		if err != nil {
			return err
		}
		left, err := narrow(ctx, tx, &p, in)
		if err != nil {
			return err
		}
		impact, err := s.impact(ctx, tx, actor, p.Act, left)
		if err != nil {
			return err
		}
		by := actor.Stamp()
		if _, err := tx.Exec(ctx, approveSQL, p.tenant, id, by, tx.Now, reason, excepted, tx.Now.Add(s.settings.Lease)); err != nil {
			return fmt.Errorf("proposals: approve: %w", err)
		}
		p.State, p.SettledBy, p.SettledAt, p.LoneOperator = StateRunning, &by, &tx.Now, excepted
		detail := decision(p, reason)
		detail["reconfirmed"], detail["links"], detail["curated"] = len(in.Reconfirm), impact.LinkCount, impact.CuratedCount
		return note(ctx, tx, actor, p, actApprove, KindApproved, actKey, detail)
	})
	if err != nil {
		return Result{}, err
	}
	return s.finish(ctx, actor, p)
}

// Reject decides that a proposal is not carried out, and why. Role user, and never the minter's own line, which can withdraw
// it. Errors as Approve's.
func (s *Service) Reject(ctx context.Context, actor wiki.Actor, id uuid.UUID, reason, actKey string) (Detail, error) {
	return s.end(ctx, actor, wiki.RoleUser, id, StateRejected, reason, true, actKey)
}

// Withdraw takes a proposal back: its minter does, or the minter's line.
func (s *Service) Withdraw(ctx context.Context, actor wiki.Actor, id uuid.UUID, reason, actKey string) (Detail, error) {
	return s.end(ctx, actor, wiki.RoleAgent, id, StateWithdrawn, reason, false, actKey)
}

func (s *Service) end(ctx context.Context, actor wiki.Actor, least wiki.Role, id uuid.UUID, to State, reason string, required bool, actKey string) (Detail, error) {
	reason, err := wiki.CleanReason(reason, required)
	if err != nil {
		return Detail{}, err
	}
	act, kind := actReject, KindRejected
	if to == StateWithdrawn {
		act, kind = actWithdraw, KindWithdrawn
	}
	var p Proposal
	err = s.settle(ctx, actor, least, id, act, actKey, &p, func(ctx context.Context, tx postgres.Tx) error {
		var excepted bool
		var err error
		if to == StateRejected {
			excepted, err = separate(ctx, tx, actor, p)
		} else if !wiki.SameLine(p.MintedBy, actor.Stamp()) {
			err = wiki.Errorf(wiki.CodeForbidden, "only its minter withdraws a proposal; a user rejects it")
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, endSQL, p.tenant, id, to, actor.Stamp(), tx.Now, reason, excepted); err != nil {
			return fmt.Errorf("proposals: %s: %w", to, err)
		}
		p.State, p.LoneOperator = to, excepted
		return note(ctx, tx, actor, p, act, kind, actKey, decision(p, reason))
	})
	if err != nil {
		return Detail{}, err
	}
	return s.Get(ctx, actor, id)
}

// settle holds a proposal that waits for a person and lets fn decide about it; a repeat of the act decides nothing anew. p
// gets the proposal as it is then.
func (s *Service) settle(ctx context.Context, actor wiki.Actor, least wiki.Role, id uuid.UUID, act, actKey string, p *Proposal, fn func(context.Context, postgres.Tx) error) error {
	if err := actor.Require(least); err != nil {
		return err
	}
	return s.db.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		_, done, err := audit.Replay(ctx, tx, actor, actKey, act, id)
		if err != nil {
			return err
		}
		if *p, err = lock(ctx, tx, actor.Tenant, id); err != nil {
			return err
		}
		switch {
		case p.Kind != KindReview:
			return wiki.NotFound()
		case done:
			return nil
		}
		if err := p.mayRead(actor); err != nil {
			return err
		}
		if err := p.open(); err != nil {
			return err
		}
		return fn(ctx, tx)
	})
}

// open says whether a proposal waits for a decision.
func (p Proposal) open() error {
	switch p.State {
	case StatePending:
		return nil
	case StateExpired:
		e := wiki.Errorf(wiki.CodeProposalExpired, "the proposal waited until %s and is over", p.ExpiresAt.Format(time.DateTime))
		e.Remedy = "have it minted again, on the articles as they are now"
		return e
	}
	e := wiki.Errorf(wiki.CodeProposalSettled, "the proposal is %s already", p.State)
	if p.SettledBy != nil {
		e.Message += ", by " + p.SettledBy.Principal
		e.Details = map[string]any{"state": p.State, "settled_by": p.SettledBy.Principal, "settled_at": p.SettledAt}
	}
	return e
}

// separate asks whether the actor may decide about what the minter minted; excepted says that only the tenant's exception
// for a lone operator lets it.
func separate(ctx context.Context, tx postgres.Tx, actor wiki.Actor, p Proposal) (excepted bool, err error) {
	var lone bool
	if err := tx.QueryRow(ctx, loneOperatorSQL, p.tenant).Scan(&lone); err != nil {
		return false, fmt.Errorf("proposals: read the tenant's setting: %w", err)
	}
	return wiki.CheckApproval(p.MintedBy, actor.Stamp(), lone)
}

// narrow takes the excluded articles out of the set, brings the confirmed ones to the version that was looked at, and gives
// the articles that are left.
func narrow(ctx context.Context, tx postgres.Tx, p *Proposal, in Approval) ([]uuid.UUID, error) {
	seen, versions := make([]uuid.UUID, len(in.Reconfirm)), make([]int, len(in.Reconfirm))
	for i, c := range in.Reconfirm {
		seen[i], versions[i] = c.Article, c.Version
	}
	for field, ids := range map[string][]uuid.UUID{"exclude": in.Exclude, "reconfirm": seen} {
		if err := members(ctx, tx, *p, field, ids); err != nil {
			return nil, err
		}
	}
	if _, err := tx.Exec(ctx, excludeSQL, p.tenant, p.ID, in.Exclude, tx.Now); err != nil {
		return nil, fmt.Errorf("proposals: exclude: %w", err)
	}
	if _, err := tx.Exec(ctx, reconfirmSQL, p.tenant, p.ID, seen, versions); err != nil {
		return nil, fmt.Errorf("proposals: confirm: %w", err)
	}
	left, err := nextItems(ctx, tx, *p, p.Counts.Requested)
	if err == nil && len(left) == 0 {
		e := wiki.Invalid("exclude", "nothing is left of the set")
		e.Remedy = "reject the proposal instead"
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	one := []Proposal{*p}
	err = count(ctx, tx, p.tenant, one)
	*p = one[0]
	return itemIDs(left), err
}

func members(ctx context.Context, tx postgres.Tx, p Proposal, field string, ids []uuid.UUID) error {
	rows, err := tx.Query(ctx, memberSQL, p.tenant, p.ID, ids)
	if err != nil {
		return fmt.Errorf("proposals: look into the set: %w", err)
	}
	strangers, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return fmt.Errorf("proposals: look into the set: %w", err)
	}
	if len(strangers) > 0 {
		return wiki.Invalid(field, "the article %s is not in this proposal", strangers[0])
	}
	return nil
}

// decision is what the audit keeps of a decision.
func decision(p Proposal, reason string) map[string]any {
	d := map[string]any{"op": p.Act.String(), "minted_by": p.MintedBy.Principal, "requested": p.Counts.Requested, "excluded": p.Counts.Excluded, "reason": reason}
	if p.LoneOperator {
		d["lone_operator"] = true // the exception is never used unseen
	}
	return d
}

func note(ctx context.Context, tx postgres.Tx, actor wiki.Actor, p Proposal, act, kind, actKey string, detail map[string]any) error {
	if err := audit.Write(ctx, tx, actor, audit.Entry{Act: act, Subject: p.ID, ActKey: actKey, Result: p.ID, Detail: detail}); err != nil {
		return err
	}
	return emit(ctx, tx, p, kind, p.Counts.payload())
}

// Execute carries on a run that was cut or that was too long for one call: the rest is done, once. Role user; the articles'
// histories name who approved it. Errors: CodeNotFound; CodeTransition for what is not running; CodeClaimed while another
// call carries it on.
func (s *Service) Execute(ctx context.Context, actor wiki.Actor, id uuid.UUID) (Result, error) {
	if err := actor.Require(wiki.RoleUser); err != nil {
		return Result{}, err
	}
	var p Proposal
	err := s.db.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		if p, err = lock(ctx, tx, actor.Tenant, id); err != nil {
			return err
		}
		switch {
		case p.State == StateExecuted:
			return nil
		case p.State != StateRunning:
			return wiki.Errorf(wiki.CodeTransition, "the proposal is %s: there is no run to carry on", p.State)
		case !p.lapsed(tx.Now):
			e := wiki.Errorf(wiki.CodeClaimed, "another call carries it on")
			e.Remedy, e.RetryAfter = "try again when it is done", p.leaseUntil.Sub(tx.Now)
			return e
		}
		_, err = tx.Exec(ctx, leaseSQL, p.tenant, p.ID, tx.Now.Add(s.settings.Lease))
		return err
	})
	if err != nil {
		return Result{}, err
	}
	return s.finish(ctx, actor, p)
}
