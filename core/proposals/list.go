package proposals

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Limits of a page.
const (
	DefaultLimit = 50
	MaxLimit     = 200
	MaxItems     = 1000 // items of a proposal in one answer
)

// Filter narrows the list of proposals that wait, or waited, for a person; zero fields do not.
type Filter struct {
	State  State // default StatePending
	Op     wiki.Op
	By     string // minting principal
	Limit  int    // default DefaultLimit, at most MaxLimit
	Cursor string
}

// Listed is a proposal and the counts of its impact, which only a pending one has.
type Listed struct {
	Proposal
	Impact Impact
}

// Detail is a proposal whole.
type Detail struct {
	Listed
	Items      []Item // the first MaxItems
	MayApprove bool   // the caller may approve or reject it now
	WhyNot     string // why it may not
}

var (
	listSQL = `select ` + proposalColumns + ` from proposals p where p.tenant_id = @tenant and p.kind = 'review'
  and case when @state = 'pending' then p.state = 'pending' and p.expires_at > @now
           when @state = 'expired' then p.state = 'expired' or p.state = 'pending' and p.expires_at <= @now else p.state = @state end
  and (@op = '' or p.op = @op) and (@by = '' or p.minted_by ->> 'principal' = @by)
  and (@all or p.minted_by ->> 'principal' = @me)
  and (@before::uuid is null or (p.minted_at, p.id) < (select o.minted_at, o.id from proposals o where o.tenant_id = @tenant and o.id = @before))
order by p.minted_at desc, p.id desc limit @limit`

	itemsSQL = `select i.position, i.article_id, i.version, i.title, coalesce(i.outcome, ''), i.code, i.message, i.done_at,
  a.title, a.status, a.version, a.curated_at is not null
from proposal_items i left join articles a on a.id = i.article_id and a.tenant_id = i.tenant_id and ` + postgres.VisibleTo("a") + `
where i.tenant_id = @viewer_tenant and i.proposal_id = @proposal and i.position > @after order by i.position limit @limit`

	waitingSQL = `select count(*) from proposals p where p.tenant_id = $1 and p.kind = 'review' and p.state = 'pending' and p.expires_at > $2
  and ($3 or p.minted_by ->> 'principal' = $4)`
)

// List gives a page of proposals, the newest first, and the cursor of the next page. Below role user a caller sees those
// that its own principal minted: a proposal names articles.
func (s *Service) List(ctx context.Context, actor wiki.Actor, f Filter) (page []Listed, next string, waiting int, err error) {
	if err := actor.Require(wiki.RoleAgent); err != nil {
		return nil, "", 0, err
	}
	args, err := f.args(actor)
	if err != nil {
		return nil, "", 0, err
	}
	err = s.db.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		args["now"] = tx.Now
		rows, err := tx.Query(ctx, listSQL, args)
		if err != nil {
			return fmt.Errorf("proposals: list: %w", err)
		}
		list, err := pgx.CollectRows(rows, scanProposal)
		if err != nil {
			return fmt.Errorf("proposals: list: %w", err)
		}
		if limit := args["limit"].(int) - 1; len(list) > limit {
			list = list[:limit]
			next = list[limit-1].ID.String()
		}
		if page, err = listed(ctx, tx, actor, list); err != nil {
			return err
		}
		return tx.QueryRow(ctx, waitingSQL, actor.Tenant, tx.Now, args["all"], actor.Principal()).Scan(&waiting)
	})
	return page, next, waiting, err
}

func (f Filter) args(actor wiki.Actor) (pgx.NamedArgs, error) {
	if f.State == "" {
		f.State = StatePending
	}
	if !slices.Contains(States, f.State) {
		return nil, badParameter("state", "state must be pending, running, executed, rejected, withdrawn or expired")
	}
	if f.Op != "" && !slices.Contains(wiki.Ops, f.Op) {
		return nil, badParameter("op", "op must be archive, delete, publish, unpublish or retag")
	}
	if f.Limit == 0 {
		f.Limit = DefaultLimit
	}
	if f.Limit < 1 || f.Limit > MaxLimit {
		return nil, badParameter("limit", fmt.Sprintf("limit must be between 1 and %d", MaxLimit))
	}
	var before *uuid.UUID
	if f.Cursor != "" {
		id, err := uuid.Parse(f.Cursor)
		if err != nil {
			return nil, badParameter("cursor", "the cursor is not one of this listing; start without one")
		}
		before = &id
	}
	return pgx.NamedArgs{
		"tenant": actor.Tenant, "state": string(f.State), "op": string(f.Op), "by": f.By, "all": actor.Role >= wiki.RoleUser, "me": actor.Principal(),
		"before": before, "limit": f.Limit + 1, // one more tells whether there is a next page
	}, nil
}

func badParameter(field, message string) error {
	e := wiki.Invalid(field, "%s", message)
	e.Code = wiki.CodeInvalidParameter
	return e
}

func listed(ctx context.Context, tx postgres.Tx, actor wiki.Actor, list []Proposal) ([]Listed, error) {
	if len(list) == 0 {
		return nil, nil
	}
	if err := count(ctx, tx, actor.Tenant, list); err != nil {
		return nil, err
	}
	impact, err := pageImpact(ctx, tx, actor, list)
	out := make([]Listed, len(list))
	for i, p := range list {
		out[i] = Listed{Proposal: p, Impact: impact[p.ID]}
	}
	return out, err
}

// Get gives one proposal with its items as they stand, and what it would cost. CodeNotFound for one that the actor may not
// know of.
func (s *Service) Get(ctx context.Context, actor wiki.Actor, id uuid.UUID) (Detail, error) {
	var d Detail
	if err := actor.Require(wiki.RoleAgent); err != nil {
		return d, err
	}
	err := s.db.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		if d.Proposal, err = find(ctx, tx, getSQL, named(actor, id)); err != nil {
			return err
		}
		if err := d.mayRead(actor); err != nil {
			return err
		}
		if d.Items, err = items(ctx, tx, actor, id, 0, MaxItems); err != nil {
			return err
		}
		if d.State != StatePending {
			return nil
		}
		if d.MayApprove, d.WhyNot, err = mayApprove(ctx, tx, actor, d.Proposal); err != nil {
			return err
		}
		d.Impact, err = s.impact(ctx, tx, actor, d.Act, itemIDs(d.Items))
		return err
	})
	if err != nil {
		return Detail{}, err
	}
	if d.State == StatePending {
		err = s.askGolden(ctx, actor, d.Act, itemIDs(d.Items), &d.Impact)
	}
	return d, err
}

// mayApprove says whether the actor may settle a proposal, or why not.
func mayApprove(ctx context.Context, tx postgres.Tx, actor wiki.Actor, p Proposal) (may bool, why string, err error) {
	err = actor.Require(wiki.RoleUser)
	if err == nil {
		_, err = separate(ctx, tx, actor, p)
	}
	var e *wiki.Error
	if errors.As(err, &e) && (e.Code == wiki.CodeForbidden || e.Code == wiki.CodeSelfApproval) {
		return false, e.Message, nil
	}
	return err == nil, "", err
}

// Items gives a proposal's items after a position, at most limit (0 = MaxItems).
func (s *Service) Items(ctx context.Context, actor wiki.Actor, id uuid.UUID, after, limit int) (list []Item, err error) {
	if limit == 0 {
		limit = MaxItems
	}
	if limit < 1 || limit > MaxItems || after < 0 {
		return nil, badParameter("limit", fmt.Sprintf("limit must be between 1 and %d", MaxItems))
	}
	err = s.db.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		p, err := find(ctx, tx, getSQL, named(actor, id))
		if err != nil {
			return err
		}
		if err := p.mayRead(actor); err != nil {
			return err
		}
		list, err = items(ctx, tx, actor, id, after, limit)
		return err
	})
	return list, err
}

func items(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID, after, limit int) ([]Item, error) {
	args := pgx.NamedArgs{"proposal": id, "after": after, "limit": limit}
	maps.Copy(args, postgres.Viewer(actor))
	rows, err := tx.Query(ctx, itemsSQL, args)
	if err != nil {
		return nil, fmt.Errorf("proposals: read the items: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Item, error) {
		var i Item
		var title *string
		var status *wiki.Status
		var version *int
		var curated bool
		err := row.Scan(&i.Position, &i.Article, &i.Version, &i.Title, &i.Outcome, &i.Code, &i.Message, &i.DoneAt, &title, &status, &version, &curated)
		if err == nil && version != nil {
			i.Standing = &Standing{Title: *title, Status: *status, Version: *version, Curated: curated}
		}
		return i, err
	})
	if err != nil {
		return nil, fmt.Errorf("proposals: read the items: %w", err)
	}
	return list, nil
}
