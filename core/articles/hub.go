package articles

import (
	"context"

	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

var (
	listable   = `a.tenant_id = @viewer_tenant and ` + visible + ` and ` + postgres.Ranked("a") + ` and a.visibility = 'shared' and coalesce(a.idempotency_key, '') not like 'moc:%'`
	hubTagsSQL = `select t.tag from articles a cross join lateral unnest(a.tags) as t (tag) where ` + listable + `
group by t.tag having count(*) >= @least order by count(*) desc, t.tag`
	hubMembersSQL = `select a.id, a.title, a.category from articles a where ` + listable + ` and a.tags @> array[@tag::text] order by a.category, a.title, a.id`
)

// HubTags gives the tags that at least so many of the tenant's shared articles carry, the most carried first. Call it in a
// heavy read.
func HubTags(ctx context.Context, tx postgres.Tx, actor wiki.Actor, least int) ([]string, error) {
	rows, err := tx.Query(ctx, hubTagsSQL, with(actor, pgx.NamedArgs{"least": least}))
	return some(rows, err, "tags of hubs", pgx.RowTo[string])
}

// HubMembersOf gives the shared articles that carry a tag, by category and title; hubs are none. Call it in a heavy read.
func HubMembersOf(ctx context.Context, tx postgres.Tx, actor wiki.Actor, tag string) ([]wiki.HubMember, error) {
	rows, err := tx.Query(ctx, hubMembersSQL, with(actor, pgx.NamedArgs{"tag": tag}))
	return some(rows, err, "members of a hub", pgx.RowToStructByPos[wiki.HubMember])
}
