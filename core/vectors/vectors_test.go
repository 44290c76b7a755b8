package vectors_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/embedding"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/vectors"
	"wiki/core/wiki"
)

const model = "test-model's"

var ctx = context.Background()

// article inserts the least that an article needs. status "canon" makes published system canon.
func article(t *testing.T, db *postgres.DB, actor wiki.Actor, status string) uuid.UUID {
	t.Helper()
	id, tenant, scope := uuid.Must(uuid.NewV7()), &actor.Tenant, "tenant"
	if status == "canon" {
		tenant, scope, status = nil, "system", "published"
	}
	require.NoError(t, db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `insert into articles (id, tenant_id, title, body, category, status, scope, slug, created_by, content_hash,
			content_changed_at, inserted_at, updated_at) values ($1, $2, $3, 'body', 'finding', $4, $5, $3, '{}', '', $6, $6, $6)`,
			id, tenant, "t"+strings.ReplaceAll(id.String(), "-", ""), status, scope, time.Now())
		return err
	}))
	return id
}

func put(t *testing.T, db *postgres.DB, tenant, id uuid.UUID, doc embedding.Document) error {
	t.Helper()
	door := func(fn func(context.Context, postgres.Tx) error) error { return db.Tenant(ctx, tenant, fn) }
	if tenant == uuid.Nil {
		door = func(fn func(context.Context, postgres.Tx) error) error { return db.System(ctx, fn) }
	}
	return door(func(ctx context.Context, tx postgres.Tx) error {
		return vectors.Store{}.Put(ctx, tx, id, tenant, model, "hash", doc)
	})
}

func nearest(t testing.TB, db *postgres.DB, s vectors.Store, q vectors.Query) []vectors.Neighbour {
	t.Helper()
	var found []vectors.Neighbour
	require.NoError(t, db.HeavyRead(ctx, q.Viewer.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		found, err = s.Nearest(ctx, tx, q)
		return err
	}))
	return found
}

func ids(found []vectors.Neighbour) []uuid.UUID {
	var out []uuid.UUID
	for _, n := range found {
		out = append(out, n.Article)
	}
	return out
}

func whole(v ...float32) embedding.Document { return embedding.Document{Whole: v} }

func TestNearestSeesWhatTheViewerMaySee(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	me, other := pgtest.Tenant(t, db), pgtest.Tenant(t, db)
	near, far := article(t, db, me, "published"), article(t, db, me, "published")
	draft, hidden, canon := article(t, db, me, "draft"), article(t, db, me, "published"), article(t, db, me, "canon")
	foreign := article(t, db, other, "published")
	require.NoError(t, put(t, db, me.Tenant, near, whole(1, 0.1, 0)))
	require.NoError(t, put(t, db, me.Tenant, far, whole(0, 0, 7)))
	require.NoError(t, put(t, db, me.Tenant, draft, whole(1, 0, 0)))
	require.NoError(t, put(t, db, me.Tenant, hidden, whole(1, 0, 0)))
	require.NoError(t, put(t, db, uuid.Nil, canon, whole(1, 0.3, 0)))
	require.NoError(t, put(t, db, other.Tenant, foreign, whole(1, 0, 0)))
	require.NoError(t, db.Tenant(ctx, me.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `update articles set suppressed_at = now(), suppressed_by = 'x', suppression_reason = 'x' where id = $1`, hidden)
		return err
	}))

	q := vectors.Query{Model: model, Vector: []float32{2, 0, 0}, Limit: 10, PublishedOnly: true, Viewer: me}
	found := nearest(t, db, vectors.Store{}, q)
	require.Equal(t, []uuid.UUID{near, canon, far}, ids(found))
	require.InDelta(t, 1/math.Sqrt(1.01), float64(found[0].Cosine), 1e-3)
	require.InDelta(t, 0, float64(found[2].Cosine), 1e-3)

	require.NoError(t, db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		return vectors.EnsureIndex(ctx, tx, embedding.Model{ID: model, Dims: 3})
	}))
	require.Equal(t, found, nearest(t, db, vectors.Store{ExactBelow: 1}, q), "the index path answers as the exact one")

	q.Exclude, q.Limit = []uuid.UUID{near}, 1
	require.Equal(t, []uuid.UUID{canon}, ids(nearest(t, db, vectors.Store{}, q)))
	q.PublishedOnly, q.Exclude, q.Limit = false, nil, 2
	require.ElementsMatch(t, []uuid.UUID{draft, hidden}, ids(nearest(t, db, vectors.Store{}, q)))
	q.Filter = wiki.Filter{Category: "decision"}
	require.Empty(t, nearest(t, db, vectors.Store{}, q))
	q = vectors.Query{Model: "another", Vector: []float32{1, 0, 0}, Limit: 3, Viewer: me}
	require.Empty(t, nearest(t, db, vectors.Store{}, q), "vectors of another model are never compared (case 56)")
}

func TestAnArticleCountsByItsBestSection(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	me := pgtest.Tenant(t, db)
	long, short := article(t, db, me, "published"), article(t, db, me, "published")
	require.NoError(t, put(t, db, me.Tenant, long, embedding.Document{Whole: []float32{1, 1}, Sections: [][]float32{{1, 0}, {0.1, 1}}}))
	require.NoError(t, put(t, db, me.Tenant, short, whole(0.5, 1)))
	q := vectors.Query{Model: model, Vector: []float32{0, 1}, Limit: 5, PublishedOnly: true, Viewer: me}
	found := nearest(t, db, vectors.Store{}, q)
	require.Equal(t, []uuid.UUID{long, short}, ids(found))
	require.Equal(t, 2, found[0].Section)

	q.Whole = true
	require.Equal(t, []uuid.UUID{short, long}, ids(nearest(t, db, vectors.Store{}, q)), "the gate compares whole with whole")

	require.NoError(t, put(t, db, me.Tenant, long, whole(1, 0)))
	q.Whole = false
	require.Equal(t, []uuid.UUID{short, long}, ids(nearest(t, db, vectors.Store{}, q)), "a shortened text loses its old sections")

	require.NoError(t, db.HeavyRead(ctx, me.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		cosines, err := vectors.Store{}.Cosines(ctx, tx, model, q.Vector, []uuid.UUID{long, short, uuid.New()})
		require.NoError(t, err)
		require.Len(t, cosines, 2)
		require.InDelta(t, 0, float64(cosines[long].Cosine), 1e-3)
		loaded, err := vectors.Store{}.Load(ctx, tx, model, []uuid.UUID{long})
		require.NoError(t, err)
		require.Equal(t, []float32{1, 0}, loaded[long])
		return nil
	}))
}

func TestAVectorWithoutDirectionIsRefused(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	me := pgtest.Tenant(t, db)
	id := article(t, db, me, "published")
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, doc := range []embedding.Document{whole(), whole(0, 0), whole(nan, 1), whole(inf, 1), {Whole: []float32{1, 0}, Sections: [][]float32{{0, 0}}}} {
		require.Equal(t, wiki.CodeSemanticDown, wiki.ErrorCode(put(t, db, me.Tenant, id, doc)))
	}
	require.Error(t, put(t, db, me.Tenant, id, embedding.Document{Whole: []float32{1, 0}, Sections: [][]float32{{1, 0, 0}}}))
	err := db.HeavyRead(ctx, me.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		_, err := vectors.Store{}.Nearest(ctx, tx, vectors.Query{Model: model, Vector: []float32{0, 0}, Limit: 1, Viewer: me})
		return err
	})
	require.Equal(t, wiki.CodeSemanticDown, wiki.ErrorCode(err))
}

func TestPutTakesTheArticleOffThePendingList(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	me := pgtest.Tenant(t, db)
	id := article(t, db, me, "published")
	pending := func() (n int) {
		require.NoError(t, db.Tenant(ctx, me.Tenant, func(ctx context.Context, tx postgres.Tx) error {
			return tx.QueryRow(ctx, `select count(*) from embedding_pending`).Scan(&n)
		}))
		return n
	}
	for range 2 {
		require.NoError(t, db.Tenant(ctx, me.Tenant, func(ctx context.Context, tx postgres.Tx) error {
			return vectors.Store{}.MarkPending(ctx, tx, id, me.Tenant)
		}))
	}
	require.Equal(t, 1, pending())
	require.NoError(t, put(t, db, me.Tenant, id, whole(1, 0)))
	require.Zero(t, pending())
}
