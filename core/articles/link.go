package articles

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Ref names an article at the end of a link.
type Ref struct {
	ID    uuid.UUID
	Title string
}

// Edge is a link with the titles of both ends.
type Edge struct {
	wiki.Link
	From, To Ref
}

const insertLinkSQL = `insert into article_links (id, tenant_id, source_id, target_id, relation, metadata, retires, inserted_at)
values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`

// InsertLink stores an edge; false when the same one stands already. Both ends must be the tenant's.
func InsertLink(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, l wiki.Link) (bool, error) {
	if l.Metadata == nil {
		l.Metadata = map[string]any{}
	}
	tag, err := tx.Exec(ctx, insertLinkSQL, l.ID, tenant, l.Source, l.Target, l.Relation, l.Metadata, l.Retires, tx.Now)
	if err != nil {
		return false, fmt.Errorf("articles: link: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

var edgesFrom = `select l.id, l.source_id, l.target_id, l.relation, l.metadata, l.retires, l.inserted_at, a.title, b.title
from article_links l join articles a on a.id = l.source_id join articles b on b.id = l.target_id
where l.tenant_id = @viewer_tenant and ` + visible + ` and ` + postgres.VisibleTo("b")

var (
	outgoingSQL = edgesFrom + ` and l.source_id = @id order by l.inserted_at, l.id`
	incomingSQL = edgesFrom + ` and l.target_id = @id order by l.inserted_at, l.id`
	oneEdgeSQL  = edgesFrom + ` and l.id = @id`
	sameEdgeSQL = edgesFrom + ` and l.source_id = @source and l.target_id = @target and l.relation = @relation`
)

// Links gives an article's edges whose other end the actor may see too, oldest first.
func Links(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID) (outgoing, incoming []Edge, err error) {
	rows, err := tx.Query(ctx, outgoingSQL, with(actor, pgx.NamedArgs{"id": id}))
	if outgoing, err = some(rows, err, "outgoing links", scanEdge); err != nil {
		return nil, nil, err
	}
	rows, err = tx.Query(ctx, incomingSQL, with(actor, pgx.NamedArgs{"id": id}))
	incoming, err = some(rows, err, "incoming links", scanEdge)
	return outgoing, incoming, err
}

// Link gives one edge by id.
func Link(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID) (Edge, error) {
	rows, err := tx.Query(ctx, oneEdgeSQL, with(actor, pgx.NamedArgs{"id": id}))
	return one(rows, err, "link", scanEdge)
}

// LinkBetween gives the edge of one type from one article to another.
func LinkBetween(ctx context.Context, tx postgres.Tx, actor wiki.Actor, source, target uuid.UUID, r wiki.Relation) (Edge, error) {
	rows, err := tx.Query(ctx, sameEdgeSQL, with(actor, pgx.NamedArgs{"source": source, "target": target, "relation": r}))
	return one(rows, err, "link between", scanEdge)
}

func scanEdge(row pgx.CollectableRow) (Edge, error) {
	var e Edge
	var metadata []byte
	err := row.Scan(&e.ID, &e.Source, &e.Target, &e.Relation, &metadata, &e.Retires, &e.InsertedAt, &e.From.Title, &e.To.Title)
	if err != nil {
		return e, err
	}
	e.From.ID, e.To.ID = e.Source, e.Target
	e.Metadata, err = decodeObject(metadata)
	return e, err
}

const retiresSQL = `update article_links set retires = $3 where tenant_id = $1 and id = $2`

// SetRetires makes a supersedes link one that retires its target, or an opinion again. The target's status is the caller's
// to change.
func SetRetires(ctx context.Context, tx postgres.Tx, tenant, id uuid.UUID, retires bool) error {
	if _, err := tx.Exec(ctx, retiresSQL, tenant, id, retires); err != nil {
		return fmt.Errorf("articles: change the link: %w", err)
	}
	return nil
}

const deleteLinkSQL = `delete from article_links where tenant_id = $1 and id = $2`

// DeleteLink removes an edge. The audit keeps what it said.
func DeleteLink(ctx context.Context, tx postgres.Tx, tenant, id uuid.UUID) error {
	if _, err := tx.Exec(ctx, deleteLinkSQL, tenant, id); err != nil {
		return fmt.Errorf("articles: delete link: %w", err)
	}
	return nil
}
