package proposals

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/articles"
	"wiki/core/audit"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
)

const (
	nextItemsSQL = `select position, article_id, version, title from proposal_items where tenant_id = $1 and proposal_id = $2 and outcome is null
order by position limit $3`
	tickSQL = `update proposal_items i set outcome = d.outcome, code = d.code, message = d.message, done_at = $3
from unnest($4::int[], $5::text[], $6::text[], $7::text[]) as d (position, outcome, code, message)
where i.tenant_id = $1 and i.proposal_id = $2 and i.position = d.position`
	leaseSQL    = `update proposals set lease_until = $3 where tenant_id = $1 and id = $2 and state = 'running'`
	executedSQL = `update proposals set state = 'executed', executed_at = $3, lease_until = null where tenant_id = $1 and id = $2`
)

// releaseTimeout bounds giving a run back when its caller is gone.
const releaseTimeout = 5 * time.Second

// finish carries a run on and gives it as far as it went.
func (s *Service) finish(ctx context.Context, actor wiki.Actor, p Proposal) (Result, error) {
	if p.State == StateRunning {
		if err := s.carryOn(ctx, p); err != nil {
			return Result{}, err
		}
	}
	var out Result
	err := s.db.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		if out.Proposal, err = find(ctx, tx, getSQL, pgx.NamedArgs{"tenant": actor.Tenant, "id": p.ID}); err != nil {
			return err
		}
		out.Items, err = items(ctx, tx, actor, p.ID, 0, s.settings.MaxIDs)
		return err
	})
	return out, err
}

// carryOn does the items that are left, a batch in a transaction, until none is or the call's budget is spent. What it
// leaves can be carried on at once.
func (s *Service) carryOn(ctx context.Context, p Proposal) error {
	until := time.Now().Add(s.settings.Budget)
	for {
		left, err := s.batch(ctx, p)
		if err == nil && left > 0 && time.Now().Before(until) {
			continue
		}
		if err != nil || left > 0 {
			s.release(ctx, p)
		}
		return err
	}
}

// release lets another carry the run on before the lease ends. When it fails, the lease ends by itself.
func (s *Service) release(ctx context.Context, p Proposal) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	_ = s.db.Tenant(ctx, p.tenant, func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, leaseSQL, p.tenant, p.ID, tx.Now)
		return err
	})
}

// batch does the next items and says how many are left. Their articles change and they are ticked off together: whatever
// cuts a run, an item was done and is ticked off, or neither.
func (s *Service) batch(ctx context.Context, p Proposal) (left int, err error) {
	err = s.db.Tenant(ctx, p.tenant, func(ctx context.Context, tx postgres.Tx) error {
		left = 0
		p, err = lock(ctx, tx, p.tenant, p.ID)
		if err != nil || p.State != StateRunning {
			return err
		}
		todo, err := nextItems(ctx, tx, p, s.settings.Batch)
		if err != nil {
			return err
		}
		for i := range todo {
			if err := s.do(ctx, tx, p, &todo[i]); err != nil {
				return err
			}
		}
		if err := tick(ctx, tx, &p, todo); err != nil {
			return err
		}
		if left = p.Counts.Left; left == 0 {
			return s.close(ctx, tx, &p)
		}
		if _, err := tx.Exec(ctx, leaseSQL, p.tenant, p.ID, tx.Now.Add(s.settings.Lease)); err != nil {
			return fmt.Errorf("proposals: keep the lease: %w", err)
		}
		return emit(ctx, tx, p, KindProgress, p.Counts.payload())
	})
	return left, err
}

// nextItems gives items to do, in the order of their articles' ids: all that lock several articles lock them so.
func nextItems(ctx context.Context, tx postgres.Tx, p Proposal, limit int) ([]Item, error) {
	rows, err := tx.Query(ctx, nextItemsSQL, p.tenant, p.ID, limit)
	if err != nil {
		return nil, fmt.Errorf("proposals: read what is left: %w", err)
	}
	todo, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (i Item, err error) {
		return i, row.Scan(&i.Position, &i.Article, &i.Version, &i.Title)
	})
	if err != nil {
		return nil, fmt.Errorf("proposals: read what is left: %w", err)
	}
	slices.SortFunc(todo, func(a, b Item) int { return bytes.Compare(a.Article[:], b.Article[:]) })
	return todo, nil
}

func tick(ctx context.Context, tx postgres.Tx, p *Proposal, done []Item) error {
	positions, outcomes, codes, messages := make([]int, len(done)), make([]string, len(done)), make([]string, len(done)), make([]string, len(done))
	for i, it := range done {
		positions[i], outcomes[i], codes[i], messages[i] = it.Position, it.Outcome, it.Code, it.Message
	}
	if _, err := tx.Exec(ctx, tickSQL, p.tenant, p.ID, tx.Now, positions, outcomes, codes, messages); err != nil {
		return fmt.Errorf("proposals: tick off: %w", err)
	}
	one := []Proposal{*p}
	err := count(ctx, tx, p.tenant, one)
	*p = one[0]
	return err
}

// do does the act to one article and says what became of it. An error ends the batch, which changes nothing then.
func (s *Service) do(ctx context.Context, tx postgres.Tx, p Proposal, it *Item) error {
	actor, err := p.authority()
	if err != nil {
		return err
	}
	a, err := articles.Lock(ctx, tx, actor, it.Article)
	if err != nil {
		return it.refuse(err)
	}
	if p.Kind == KindReview && a.Version != *it.Version {
		it.Outcome, it.Code, it.Message = OutcomeSkipped, CodeChangedSince, fmt.Sprintf("it is at version %d now", a.Version)
		return nil
	}
	if reason := p.Act.SkipReason(a); reason != "" {
		it.Outcome, it.Code = OutcomeSkipped, reason
		return nil
	}
	detail := map[string]any{"proposal": p.ID}
	if p.Kind == KindReview {
		detail["minted_by"] = p.MintedBy.Principal
	}
	if err := s.record.Bulk(ctx, tx, actor, it.Article, p.Act, record.Why{Reason: p.Reason, Detail: detail}); err != nil {
		return it.refuse(err)
	}
	it.Outcome = p.Act.Done()
	return nil
}

// refusals are the codes by which an article refuses an act, and nothing else is at fault.
var refusals = []wiki.Code{
	wiki.CodeTransition, wiki.CodeTitleConflict, wiki.CodeInvalid, wiki.CodeReservedTag, wiki.CodeForbidden, wiki.CodeSystemScope,
}

// refuse turns the refusal of one article into its outcome; any other error stays one.
func (it *Item) refuse(err error) error {
	var e *wiki.Error
	switch {
	case !errors.As(err, &e):
		return err
	case e.Code == wiki.CodeNotFound:
		it.Outcome = OutcomeNotFound
	case slices.Contains(refusals, e.Code):
		it.Outcome, it.Code, it.Message = OutcomeErrored, string(e.Code), e.Message
	default:
		return err
	}
	return nil
}

// authority is who the articles' histories name: the approver, or the caller of a run, whoever carries it on.
func (p Proposal) authority() (wiki.Actor, error) {
	if p.SettledBy == nil {
		return wiki.Actor{}, fmt.Errorf("proposals: %s runs and nobody started it", p.ID)
	}
	role, err := wiki.ParseRole(p.SettledBy.Role)
	actor := wiki.Actor{Tenant: p.tenant, Key: p.SettledBy.Key, Role: role, Lineage: p.SettledBy.Lineage, Line: p.SettledBy.Line}
	if p.SettledBy.Principal != actor.Key.String() {
		actor.Agent = p.SettledBy.Principal
	}
	return actor, err
}

// close ends a run of which nothing is left.
func (s *Service) close(ctx context.Context, tx postgres.Tx, p *Proposal) error {
	if _, err := tx.Exec(ctx, executedSQL, p.tenant, p.ID, tx.Now); err != nil {
		return fmt.Errorf("proposals: end the run: %w", err)
	}
	p.State = StateExecuted
	actor, err := p.authority()
	if err != nil {
		return err
	}
	counts := p.Counts.payload()
	if err := audit.Write(ctx, tx, actor, audit.Entry{Act: "proposal.execute", Subject: p.ID, Detail: counts}); err != nil {
		return err
	}
	return emit(ctx, tx, *p, KindExecuted, p.Counts.payload())
}

func (c Counts) payload() map[string]any {
	return map[string]any{
		"requested": c.Requested, "done": c.Done, "skipped": c.Skipped, "excluded": c.Excluded, "not_found": c.NotFound, "errored": c.Errored, "left": c.Left,
	}
}

func itemIDs(list []Item) []uuid.UUID {
	ids := make([]uuid.UUID, len(list))
	for i, it := range list {
		ids[i] = it.Article
	}
	return ids
}
