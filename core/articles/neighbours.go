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
}

// Each seed has its own share of links, the oldest first, so that a hub among the seeds takes nothing from the others.
// Links that only say that two articles may clash lead nowhere.
var neighboursSQL = `select n.id, s.id from unnest(@seeds::uuid[]) as s (id) cross join lateral (
	select l.id as link, case when l.source_id = s.id then l.target_id else l.source_id end as id from article_links l
	where l.tenant_id = @viewer_tenant and (l.source_id = s.id or l.target_id = s.id) and l.relation <> 'potential_conflict'
	order by l.id limit @share
) n join articles a on a.id = n.id where n.id <> all (@seeds) and ` +
	visible + ` and ` + postgres.Ranked("a") + ` and ` + postgres.Filtered("a")

// Neighbours gives what the seeds are linked with, in either direction, of what a ranked read may offer the actor. share
// bounds the links that are followed of each seed; a neighbour comes once for each link.
func Neighbours(ctx context.Context, tx postgres.Tx, actor wiki.Actor, f wiki.Filter, seeds []uuid.UUID, share int) ([]NeighbourOf, error) {
	args := postgres.AddFilter(with(actor, pgx.NamedArgs{"seeds": seeds, "share": share}), f)
	rows, err := tx.Query(ctx, neighboursSQL, args)
	return some(rows, err, "neighbours", pgx.RowToStructByPos[NeighbourOf])
}
