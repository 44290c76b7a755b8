package vectors_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"
	"github.com/stretchr/testify/require"

	"wiki/core/embedding"
	"wiki/core/postgres"
	"wiki/core/vectors"
	"wiki/core/wiki"
)

const (
	benchQuestions = 41
	benchWarm      = 10 // questions asked before the clock runs: plans and pages are then in memory
)

// What PostgreSQL does with the same rows when nothing else is asked of it.
const (
	rawExactSQL = `select article_id from article_embeddings where tenant_id = $1 order by embedding <=> $2 limit $3`
	rawWalkSQL  = `select article_id from article_embeddings where model = 'test-model''s' and dims = %[1]d
		order by embedding::halfvec(%[1]d) <=> $1::halfvec(%[1]d) limit $2`
	rawEffortSQL = `select set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '100', true)`
)

// BenchmarkNearest measures the choice between the two ways to the nearest neighbours, for tenants that hold 0.5 to 60 % of
// 100,000 articles whose vectors are as long as the built-in model's, asked for 10 of them and for as many as a search asks
// for. It prints the medians and the recall@10 of comparing all of a tenant's vectors, of walking the index of all tenants',
// and of what is chosen (walks: 1 for the walk), beside PostgreSQL sorting that tenant's rows and walking past no tenant's.
func BenchmarkNearest(b *testing.B) {
	builtIn, err := embedding.BuiltIn()
	require.NoError(b, err)
	shares := []int{500, 2000, 6000, 20_000, 60_000}
	c, tenants := newCrowd(b, crowdRows, builtIn.Model().Dims, shares...)
	for i, share := range shares {
		for _, limit := range []int{crowdLimit, 200} {
			b.Run(fmt.Sprintf("%g%%/%d", float64(share)*100/crowdRows, limit), func(b *testing.B) { c.measure(b, tenants[i], limit) })
		}
	}
}

// way is one way to the neighbours, with what was measured of it.
type way struct {
	name  string
	ask   func(vectors.Query) []uuid.UUID
	took  []time.Duration
	found int
}

func (w *way) p50() float64 {
	slices.Sort(w.took)
	return float64(w.took[len(w.took)/2].Microseconds()) / 1000
}

// measure asks the ways in turn, so that what else the machine does falls on all of them alike.
func (c *crowd) measure(b *testing.B, tenant wiki.Actor, limit int) {
	b.Helper()
	store := func(name string, exactBelow int) *way {
		return &way{name: name, ask: func(q vectors.Query) []uuid.UUID {
			return ids(nearest(b, c.db, vectors.Store{ExactBelow: exactBelow}, q))
		}}
	}
	chosen, exact, walk := store("chosen", 0), store("exact", crowdRows), store("walk", 1)
	rawExact := &way{name: "raw-exact", ask: func(q vectors.Query) []uuid.UUID {
		return c.raw(b, rawExactSQL, tenant.Tenant, pgvector.NewHalfVector(q.Vector), limit)
	}}
	rawWalk := &way{name: "raw-walk", ask: func(q vectors.Query) []uuid.UUID {
		return c.raw(b, fmt.Sprintf(rawWalkSQL, c.model.Dims), pgvector.NewHalfVector(q.Vector), limit)
	}}
	ways := []*way{chosen, exact, walk, rawExact, rawWalk}
	for i := range benchWarm + benchQuestions {
		q := c.question(tenant)
		q.Limit = limit
		for _, w := range ways {
			began := time.Now()
			answer := w.ask(q)
			if took := time.Since(began); i >= benchWarm {
				w.took = append(w.took, took)
				w.found += c.hits(q, answer[:crowdLimit])
			}
		}
	}
	b.ReportMetric(0, "ns/op") // the time of all runs together says nothing
	for _, w := range ways {
		b.ReportMetric(w.p50(), w.name+"-ms")
		if w != rawWalk { // it finds the neighbours among all tenants'
			b.ReportMetric(float64(w.found)/(benchQuestions*crowdLimit), w.name+"-recall")
		}
	}
	q := c.question(tenant)
	q.Limit = limit
	require.NoError(b, c.db.HeavyRead(ctx, tenant.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		walks, err := vectors.Store{}.Walks(ctx, tx, q)
		if walks {
			b.ReportMetric(1, "walks")
		} else {
			b.ReportMetric(0, "walks")
		}
		return err
	}))
	b.ReportMetric(chosen.p50()/rawExact.p50(), "x-raw-exact")
	b.ReportMetric(chosen.p50()/rawWalk.p50(), "x-raw-walk")
}

// raw asks PostgreSQL as the owner of the tables, whom no wall stands before.
func (c *crowd) raw(b *testing.B, sql string, args ...any) (found []uuid.UUID) {
	b.Helper()
	require.NoError(b, c.db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		if _, err := tx.Exec(ctx, rawEffortSQL); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		return err
	}))
	return found
}
