package vectors_test

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"
	"github.com/stretchr/testify/require"

	"wiki/core/embedding"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/vectors"
	"wiki/core/wiki"
)

const (
	crowdRows     = 100_000 // of a large one
	crowdClusters = 500     // topics; every tenant writes about all of them
	crowdSpread   = 1.0     // length of an article's way from its topic's centre, which has length 1
	crowdLimit    = 10
)

// crowd is a database in which tenants of very different sizes share the vectors' table.
type crowd struct {
	tb     testing.TB
	db     *postgres.DB
	model  embedding.Model
	random *rand.Rand
	topics [][]float32
	held   map[uuid.UUID][]point // by tenant
}

// point is one article's vector.
type point struct {
	id     uuid.UUID
	vector []float32
}

// newCrowd seeds articles, of which each tenant has as many as sizes says and the last one the rest.
func newCrowd(tb testing.TB, rows, dims int, sizes ...int) (*crowd, []wiki.Actor) {
	tb.Helper()
	dsn := pgtest.DSN(tb)
	db := pgtest.Open(tb, postgres.Config{DSN: dsn})
	c := &crowd{
		tb: tb, db: db, model: embedding.Model{ID: model, Dims: dims}, random: rand.New(rand.NewPCG(3, 4)), held: map[uuid.UUID][]point{},
	}
	for range crowdClusters {
		c.topics = append(c.topics, c.direction())
	}
	left := rows
	var tenants []wiki.Actor
	var owners []uuid.UUID
	for _, size := range append(slices.Clone(sizes), 0) {
		tenant := pgtest.Tenant(tb, db)
		if tenants = append(tenants, tenant); len(tenants) > len(sizes) {
			size = left
		}
		left -= size
		owners = append(owners, slices.Repeat([]uuid.UUID{tenant.Tenant}, size)...)
	}
	c.random.Shuffle(len(owners), func(i, j int) { owners[i], owners[j] = owners[j], owners[i] })
	const batch = 5000
	for part := range slices.Chunk(owners, batch) {
		c.seed(part)
	}
	require.NoError(tb, db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		if _, err := tx.Exec(ctx, `set local maintenance_work_mem = '1GB'`); err != nil {
			return err
		}
		return vectors.EnsureIndex(ctx, tx, c.model)
	}))
	// As the daemon would that the tests' cluster does without; it cannot be done in a transaction.
	conn, err := pgx.Connect(ctx, dsn)
	require.NoError(tb, err)
	defer func() { require.NoError(tb, conn.Close(ctx)) }()
	_, err = conn.Exec(ctx, `vacuum analyze articles, article_embeddings`)
	require.NoError(tb, err)
	return c, tenants
}

func (c *crowd) seed(owners []uuid.UUID) {
	c.tb.Helper()
	ids, stored := make([]uuid.UUID, len(owners)), make([]pgvector.HalfVector, len(owners))
	for i, owner := range owners {
		p := point{uuid.Must(uuid.NewV7()), c.near(c.topics[c.random.IntN(crowdClusters)])}
		c.held[owner] = append(c.held[owner], p)
		ids[i], stored[i] = p.id, pgvector.NewHalfVector(p.vector)
	}
	require.NoError(c.tb, c.db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `insert into articles (id, tenant_id, title, body, category, status, scope, slug, created_by, content_hash,
			content_changed_at, inserted_at, updated_at) select id, tenant, id::text, 'b', 'finding', 'published', 'tenant', 't' || replace(id::text, '-', ''),
			'{}', '', now(), now(), now() from unnest($1::uuid[], $2::uuid[]) as row (id, tenant)`, ids, owners)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `insert into article_embeddings (article_id, tenant_id, model, section, dims, content_hash, embedding, inserted_at)
			select id, tenant, $4, 0, $5, '', v, now() from unnest($1::uuid[], $2::uuid[], $3::halfvec[]) as row (id, tenant, v)`,
			ids, owners, stored, c.model.ID, c.model.Dims)
		return err
	}))
}

// direction is a random vector of length 1.
func (c *crowd) direction() []float32 {
	v := make([]float32, c.model.Dims)
	for i := range v {
		v[i] = float32(c.random.NormFloat64())
	}
	return unit(v)
}

// near is a vector beside another one.
func (c *crowd) near(v []float32) []float32 {
	off := c.direction()
	for i := range off {
		off[i] = v[i] + crowdSpread*off[i]
	}
	return unit(off)
}

func unit(v []float32) []float32 {
	scale := float32(1 / math.Sqrt(float64(dot(v, v))))
	for i := range v {
		v[i] *= scale
	}
	return v
}

func dot(a, b []float32) (sum float32) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// question is a query near something that the tenant has written.
func (c *crowd) question(tenant wiki.Actor) vectors.Query {
	held := c.held[tenant.Tenant]
	return vectors.Query{
		Model: c.model.ID, Vector: c.near(held[c.random.IntN(len(held))].vector), Limit: crowdLimit, PublishedOnly: true, Viewer: tenant,
	}
}

// recall asks as many questions as it is told, and gives the share of each tenant's true neighbours that a store finds.
func (c *crowd) recall(s vectors.Store, tenant wiki.Actor, questions int) float64 {
	c.tb.Helper()
	found := 0
	for range questions {
		q := c.question(tenant)
		found += c.hits(q, ids(nearest(c.tb, c.db, s, q)))
	}
	return float64(found) / float64(questions*crowdLimit)
}

// hits counts how many of the viewer's crowdLimit true neighbours an answer has, which holds as many.
func (c *crowd) hits(q vectors.Query, answer []uuid.UUID) (n int) {
	c.tb.Helper()
	require.Len(c.tb, answer, crowdLimit)
	truth := slices.Clone(c.held[q.Viewer.Tenant])
	slices.SortFunc(truth, func(a, b point) int { return cmp.Compare(dot(b.vector, q.Vector), dot(a.vector, q.Vector)) })
	for _, p := range truth[:crowdLimit] {
		if slices.Contains(answer, p.id) {
			n++
		}
	}
	return n
}
