package articles

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// NeighbourOf is an article that a link joins with one of the seeds that were asked about.
type NeighbourOf struct {
	Neighbour, Seed uuid.UUID
	Relation        wiki.Relation
	Title           string
	Category        wiki.Category
}

// Each seed has its own share of links, the oldest first, so that a hub among the seeds takes nothing from the others.
// Links that only say that two articles may clash lead nowhere.
var neighboursSQL = `select n.id, s.id, n.relation, a.title, a.category from unnest(@seeds::uuid[]) with ordinality as s (id, at) cross join lateral (
	select l.id as link, l.relation, case when l.source_id = s.id then l.target_id else l.source_id end as id from article_links l
	where l.tenant_id = @viewer_tenant and (l.source_id = s.id or l.target_id = s.id) and l.relation <> 'potential_conflict'
	and (@relation = '' or l.relation = @relation) order by l.id limit @share
) n join articles a on a.id = n.id where (@seeds_too or n.id <> all (@seeds)) and ` +
	visible + ` and ` + postgres.RankedAs("a") + ` and ` + postgres.Filtered("a") + ` order by s.at, n.link`

// Follow says which links Neighbours follows.
type Follow struct {
	Relation wiki.Relation // links of one type; empty = all
	Share    int           // links of each seed
	SeedsToo bool          // a seed may be another one's neighbour
}

// Neighbours gives what the seeds are linked with, in either direction, of what a ranked read may offer the actor. A
// neighbour comes once for each link, a seed's oldest first.
func Neighbours(ctx context.Context, tx postgres.Tx, actor wiki.Actor, f wiki.Filter, seeds []uuid.UUID, how Follow) ([]NeighbourOf, error) {
	args := postgres.AddFilter(with(actor, pgx.NamedArgs{
		"seeds": seeds, "relation": how.Relation, "share": how.Share, "seeds_too": how.SeedsToo,
	}), f)
	rows, err := tx.Query(ctx, neighboursSQL, args)
	return some(rows, err, "neighbours", pgx.RowToStructByPos[NeighbourOf])
}

const linkedSQL = `select case when source_id = $2 then target_id else source_id end from article_links
	where tenant_id = $1 and (source_id = $2 or target_id = $2)`

// Linked gives the ids that an article is linked with, whoever may see them: to leave them out of what is suggested.
func Linked(ctx context.Context, tx postgres.Tx, tenant, id uuid.UUID) ([]uuid.UUID, error) {
	rows, err := tx.Query(ctx, linkedSQL, tenant, id)
	return some(rows, err, "linked", pgx.RowTo[uuid.UUID])
}
