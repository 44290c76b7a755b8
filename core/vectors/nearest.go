package vectors

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"wiki/core/postgres"
)

const (
	// A pool of rows is taken in order of distance and only then matched with the articles that the caller may see, so that
	// neither path reads an article it does not need. poolExtra leaves room for what falls away and for several sections of
	// one article; a pool that was too small is widened by poolGrowth.
	poolExtra  = 50
	poolGrowth = 8
	// A walk of the index that still falls short after this many pools gives way to comparing everything.
	maxIndexWalks = 2

	// searchEffort is hnsw.ef_search. A graph is random: among 100,000 vectors of 32 dimensions (case 47) a walk with 100 found
	// between 0.938 and 0.96 of the ten nearest, with 160 between 0.985 and 0.99, with 200 at least 0.99.
	searchEffort = "200"
)

// The rows of one scope: a tenant's, or those of system canon.
const (
	ownScope   = `(e.tenant_id = @scope)`
	canonScope = `(e.tenant_id is null)`
)

// byTenant is the order of the tenants' index. A statement that asks for it reads that index: left to choose, a cached plan
// takes every tenant for a large one, and reads all rows of all tenants to find the few of one.
const byTenant = ` order by e.tenant_id, e.model, e.section`

// countSQL counts a scope's vectors, but no further than it has to: to one more than are compared rather than walked past. Of
// how many vectors the index holds, the planner's own estimate will do.
const countSQL = `with bound as materialized (
		select greatest(@floor::bigint, sqrt(@far::float8 * coalesce((select c.reltuples from pg_class c where c.oid = to_regclass(@index) and c.reltuples > 0), 0))::bigint) as most
	) select count(*), (select most from bound) from (select from article_embeddings e where %s and e.model = @model` + byTenant + `
		limit 1 + (select most from bound)) as counted`

const effortSQL = `select set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '` + searchEffort + `', true)`

// The pool of the exact path: every vector of the tenant is measured behind a fence, so that no plan can walk the index.
const exactPoolSQL = `with measured as materialized (
		select e.article_id, e.section, e.embedding <=> @vector::halfvec as distance from article_embeddings e
		where %s and e.model = @model and e.dims = @dims and (e.section = 0 or not @whole)` + byTenant + `
	), pool as materialized (select * from measured order by distance, article_id, section limit @pool)`

// The pool of the index path. The tenant's condition stands where no other index can serve it, and in a form that the
// planner takes for met by half of the rows, however few the tenant has: so the plan is an ordered walk of the model's
// index, which goes on until the pool is full (relaxed iterative scan: strict order has the worse recall, since it drops
// what comes out of order). The result is sorted again outside. The limit is a constant: of a parameter a cached plan would
// assume a tenth of the rows, and then read all of them.
const indexPoolSQL = `with pool as materialized (
		select e.article_id, e.section, e.embedding::halfvec(%[1]d) <=> @vector::halfvec(%[1]d) as distance from article_embeddings e
		where e.model = %[2]s and e.dims = %[1]d and coalesce(%[3]s, false) and (e.section = 0 or not @whole)
		order by e.embedding::halfvec(%[1]d) <=> @vector::halfvec(%[1]d) limit %[4]d
	)`

// Every row of the pool comes back, so that a pool which was filled can be told from one that ran dry. Articles are looked
// up one by one: left to choose, the planner reads all of a table that is not large.
func nearestSQL(pool string) string {
	return pool + ` select p.article_id, p.section, p.distance, a.id is not null as kept from pool p left join lateral (
		select a.id from articles a where a.id = p.article_id and ` + postgres.VisibleTo("a") + ` and (` + postgres.RankedAs("a") + ` or not @published_only)
		and ` + postgres.Filtered("a") + ` and a.id <> all (@exclude) offset 0) a on true`
}

// Nearest gives the articles whose vectors point most nearly the way of the query's, best first, equal ones by id. An
// article appears once, by its best section. The tenant's articles and system canon are searched each on their own, so
// that neither's number or density changes what is found of the other (SPEC §6, cases 46 and 47). Call it in a heavy read.
func (s Store) Nearest(ctx context.Context, tx postgres.Tx, q Query) ([]Neighbour, error) {
	vector, err := half(q.Vector)
	if err != nil {
		return nil, err
	}
	if q.Limit < 1 {
		return nil, nil
	}
	args := q.args(vector)
	var found []Neighbour
	for _, scope := range []string{ownScope, canonScope} {
		n, err := s.nearestIn(ctx, tx, q, scope, args)
		if err != nil {
			return nil, fmt.Errorf("nearest: %w", err)
		}
		found = append(found, n...)
	}
	sortNeighbours(found)
	return found[:min(len(found), q.Limit)], nil
}

func (q Query) args(vector pgvector.HalfVector) pgx.NamedArgs {
	args := postgres.AddFilter(postgres.Viewer(q.Viewer), q.Filter)
	args["vector"], args["scope"], args["model"], args["dims"], args["whole"] = vector, q.Viewer.Tenant, q.Model, len(q.Vector), q.Whole
	args["published_only"], args["exclude"] = q.PublishedOnly, orEmpty(q.Exclude)
	return args
}

func (s Store) nearestIn(ctx context.Context, tx postgres.Tx, q Query, scope string, args pgx.NamedArgs) ([]Neighbour, error) {
	pool := q.Limit + poolExtra
	held, bound, err := s.count(ctx, tx, q, scope, args)
	if err != nil || held == 0 {
		return nil, err
	}
	if held > bound {
		if _, err := tx.Exec(ctx, effortSQL); err != nil {
			return nil, err
		}
		for range maxIndexWalks {
			sql := nearestSQL(fmt.Sprintf(indexPoolSQL, len(q.Vector), literal(q.Model), scope, pool))
			found, _, err := readPool(ctx, tx, sql, args, pool)
			if err != nil || len(found) >= q.Limit {
				return found, err
			}
			pool *= poolGrowth
		}
	}
	sql := nearestSQL(fmt.Sprintf(exactPoolSQL, scope))
	for {
		found, rows, err := readPool(ctx, tx, sql, args, pool)
		if err != nil || len(found) >= q.Limit || rows < pool {
			return found, err
		}
		pool *= poolGrowth
	}
}

// count gives how many vectors a scope holds, at most one more than bound: how many are compared rather than walked past.
func (s Store) count(ctx context.Context, tx postgres.Tx, q Query, scope string, args pgx.NamedArgs) (held, bound int, err error) {
	args["floor"], args["far"], args["index"] = s.exactBelow(), s.far(q.Limit+poolExtra), IndexName(q.Model, len(q.Vector))
	err = tx.QueryRow(ctx, fmt.Sprintf(countSQL, scope), args).Scan(&held, &bound)
	return held, bound, err
}

// readPool runs one pool query. rows is how many rows the pool held, whether or not the caller may see their articles.
func readPool(ctx context.Context, tx postgres.Tx, sql string, args pgx.NamedArgs, pool int) (found []Neighbour, rows int, err error) {
	args["pool"] = pool
	result, err := tx.Query(ctx, sql, args)
	if err != nil {
		return nil, 0, err
	}
	best := map[uuid.UUID]Neighbour{}
	var n Neighbour
	var distance float64
	var kept bool
	_, err = pgx.ForEachRow(result, []any{&n.Article, &n.Section, &distance, &kept}, func() error {
		rows++
		n.Cosine = cosineOf(distance)
		if old, seen := best[n.Article]; kept && (!seen || compare(n, old) < 0) {
			best[n.Article] = n
		}
		return nil
	})
	for _, n := range best {
		found = append(found, n)
	}
	sortNeighbours(found)
	return found, rows, err
}

func sortNeighbours(n []Neighbour) { slices.SortFunc(n, compare) }

func compare(a, b Neighbour) int {
	return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), slices.Compare(a.Article[:], b.Article[:]), cmp.Compare(a.Section, b.Section))
}

func orEmpty(ids []uuid.UUID) []uuid.UUID {
	if ids == nil {
		return []uuid.UUID{}
	}
	return ids
}
