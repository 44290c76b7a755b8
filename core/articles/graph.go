package articles

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Bounds of a graph (facts §3.4).
const (
	DefaultGraphDepth = 1
	MaxGraphDepth     = 3
	MaxGraphNodes     = 100
	MaxGraphEdges     = 500
)

// Node is an article in a graph.
type Node struct {
	ID       uuid.UUID
	Title    string
	Category wiki.Category
	Status   wiki.Status
	Depth    int // links away from the article that was asked about
}

// Graph is what is linked with an article, in either direction. Truncated: a bound was reached, and there is more.
type Graph struct {
	Nodes     []Node // the article itself first, then by depth
	Edges     []wiki.Link
	Truncated bool
}

// What is suppressed, a draft or archived is no place to walk through; what was superseded is, since the graph is where one
// sees by what. The article that was named is shown as it is.
const walkable = `({a}.id = @root or {a}.suppressed_at is null and {a}.status in ('published', 'superseded'))`

var graphSQL = `select l.id, l.source_id, l.target_id, l.relation, a.title, a.category, a.status, b.title, b.category, b.status
from article_links l join articles a on a.id = l.source_id join articles b on b.id = l.target_id
where l.tenant_id = @viewer_tenant and (l.source_id = any (@frontier) or l.target_id = any (@frontier)) and l.id <> all (@seen)
and ` + visible + ` and ` + postgres.VisibleTo("b") + ` and ` + postgres.Aliased(walkable, "a") + ` and ` + postgres.Aliased(walkable, "b") + `
order by l.id limit @limit`

// Graph walks the links around an article, up to depth links away (0 = DefaultGraphDepth). NotFound when the actor may not
// see the article; CodeInvalid on "depth".
func (r Reader) Graph(ctx context.Context, actor wiki.Actor, id uuid.UUID, depth int) (Graph, error) {
	if depth == 0 {
		depth = DefaultGraphDepth
	}
	if depth < 1 || depth > MaxGraphDepth {
		return Graph{}, wiki.Invalid("depth", "depth must be between 1 and %d", MaxGraphDepth)
	}
	w := walk{actor: actor, root: id, nodes: map[uuid.UUID]bool{}}
	err := r.DB.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		root, err := Get(ctx, tx, actor, id)
		if err != nil {
			return err
		}
		w.add(Node{ID: id, Title: root.Title, Category: root.Category, Status: root.Status})
		frontier := []uuid.UUID{id}
		for at := 1; at <= depth && len(frontier) > 0 && !w.graph.Truncated; at++ {
			if frontier, err = w.step(ctx, tx, frontier, at); err != nil {
				return err
			}
		}
		return nil
	})
	return w.graph, err
}

// walk is a graph in the making.
type walk struct {
	actor wiki.Actor
	root  uuid.UUID
	graph Graph
	nodes map[uuid.UUID]bool
	edges []uuid.UUID
}

// add takes a node up; false when it stands already, or when there is no room.
func (w *walk) add(n Node) (isNew, fits bool) {
	if w.nodes[n.ID] {
		return false, true
	}
	if len(w.graph.Nodes) == MaxGraphNodes {
		w.graph.Truncated = true
		return false, false
	}
	w.nodes[n.ID] = true
	w.graph.Nodes = append(w.graph.Nodes, n)
	return true, true
}

// step follows the links of the frontier and gives the next one. An edge is shown only with both of its ends.
func (w *walk) step(ctx context.Context, tx postgres.Tx, frontier []uuid.UUID, depth int) (next []uuid.UUID, err error) {
	room := MaxGraphEdges - len(w.graph.Edges)
	args := with(w.actor, pgx.NamedArgs{"root": w.root, "frontier": frontier, "seen": w.edges, "limit": room + 1})
	if w.edges == nil {
		args["seen"] = []uuid.UUID{}
	}
	rows, err := tx.Query(ctx, graphSQL, args)
	found, err := some(rows, err, "graph", scanStep)
	if err != nil {
		return nil, err
	}
	if len(found) > room {
		found, w.graph.Truncated = found[:room], true
	}
	for _, s := range found {
		shown := true
		for _, n := range []Node{s.source, s.target} {
			n.Depth = depth
			isNew, fits := w.add(n)
			shown = shown && fits
			if isNew {
				next = append(next, n.ID)
			}
		}
		if shown {
			w.graph.Edges, w.edges = append(w.graph.Edges, s.link), append(w.edges, s.link.ID)
		}
	}
	return next, nil
}

// step is an edge with both of its ends.
type step struct {
	link           wiki.Link
	source, target Node
}

func scanStep(row pgx.CollectableRow) (s step, err error) {
	err = row.Scan(&s.link.ID, &s.link.Source, &s.link.Target, &s.link.Relation, &s.source.Title, &s.source.Category, &s.source.Status,
		&s.target.Title, &s.target.Category, &s.target.Status)
	s.source.ID, s.target.ID = s.link.Source, s.link.Target
	return s, err
}
