package eval_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core"
	"wiki/core/access"
	"wiki/core/embedding"
	"wiki/core/eval"
	"wiki/core/postgres/pgtest"
	"wiki/core/search"
)

// newBench gives a bench on a database of its own; vectors are made once for all tests of the package.
func newBench(t *testing.T) (eval.Bench, *core.Core) {
	t.Helper()
	c, err := core.New(t.Context(), pgtest.New(t), core.Config{Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return eval.Bench{DB: c.DB, Access: c.Access, Record: c.Record, Embedder: sharedCache(t)}, c
}

var oneCache = sync.OnceValues(func() (*eval.Cache, error) {
	model, err := embedding.BuiltIn()
	if err != nil {
		return nil, err
	}
	return eval.NewCache(model, "")
})

func sharedCache(t *testing.T) *eval.Cache {
	t.Helper()
	c, err := oneCache()
	require.NoError(t, err)
	return c
}

var small = eval.Set{
	Name: "small",
	Documents: []eval.Document{
		{ID: "cats", Title: "Cats", Body: "Cats sleep most of the day."},
		{ID: "dogs", Title: "Dogs", Body: "Dogs bark at strangers."},
		{ID: "ports", Title: "Ports", Body: "The proxy listens on port 8080."},
	},
	Questions: []eval.Question{
		{ID: "1", Text: "which animal barks?", Relevant: map[string]int{"dogs": 3}},
		{ID: "2", Text: "port of the proxy", Relevant: map[string]int{"ports": 3}},
	},
}

func tenants(t *testing.T, c *core.Core) int {
	t.Helper()
	all, err := c.Access.Tenants(t.Context(), access.Operator(uuid.Nil))
	require.NoError(t, err)
	return len(all)
}

func TestBenchAsksInAThrowawayTenant(t *testing.T) {
	t.Parallel()
	b, c := newBench(t)
	var last eval.Progress
	err := b.With(t.Context(), small, func(p eval.Progress) { last = p }, func(ctx context.Context, l *eval.Loaded) error {
		require.Equal(t, 1, tenants(t, c))
		for _, arm := range eval.CollectionArms(search.DefaultSettings()) {
			r, err := l.Run(ctx, arm, nil)
			require.NoError(t, err, arm.Name)
			require.Equal(t, 2, r.Mean.Questions)
			require.InDelta(t, 1, r.Mean.NDCG10, 1e-9, arm.Name)
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, 3, last.Done)
	require.Zero(t, tenants(t, c), "the tenant is gone")
}

func TestBenchLeavesNoTenantWhenItFailsOrIsStopped(t *testing.T) {
	t.Parallel()
	b, c := newBench(t)
	ctx, stop := context.WithCancel(t.Context())
	err := b.With(ctx, small, nil, func(ctx context.Context, _ *eval.Loaded) error {
		stop()
		return ctx.Err()
	})
	require.ErrorIs(t, err, context.Canceled)
	broken := errors.New("broken")
	require.ErrorIs(t, b.With(t.Context(), small, nil, func(context.Context, *eval.Loaded) error { return broken }), broken)
	twice := eval.Set{Documents: []eval.Document{small.Documents[0], small.Documents[0]}}
	require.Error(t, b.With(t.Context(), twice, nil, nil), "a document that cannot be stored")
	require.Zero(t, tenants(t, c))
}
