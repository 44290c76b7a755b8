package proposals

import (
	"context"
	"fmt"
	"maps"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Impact is what the wiki loses by an act: what it links to, what it answers by.
type Impact struct {
	LinkCount    int         // links into the set from articles that stay
	Links        []Broken    // the first MaxImpact of them
	CuratedCount int         // curated answers in the set
	Curated      []uuid.UUID // the first MaxImpact of them
	Golden       []Question  // golden questions that an article of the set answers
	GoldenKnown  bool        // false: golden questions were not asked
}

// Broken is a link that would lead to what is out of use.
type Broken struct {
	Relation wiki.Relation
	From, To articles.Ref
}

// MaxImpact bounds what an impact lists; the counts are exact.
const MaxImpact = 100

// leaves says whether the act takes articles out of reading.
func leaves(a wiki.BulkAct) bool {
	return a.Op == wiki.OpArchive || a.Op == wiki.OpDelete || a.Op == wiki.OpUnpublish
}

// An article that is out of use loses nothing more; a link counts from articles that stay in use, and that the viewer sees.
var (
	inUse   = `a.tenant_id = @viewer_tenant and a.status in ('draft', 'published') and ` + postgres.VisibleTo("a")
	linksIn = ` from article_links l join articles a on a.id = l.source_id join articles t on t.id = l.target_id
where l.tenant_id = @viewer_tenant and l.target_id = any (@ids) and not l.source_id = any (@ids) and l.relation <> 'potential_conflict'
  and t.status in ('draft', 'published') and ` + postgres.VisibleTo("t") + ` and ` + inUse

	linkCountSQL  = `select count(*)` + linksIn
	linksSQL      = `select l.relation, a.id, a.title, t.id, t.title` + linksIn + ` order by t.title, a.title, l.id limit @limit`
	curatedSQL    = `select a.id, count(*) over () from articles a where a.id = any (@ids) and a.curated_at is not null and ` + inUse + ` order by a.id limit @limit`
	pageImpactSQL = `select i.proposal_id,
  (select count(*) from article_links l join articles a on a.id = l.source_id join proposal_items i2 on i2.article_id = l.target_id
   where i2.proposal_id = i.proposal_id and l.tenant_id = @viewer_tenant and l.relation <> 'potential_conflict' and ` + inUse + `
     and not exists (select from proposal_items o where o.proposal_id = i.proposal_id and o.article_id = l.source_id)),
  (select count(*) from articles a join proposal_items i2 on i2.article_id = a.id
   where i2.proposal_id = i.proposal_id and a.curated_at is not null and ` + inUse + `)
from unnest(@proposals::uuid[]) as i (proposal_id)`
)

// impact works out what the actor can know of an act's consequences. Golden questions are asked apart: they are no matter
// of one transaction.
func (s *Service) impact(ctx context.Context, tx postgres.Tx, actor wiki.Actor, act wiki.BulkAct, ids []uuid.UUID) (Impact, error) {
	var out Impact
	if !leaves(act) {
		return out, nil
	}
	args := pgx.NamedArgs{"ids": ids, "limit": MaxImpact}
	maps.Copy(args, postgres.Viewer(actor))
	if err := tx.QueryRow(ctx, linkCountSQL, args).Scan(&out.LinkCount); err != nil {
		return out, fmt.Errorf("proposals: count the links: %w", err)
	}
	rows, err := tx.Query(ctx, linksSQL, args)
	if err != nil {
		return out, fmt.Errorf("proposals: read the links: %w", err)
	}
	out.Links, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (b Broken, err error) {
		return b, row.Scan(&b.Relation, &b.From.ID, &b.From.Title, &b.To.ID, &b.To.Title)
	})
	if err != nil {
		return out, fmt.Errorf("proposals: read the links: %w", err)
	}
	if rows, err = tx.Query(ctx, curatedSQL, args); err != nil {
		return out, fmt.Errorf("proposals: read the curated answers: %w", err)
	}
	var id uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&id, &out.CuratedCount}, func() error {
		out.Curated = append(out.Curated, id)
		return nil
	})
	if err != nil {
		return out, fmt.Errorf("proposals: read the curated answers: %w", err)
	}
	return out, nil
}

// askGolden adds the golden questions to an impact.
func (s *Service) askGolden(ctx context.Context, actor wiki.Actor, act wiki.BulkAct, ids []uuid.UUID, out *Impact) error {
	if s.golden == nil || !leaves(act) || len(ids) == 0 {
		return nil
	}
	var err error
	out.Golden, err = s.golden.Affected(ctx, actor, ids)
	out.GoldenKnown = err == nil
	return err
}

// pageImpact counts the impact of each proposal of a page.
func pageImpact(ctx context.Context, tx postgres.Tx, actor wiki.Actor, page []Proposal) (map[uuid.UUID]Impact, error) {
	var ids []uuid.UUID
	for _, p := range page {
		if p.State == StatePending && leaves(p.Act) {
			ids = append(ids, p.ID)
		}
	}
	out := map[uuid.UUID]Impact{}
	if len(ids) == 0 {
		return out, nil
	}
	args := pgx.NamedArgs{"proposals": ids}
	maps.Copy(args, postgres.Viewer(actor))
	rows, err := tx.Query(ctx, pageImpactSQL, args)
	if err != nil {
		return nil, fmt.Errorf("proposals: count the impact: %w", err)
	}
	var id uuid.UUID
	var i Impact
	_, err = pgx.ForEachRow(rows, []any{&id, &i.LinkCount, &i.CuratedCount}, func() error {
		out[id] = i
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("proposals: count the impact: %w", err)
	}
	return out, nil
}
