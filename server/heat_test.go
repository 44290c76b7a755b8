package server_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/access"
	"wiki/core/postgres"
	"wiki/core/usage"
	"wiki/core/wiki"
	"wiki/server/api"
)

// warm is a wiki with two articles of the tenant's and one of system canon, by the word they share.
type warm struct {
	*world
	word          string
	a, b, canon   uuid.UUID
	agent, agent2 string // keys
}

func warmed(t *testing.T) *warm {
	t.Helper()
	w := &warm{world: start(t), word: "lighthouse"}
	ids := w.stock(2)
	w.a, w.b, w.canon = ids[0], ids[1], uuid.Must(uuid.NewV7())
	require.NoError(t, w.core.DB.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `insert into articles (id, tenant_id, title, body, category, status, scope, slug, created_by, content_hash, content_changed_at, inserted_at, updated_at)
			values ($1, null, 'Canon', 'Canon of the stock.', 'finding', 'published', 'system', 'canon-of-stock', '{}', 'h', now(), now(), now())`, w.canon)
		return err
	}))
	w.agent = w.keys[wiki.RoleAgent]
	k, err := w.core.Access.CreateKey(t.Context(), access.Operator(w.tenant), access.NewKey{Name: "second", Role: wiki.RoleAgent, AgentID: "second"})
	require.NoError(t, err)
	w.agent2 = k.Secret
	return w
}

// read opens an article by its id.
func (w *warm) read(key string, id uuid.UUID) {
	w.tb.Helper()
	_, err := w.client(key).Article(w.tb.Context(), id)
	require.NoError(w.tb, err)
}

// heat gives the index as id -> readers and days, and the order.
func (w *warm) heat() (order []uuid.UUID, counts map[uuid.UUID][2]int) {
	w.tb.Helper()
	list, meta, err := w.client(w.agent).Heat(w.tb.Context(), api.HeatQuery{})
	require.NoError(w.tb, err)
	require.Equal(w.tb, "GET /api/v1/knowledge/progressive/{id}", meta.Drill)
	counts = map[uuid.UUID][2]int{}
	for _, h := range list {
		order = append(order, h.ID)
		counts[h.ID] = [2]int{h.Readers, h.Days}
	}
	return order, counts
}

// #563: a search or a context has one row for each result of a ranked query; to count them made heat a tally of the
// ranker's own output.
func TestSeed5Violation563SearchesAndContextsMakeNoHeat(t *testing.T) {
	t.Parallel()
	w := warmed(t)
	for range 3 {
		hits, _, err := w.client(w.agent).Search(t.Context(), api.SearchQuery{Query: "stock"})
		require.NoError(t, err)
		require.NotEmpty(t, hits)
		_, _, err = w.client(w.agent).Hybrid(t.Context(), api.HybridRequest{Query: "stock"})
		require.NoError(t, err)
		whole, _, err := w.client(w.agent).Context(t.Context(), api.ContextQuery{Query: "stock"})
		require.NoError(t, err)
		require.NotEmpty(t, whole)
		_, _, err = w.client(w.agent).Progressive(t.Context(), "stock")
		require.NoError(t, err)
		_, _, err = w.client(w.agent).Index(t.Context(), api.IndexQuery{})
		require.NoError(t, err)
	}
	order, _ := w.heat()
	require.Empty(t, order)
	w.requireRecorded(usage.Search, usage.Context)
	w.read(w.agent, w.a)
	_, counts := w.heat()
	require.Equal(t, map[uuid.UUID][2]int{w.a: {1, 1}}, counts)
}

// requireRecorded: the events are there, they only do not count.
func (w *warm) requireRecorded(kinds ...usage.Kind) {
	w.tb.Helper()
	require.NoError(w.tb, w.core.DB.TenantRead(w.tb.Context(), w.tenant, func(ctx context.Context, tx postgres.Tx) error {
		for _, k := range kinds {
			var n int
			require.NoError(w.tb, tx.QueryRow(ctx, `select count(*) from access_events where kind = $1`, k).Scan(&n))
			require.Positive(w.tb, n, k)
		}
		return nil
	}))
}

// #567: one key could pin its own article by reading it in a loop, and then a fleet of dispatches did as many readers. A
// reader is an agent or a line of keys, and ties are broken by days, never by how often.
func TestSeed5Violation567LoopsAndDispatchesAreOneReader(t *testing.T) {
	t.Parallel()
	w := warmed(t)
	root, err := w.core.Access.CreateKey(t.Context(), access.Operator(w.tenant), access.NewKey{Name: "root", Role: wiki.RoleAgent})
	require.NoError(t, err)
	for range 5 {
		w.read(root.Secret, w.a)
		d, err := w.client(root.Secret).Dispatch(t.Context(), api.NewDispatch{Role: "agent"})
		require.NoError(t, err)
		w.read(d.Secret, w.a)
	}
	w.read(w.agent, w.b)
	w.read(w.agent2, w.b)
	order, counts := w.heat()
	require.Equal(t, map[uuid.UUID][2]int{w.a: {1, 1}, w.b: {2, 1}}, counts)
	require.Equal(t, []uuid.UUID{w.b, w.a}, order, "two readers of one reading each, before one of ten")

	// A tie in readers goes to the one read on more days, however often the other was.
	w.read(w.agent, w.a)
	for range 6 {
		w.read(w.agent, w.a)
	}
	w.readBefore(w.b, 3)
	order, counts = w.heat()
	require.Equal(t, map[uuid.UUID][2]int{w.a: {2, 1}, w.b: {2, 2}}, counts)
	require.Equal(t, []uuid.UUID{w.b, w.a}, order)
}

// readBefore adds a reading of some days ago, by the first agent.
func (w *warm) readBefore(id uuid.UUID, days int) {
	w.tb.Helper()
	require.NoError(w.tb, w.core.DB.Tenant(w.tb.Context(), w.tenant, func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `insert into access_events (tenant_id, article_id, key_id, principal, reader, kind, at) values ($1, $2, $3, 'acme-agent', 'acme-agent', 'get', $4)`,
			w.tenant, id, uuid.New(), tx.Now.AddDate(0, 0, -days))
		return err
	}))
}

// #569: the hop that this index itself names made the rank that showed it. A drill is a drill by its path, whatever a
// caller declares.
func TestSeed5Violation569DrillsMakeNoHeat(t *testing.T) {
	t.Parallel()
	w := warmed(t)
	w.read(w.agent, w.a)
	for _, query := range []string{"", "?from=get", "?access_type=get", "?kind=get"} {
		for _, key := range []string{w.agent, w.agent2} {
			r := w.send("GET /api/v1/knowledge/progressive/"+w.b.String()+query, key, "")
			require.Equal(t, http.StatusOK, r.StatusCode, r.body)
			require.Contains(t, r.body, w.b.String())
			require.Contains(t, r.body, "Of the stock")
		}
	}
	_, counts := w.heat()
	require.Equal(t, map[uuid.UUID][2]int{w.a: {1, 1}}, counts)
	w.requireRecorded(usage.Drill)
	require.Equal(t, http.StatusNotFound, w.send("GET /api/v1/knowledge/progressive/"+uuid.NewString(), w.agent, "").StatusCode)
}

// #572: system canon was the exception: its drills counted, since a drill was the only way to its text. Canon has a read of
// its own, and a drill of it counts as little as any.
func TestSeed5Violation572CanonIsCountedAsTheTenantsOwnAre(t *testing.T) {
	t.Parallel()
	w := warmed(t)
	for _, id := range []uuid.UUID{w.a, w.canon} {
		for range 3 {
			_, err := w.client(w.agent).Drill(t.Context(), id)
			require.NoError(t, err)
		}
	}
	order, _ := w.heat()
	require.Empty(t, order, "drills of neither")
	w.read(w.agent, w.a)
	w.read(w.agent, w.canon)
	_, counts := w.heat()
	require.Equal(t, map[uuid.UUID][2]int{w.a: {1, 1}, w.canon: {1, 1}}, counts, "gets of both, alike")
}

// What a client asserts it can assert at will: a referenced event counts in no heat, no read days and no reader.
func TestClientAssertionsCountNowhere(t *testing.T) {
	t.Parallel()
	w := warmed(t)
	actor := wiki.Actor{Tenant: w.tenant, Key: uuid.New(), Agent: "eager", Role: wiki.RoleAgent}
	w.core.Usage.Note(t.Context(), actor, usage.Referenced, []uuid.UUID{w.a}, map[string]any{"origin_search_id": uuid.NewString()})
	w.requireRecorded(usage.Referenced)
	order, _ := w.heat()
	require.Empty(t, order)
	require.NoError(t, w.core.DB.HeavyRead(t.Context(), w.tenant, func(ctx context.Context, tx postgres.Tx) error {
		days, err := usage.MeasureReadDays(ctx, tx, w.tenant)
		require.Empty(t, days)
		return err
	}))
}

func TestTheHeatWindow(t *testing.T) {
	t.Parallel()
	w := warmed(t)
	w.readBefore(w.a, 100)
	w.readBefore(w.b, 10)
	order, _ := w.heat()
	require.Equal(t, []uuid.UUID{w.b}, order)
	day := func(ago int) string { return time.Now().UTC().AddDate(0, 0, -ago).Format(time.DateOnly) }
	list, meta, err := w.client(w.agent).Heat(t.Context(), api.HeatQuery{Since: day(100), Limit: 1, Explain: true})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, day(100), meta.HeatWindow.Since.Format(time.DateOnly))
	require.True(t, meta.HeatWindow.Since.Equal(meta.HeatWindow.Since.Truncate(24*time.Hour)))
	require.NotNil(t, list[0].Explain)
	require.LessOrEqual(t, len(list[0].Summary), wiki.MaxSummaryBytes)
	for since, field := range map[string]string{day(-2): "since", day(367): "since", "yesterday": "since", "2020-13-45": "since"} {
		r := w.send("GET /api/v1/knowledge/heat_index?since="+since, w.agent, "")
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, r.StatusCode, since)
		require.Equal(t, field, r.failure(t).Field)
	}
	for _, limit := range []string{"0", "101", "x"} {
		require.Equal(t, http.StatusBadRequest, w.send("GET /api/v1/knowledge/heat_index?limit="+limit, w.agent, "").StatusCode)
	}
	_, other := w.newTenant("other")
	require.NotContains(t, w.send("GET /api/v1/knowledge/heat_index", other[wiki.RoleUser], "").body, w.b.String())
}
