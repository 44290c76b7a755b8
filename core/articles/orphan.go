package articles

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

var (
	unlinked = ` and not exists (select from article_links l where l.tenant_id = a.tenant_id and l.source_id = a.id)
and not exists (select from article_links l where l.tenant_id = a.tenant_id and l.target_id = a.id)`
	orphansSQL      = `select ` + columns + offered + unlinked + ` and a.id > @after order by a.id limit @limit`
	countOrphansSQL = `select count(*)` + offered + unlinked
)

// Orphans gives the next of the tenant's articles, in the order of their ids, that a ranked read may offer and that no link
// leads to or from.
func Orphans(ctx context.Context, tx postgres.Tx, actor wiki.Actor, after uuid.UUID, limit int) ([]wiki.Article, error) {
	rows, err := tx.Query(ctx, orphansSQL, with(actor, pgx.NamedArgs{"after": after, "limit": limit}))
	return some(rows, err, "orphans", scanArticle)
}

// CountOrphans counts what Orphans goes through.
func CountOrphans(ctx context.Context, tx postgres.Tx, actor wiki.Actor) (n int, err error) {
	if err := tx.QueryRow(ctx, countOrphansSQL, with(actor, pgx.NamedArgs{})).Scan(&n); err != nil {
		return 0, fmt.Errorf("articles: count the orphans: %w", err)
	}
	return n, nil
}

// Metadata of a link that the server made by itself (facts §1.6).
const (
	LinkAuto       = "auto_generated"
	LinkSimilarity = "similarity_score" // cosine
)

// A link that the server made is ranked among those of each of its two ends, the most alike first. One that is beyond the
// bound at both ends is of no use to either. One whose pair may be a contradiction is kept until that is flagged (facts §7).
const surplusSQL = `with auto as (
  select l.id, l.source_id, l.target_id, coalesce((l.metadata ->> 'similarity_score')::double precision, 0) as alike
  from article_links l where l.tenant_id = $1 and l.relation = 'relates_to' and l.metadata @> '{"auto_generated": true}'
), placed as (
  select id, row_number() over (partition by place order by alike desc, id) as rank
  from (select id, alike, source_id as place from auto union all select id, alike, target_id from auto) ends
)
select a.id, a.source_id, a.target_id from auto a join placed p on p.id = a.id
where a.alike < $3 or exists (select from conflict_pairs c where c.tenant_id = $1 and c.first_id = least(a.source_id, a.target_id)
  and c.second_id = greatest(a.source_id, a.target_id))
group by a.id, a.source_id, a.target_id having min(p.rank) > $2 order by a.id limit $4`

// SurplusLinks gives links that the server made and that are not among the most alike of either of their ends: keep are as
// many as each end has use for, spare is the cosine from which a pair may be a contradiction. Call it in a heavy read.
func SurplusLinks(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, keep int, spare wiki.Cosine, limit int) ([]wiki.Link, error) {
	rows, err := tx.Query(ctx, surplusSQL, tenant, keep, float64(spare), limit)
	return some(rows, err, "surplus links", func(row pgx.CollectableRow) (l wiki.Link, err error) {
		l.Relation = wiki.RelRelatesTo
		return l, row.Scan(&l.ID, &l.Source, &l.Target)
	})
}

const deleteLinksSQL = `delete from article_links where tenant_id = $1 and id = any ($2)`

// DeleteLinks removes edges, and gives how many there were. The audit keeps what they said.
func DeleteLinks(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, ids []uuid.UUID) (int, error) {
	tag, err := tx.Exec(ctx, deleteLinksSQL, tenant, ids)
	if err != nil {
		return 0, fmt.Errorf("articles: delete links: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
