package search_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/embedding"
	"wiki/core/keyword"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/search"
	"wiki/core/shareddata"
	"wiki/core/vectors"
	"wiki/core/wiki"
)

var ctx = context.Background()

// fixture is a database with the built-in model and one tenant.
type fixture struct {
	db       *postgres.DB
	embedder embedding.Embedder
	me       wiki.Actor
	service  *search.Service
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	embedder, err := embedding.BuiltIn()
	require.NoError(t, err)
	db := pgtest.New(t)
	return fixture{db: db, embedder: embedder, me: pgtest.Tenant(t, db), service: search.New(db, embedder, search.DefaultSettings())}
}

const insertSQL = `insert into articles (id, tenant_id, title, body, category, status, scope, slug, tags, created_by, content_hash,
	content_changed_at, inserted_at, updated_at, curated_at) values ($1, $2, $3, $4, $5, 'published', $6, $7, $8, '{}', $9, $10, now(), now(), $11)`

// doc is an article to add; zero fields take harmless values.
type doc struct {
	title, body string
	category    string
	tags        []string
	canon       bool
	curated     bool
	age         time.Duration
	noVector    bool
}

func (f fixture) add(t *testing.T, d doc) uuid.UUID {
	t.Helper()
	id, tenant, owner, scope := uuid.Must(uuid.NewV7()), f.me.Tenant, &f.me.Tenant, "tenant"
	if d.canon {
		tenant, owner, scope = uuid.Nil, nil, "system"
	}
	if d.category == "" {
		d.category = "finding"
	}
	var curated *time.Time
	if d.curated {
		curated = &time.Time{}
	}
	hash := sha256.Sum256([]byte(strings.TrimSpace(d.title) + d.body))
	docs, err := f.embedder.Embed(ctx, []string{embedding.ArticleText(d.title, d.body)})
	require.NoError(t, err)
	require.NoError(t, f.db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, insertSQL, id, owner, d.title, d.body, d.category, scope, "t"+strings.ReplaceAll(id.String(), "-", ""),
			append([]string{}, d.tags...), hex.EncodeToString(hash[:]), time.Now().Add(-d.age), curated)
		if err != nil {
			return err
		}
		if err := (keyword.Store{}).Put(ctx, tx, id, tenant, d.title, d.body); err != nil || d.noVector {
			return err
		}
		return vectors.Store{}.Put(ctx, tx, id, tenant, f.embedder.Model().ID, "", docs[0])
	}))
	return id
}

func (f fixture) search(t *testing.T, q search.Query) search.Page {
	t.Helper()
	page, err := f.service.Search(ctx, f.me, q)
	require.NoError(t, err)
	return page
}

func ids(hits []search.Hit) (out []uuid.UUID) {
	for _, h := range hits {
		out = append(out, h.ID)
	}
	return out
}

// corpus adds a handful of notes and gives the ids of three of them.
func (f fixture) corpus(t *testing.T) (pool, tls, cats uuid.UUID) {
	t.Helper()
	pool = f.add(t, doc{title: "Connection pools", body: "pgbouncer keeps a pool of database connections. Set default_pool_size to 20.", tags: []string{"db"}})
	tls = f.add(t, doc{title: "Renewing certificates", body: "certbot renew replaces the TLS certificate before it expires.", tags: []string{"ops", "tls"}, category: "playbook"})
	cats = f.add(t, doc{title: "Cats", body: "A kitten sleeps most of the day on the sofa."})
	for i := range 5 {
		f.add(t, doc{title: fmt.Sprint("Filler ", i), body: fmt.Sprintf("Weather report number %d: rain in the north.", i)})
	}
	return pool, tls, cats
}

func TestSearchByEachMode(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	pool, tls, cats := f.corpus(t)

	page := f.search(t, search.Query{Text: "default_pool_size", Mode: search.ModeKeyword})
	require.Equal(t, pool, page.Hits[0].ID)
	require.Equal(t, search.ModeKeyword, page.Mode)
	require.Equal(t, search.ScopeKeywordMatches, page.Scope)
	require.Contains(t, page.Hits[0].Snippet, "**default_pool_size**")

	page = f.search(t, search.Query{Text: "napping feline pets", Mode: search.ModeSemantic, Limit: 3})
	require.Equal(t, cats, page.Hits[0].ID)
	require.Len(t, page.Hits, 3)
	require.True(t, page.HasMore)
	require.Greater(t, page.Hits[0].Score, page.Hits[1].Score)

	page = f.search(t, search.Query{Text: "how do I renew a TLS certificate that expires?", Explain: true})
	require.Equal(t, tls, page.Hits[0].ID)
	require.Equal(t, search.ModeCombined, page.Mode)
	require.False(t, page.Degraded)
	e := page.Hits[0].Explain
	require.Equal(t, 1, e.Lanes[wiki.LaneKeyword].Rank)
	require.Equal(t, 1, e.Lanes[wiki.LaneSemantic].Rank)
	require.InDelta(t, wiki.DefaultKeywordScoreWeight*e.Lanes[wiki.LaneKeyword].Score+wiki.DefaultSemanticScoreWeight*e.Lanes[wiki.LaneSemantic].Score,
		e.Fused, 1e-9)
	require.InDelta(t, 1.05, e.Priors["category"], 1e-9)
	product := e.Fused
	for _, factor := range e.Priors {
		product *= factor
	}
	require.InDelta(t, product, page.Hits[0].Score, 1e-12)

	first := f.search(t, search.Query{Text: "rain", Limit: 2})
	second := f.search(t, search.Query{Text: "rain", Limit: 2, Offset: 2})
	require.NotEqual(t, ids(first.Hits), ids(second.Hits))
	require.Equal(t, ids(f.search(t, search.Query{Text: "rain", Limit: 4}).Hits), append(ids(first.Hits), ids(second.Hits)...))
}

func TestFiltersAndList(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	pool, tls, _ := f.corpus(t)
	for _, mode := range []search.Mode{search.ModeKeyword, search.ModeSemantic, search.ModeCombined} {
		page := f.search(t, search.Query{Text: "certificate pool rain", Mode: mode, Filter: wiki.Filter{Tags: []string{"tls", "db"}}})
		require.ElementsMatch(t, []uuid.UUID{pool, tls}, ids(page.Hits), mode)
		page = f.search(t, search.Query{Text: "certificate pool rain", Mode: mode, Filter: wiki.Filter{Category: "playbook"}})
		require.Equal(t, []uuid.UUID{tls}, ids(page.Hits), mode)
		project := uuid.New()
		require.Empty(t, f.search(t, search.Query{Text: "certificate", Mode: mode, Filter: wiki.Filter{Project: &project}}).Hits, mode)
	}
	page := f.search(t, search.Query{Filter: wiki.Filter{Category: "finding"}, Limit: 2})
	require.Equal(t, search.ModeList, page.Mode)
	require.Equal(t, 7, page.Total)
	require.True(t, page.HasMore)
	require.Equal(t, search.ScopeFilteredSet, page.Scope)
	require.NotEmpty(t, page.Hits[0].Snippet)

	for _, q := range []search.Query{
		{},
		{Text: "  \x00 "},
		{Text: "x", Mode: "fancy"},
		{Text: "x", Limit: 51},
		{Text: "x", Limit: -1},
		{Text: "x", Offset: -1},
		{Text: "x", Filter: wiki.Filter{Category: "\xff"}},
		{Text: "x", Filter: wiki.Filter{Tags: []string{"\x00"}}},
	} {
		_, err := f.service.Search(ctx, f.me, q)
		require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err), "%+v", q)
	}
}

// down is an embedder that fails as a provider does.
type down struct {
	embedding.Embedder
	err error
}

func (d down) EmbedQuery(context.Context, string) ([]float32, error) { return nil, d.err }

// The embedder is down: the keyword lane answers within its own time, and the page says so (cases 50).
func TestADeadEmbedderDegradesLabelled(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, tls, _ := f.corpus(t)
	semanticDown := wiki.Errorf(wiki.CodeSemanticDown, "down")
	semanticDown.Details = map[string]any{"reason": embedding.ReasonBreakerOpen}
	f.service = search.New(f.db, down{f.embedder, semanticDown}, search.DefaultSettings())

	page := f.search(t, search.Query{Text: "how do I renew a certificate?"})
	require.Equal(t, tls, page.Hits[0].ID)
	require.Equal(t, search.ModeKeywordOnly, page.Mode)
	require.True(t, page.Degraded)
	require.Equal(t, embedding.ReasonBreakerOpen, page.DegradedReason)

	hybrid, err := f.service.Hybrid(ctx, f.me, search.Query{Text: "how do I renew a certificate?"})
	require.NoError(t, err)
	require.True(t, hybrid.Degraded)
	require.Equal(t, tls, hybrid.Hits[0].ID)

	page = f.search(t, search.Query{Text: "certificate", Mode: search.ModeKeyword})
	require.False(t, page.Degraded, "nothing was missing")
	_, err = f.service.Search(ctx, f.me, search.Query{Text: "certificate", Mode: search.ModeSemantic})
	require.Equal(t, wiki.CodeSemanticDown, wiki.ErrorCode(err))

	f.service = search.New(f.db, down{f.embedder, fmt.Errorf("odd")}, search.DefaultSettings())
	require.True(t, f.search(t, search.Query{Text: "certificate"}).Degraded)
	_, err = f.service.Search(ctx, f.me, search.Query{Text: "certificate", Mode: search.ModeSemantic})
	require.Equal(t, wiki.CodeSemanticDown, wiki.ErrorCode(err))

	zero := zeroVector{f.embedder}
	f.service = search.New(f.db, zero, search.DefaultSettings())
	page = f.search(t, search.Query{Text: "certificate"})
	require.Equal(t, tls, page.Hits[0].ID)
	require.Equal(t, embedding.ReasonBadAnswer, page.DegradedReason)
}

// zeroVector is a provider whose answers have no direction.
type zeroVector struct{ embedding.Embedder }

func (z zeroVector) EmbedQuery(context.Context, string) ([]float32, error) {
	return make([]float32, z.Model().Dims), nil
}

func TestNoTextIsAnErrorInAnyMode(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(shareddata.Dir(t, "naughty-strings"), "blns.json"))
	require.NoError(t, err)
	var texts []string
	require.NoError(t, json.Unmarshal(raw, &texts))
	f := newFixture(t)
	f.add(t, doc{title: "Hostile", body: strings.Join(texts, "\n")})
	for i, text := range append(texts, "\xff\xfe", strings.Repeat("word ", 400)) {
		mode := search.ModeKeyword
		if i%6 == 0 { // embedding every one takes its time
			mode = []search.Mode{search.ModeSemantic, search.ModeCombined}[i/6%2]
		}
		page, err := f.service.Search(ctx, f.me, search.Query{Text: text, Mode: mode, Filter: wiki.Filter{Category: "finding"}})
		require.NoError(t, err, "%q", text)
		for _, h := range page.Hits {
			require.LessOrEqual(t, utf8.RuneCountInString(h.Snippet), wiki.MaxSnippetRunes)
			require.True(t, utf8.ValidString(h.Snippet))
		}
	}
	page := f.search(t, search.Query{Text: strings.Repeat("word ", 400)})
	require.Contains(t, page.Note, "cut")
}

// The tail of a long text is found by meaning, and the snippet shows it.
func TestTheTailOfALongTextIsFoundAndShown(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.corpus(t)
	filler := strings.Repeat("The committee met and took minutes about the budget of the quarter. ", 120)
	tail := "The espresso machine needs descaling with citric acid. Limescale blocks the boiler of a coffee maker. Rinse it twice. "
	long := f.add(t, doc{title: "Minutes", body: filler + strings.Repeat(tail, 12)})
	page := f.search(t, search.Query{Text: "removing mineral deposits from kitchen appliances", Mode: search.ModeSemantic})
	require.Equal(t, long, page.Hits[0].ID)
	require.Contains(t, page.Hits[0].Snippet, "Limescale")
	page = f.search(t, search.Query{Text: "descaling espresso machine"})
	require.Equal(t, long, page.Hits[0].ID)
	require.Contains(t, page.Hits[0].Snippet, "**descaling**")
}

func TestFusionByScoreIsASetting(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	pool, _, _ := f.corpus(t)
	settings := search.DefaultSettings()
	settings.Fusion = wiki.DefaultFusion(wiki.FuseByScore)
	f.service = search.New(f.db, f.embedder, settings)
	page := f.search(t, search.Query{Text: "pool of connections", Explain: true})
	require.Equal(t, pool, page.Hits[0].ID)
	for _, h := range page.Hits {
		require.True(t, h.Explain.Lanes[wiki.LaneKeyword].Known && h.Explain.Lanes[wiki.LaneSemantic].Known, "both scores of every candidate")
	}
}

func TestAPageIsRecordedOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.corpus(t)
	page := f.search(t, search.Query{Text: "rain certificate"})
	var recorded int
	require.NoError(t, f.db.TenantRead(ctx, f.me.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		return tx.QueryRow(ctx, `select count(*) from access_events where kind = 'search'`).Scan(&recorded)
	}))
	require.Equal(t, len(page.Hits), recorded)
}

// Two searches of one state give one answer, and recency moves with the authored change alone.
func TestOrderIsDeterministicAndByAuthoredAge(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	old := f.add(t, doc{title: "Lunch one", body: "The canteen serves soup at noon.", age: 400 * 24 * time.Hour})
	fresh := f.add(t, doc{title: "Lunch two", body: "The canteen serves soup at noon."})
	q := search.Query{Text: "when does the canteen serve soup", Explain: true}
	page := f.search(t, q)
	require.Equal(t, []uuid.UUID{fresh, old}, ids(page.Hits))
	require.InDelta(t, 0.7, page.Hits[1].Explain.Priors["recency"], 0.01)
	require.Equal(t, ids(page.Hits), ids(f.search(t, q).Hits))
}

// What is suppressed, superseded, archived or a draft comes back by no lane, no list and no fallback (cases 32, 37, 38, 40).
func TestWhatIsRetractedIsFoundByNoPath(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, tls, _ := f.corpus(t)
	paths := func() map[string][]uuid.UUID {
		const question = "renew the TLS certificate"
		found := map[string][]uuid.UUID{}
		for _, mode := range []search.Mode{search.ModeKeyword, search.ModeSemantic, search.ModeCombined} {
			found[string(mode)] = ids(f.search(t, search.Query{Text: question, Mode: mode}).Hits)
		}
		found["list"] = ids(f.search(t, search.Query{Filter: wiki.Filter{Tags: []string{"tls"}}}).Hits)
		found["hybrid"] = ids(f.hybrid(t, question, 10).Hits)
		degraded := search.New(f.db, down{f.embedder, wiki.Errorf(wiki.CodeSemanticDown, "down")}, search.DefaultSettings())
		page, err := degraded.Search(ctx, f.me, search.Query{Text: question})
		require.NoError(t, err)
		found["fallback"] = ids(page.Hits)
		return found
	}
	for path, found := range paths() {
		require.Contains(t, found, tls, path)
	}
	for _, retract := range []string{
		`update articles set suppressed_at = now(), suppressed_by = 'x', suppression_reason = 'x' where id = $1`,
		`update articles set suppressed_at = null, suppressed_by = null, suppression_reason = null, status = 'superseded' where id = $1`,
		`update articles set status = 'archived' where id = $1`,
		`update articles set status = 'draft' where id = $1`,
	} {
		f.exec(t, retract, tls)
		for path, found := range paths() {
			require.NotContains(t, found, tls, "%s: %s", path, retract)
		}
	}
}
