package ingest_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/articles"
	"wiki/core/bundle"
	"wiki/core/embedding"
	"wiki/core/gate"
	"wiki/core/ingest"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/record"
	"wiki/core/wiki"
)

// house is a wiki with one tenant and an importer.
type house struct {
	ingest.Importer
	actor wiki.Actor
}

func newHouse(t testing.TB) house {
	t.Helper()
	h := houseOn(t, pgtest.New(t))
	h.actor = pgtest.Tenant(t, h.DB)
	return h
}

// houseOn is a house on a database, without a tenant.
func houseOn(t testing.TB, db *postgres.DB) house {
	t.Helper()
	builtIn, err := embedding.BuiltIn()
	require.NoError(t, err)
	r := record.Service{DB: db, Embedder: builtIn}
	g := gate.Service{DB: db, Record: r, Assessor: gate.Nearest{DB: db, Embedder: builtIn}}
	return house{Importer: ingest.Importer{DB: db, Gate: g, Record: r, Embedder: builtIn}}
}

func write(t testing.TB, dir string, files map[string]string) string {
	t.Helper()
	for name, content := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(content), 0o644))
	}
	return dir
}

func open(t testing.TB, dir string) *bundle.Source {
	t.Helper()
	src, err := bundle.Open(dir, bundle.FormatAuto)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, src.Close()) })
	return src
}

// run imports a folder to its end.
func (h house) run(t testing.TB, dir string, opts ingest.Options) (ingest.Report, map[string]ingest.File) {
	t.Helper()
	report, err := h.Run(t.Context(), h.actor, open(t, dir), opts, nil)
	require.NoError(t, err)
	require.True(t, report.Finished)
	return report, byPath(report)
}

func byPath(r ingest.Report) map[string]ingest.File {
	files := map[string]ingest.File{}
	for _, f := range r.Files {
		files[f.Path] = f
	}
	return files
}

// stored gives the tenant's articles by title.
func (h house) stored(t testing.TB) map[string]wiki.Article {
	t.Helper()
	found := map[string]wiki.Article{}
	reader := articles.Reader{DB: h.DB}
	filter := articles.Filter{Limit: 100}
	for {
		page, err := reader.List(t.Context(), h.actor, filter)
		require.NoError(t, err)
		for _, a := range page.Articles {
			require.NotContains(t, found, a.Title, "a double")
			found[a.Title] = a
		}
		if len(page.Articles) < filter.Limit {
			return found
		}
		filter.Offset += filter.Limit
	}
}

func TestEveryFileGetsItsAnswer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	dir := write(t, t.TempDir(), map[string]string{
		"README.md":    "# About",
		"a.md":         "# Deploys\n\nDeploys run at noon on Mondays. See [[Cache]] and [this](sub/long.md).\n",
		"b.md":         "# Deploys\n\nAnother page of the same name, about ships.\n",
		"bad.md":       "caf\xe9",
		"broken.md":    "---\ntitle: Rule: never on Fridays\n---\nThe week ends on Thursday.\n",
		"cache.md":     "# Cache\n\nThe cache is emptied by hand. Back to [deploys](/a.md).\n",
		"copy.md":      "# Deployment times\n\nDeploys run at noon on Mondays. See [[Cache]] and [this](sub/long.md).\n",
		"sub/long.md":  "# Long\n\n" + strings.Repeat("The night job sorts the letters of the post office. ", 200),
		"sub/other.md": "# Whales\n\nWhales breathe air. [[nowhere]]\n",
	})
	report, files := h.run(t, dir, ingest.Options{Publish: true})
	outcomes := map[string]ingest.Outcome{}
	for path, f := range files {
		outcomes[path] = f.Outcome
		require.NotEmpty(t, f.Message, path)
	}
	require.Equal(t, map[string]ingest.Outcome{
		"README.md": "left_out", "a.md": "novel", "b.md": "title_conflict", "bad.md": "failed", "broken.md": "novel", "cache.md": "novel",
		"copy.md": outcomes["copy.md"], "sub/long.md": "novel", "sub/other.md": "novel",
	}, outcomes)
	require.Contains(t, []ingest.Outcome{"duplicate", "low_novelty"}, outcomes["copy.md"])
	require.Equal(t, files["a.md"].Article, files["copy.md"].Neighbour)
	require.Greater(t, files["copy.md"].Cosine, 0.88)
	require.Equal(t, files["a.md"].Article, files["b.md"].Article, "the article that has the title")
	require.Contains(t, files["b.md"].Message, files["a.md"].Article.String())
	require.Contains(t, files["bad.md"].Message, "UTF-8")
	require.Len(t, files["broken.md"].Warnings, 1)
	require.Equal(t, "Rule: never on Fridays", files["broken.md"].Title)
	require.Len(t, report.Files, 9)
	require.True(t, slices.IsSortedFunc(report.Files, func(a, b ingest.File) int { return strings.Compare(a.Path, b.Path) }))
	require.Equal(t, 5, report.Counts["novel"])
	require.GreaterOrEqual(t, report.Links, 3)

	shown, err := articles.Reader{DB: h.DB}.Get(t.Context(), h.actor, *files["a.md"].Article)
	require.NoError(t, err)
	require.Equal(t, wiki.StatusPublished, shown.Status)
	require.Equal(t, "a.md", shown.Metadata[bundle.MetaSourcePath])
	require.Len(t, shown.Outgoing, 2)
	require.GreaterOrEqual(t, len(shown.Incoming), 1)
}

func TestEverythingLandsAsADraftUnlessPublished(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	dir := write(t, t.TempDir(), map[string]string{"a.md": "# Alpha\n\nText of alpha.", "b.md": "# Beta\n\nText of beta."})
	_, files := h.run(t, dir, ingest.Options{})
	for _, a := range h.stored(t) {
		require.Equal(t, wiki.StatusDraft, a.Status)
	}
	_, again := h.run(t, dir, ingest.Options{Publish: true})
	require.Equal(t, ingest.Outcome("deduplicated"), again["a.md"].Outcome, "what stands is not published by importing it again")
	require.Equal(t, files["a.md"].Article, again["a.md"].Article)
	require.Len(t, h.stored(t), 2)
}

func TestChangedFileIsDriftAndNewFileIsNew(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	dir := write(t, t.TempDir(), map[string]string{"a.md": "# Alpha\n\nPort 8080.", "b.md": "# Beta\n\nText of beta.", "bad.md": "\xff"})
	_, first := h.run(t, dir, ingest.Options{})
	write(t, dir, map[string]string{"a.md": "# Alpha\n\nPort 8081.", "bad.md": "# Mended\n\nNow it reads.", "c.md": "# Gamma\n\nSee [alpha](a.md)."})
	report, second := h.run(t, dir, ingest.Options{})
	require.Equal(t, ingest.Outcome("deduplicated"), second["a.md"].Outcome)
	require.True(t, second["a.md"].Drift)
	require.False(t, second["b.md"].Drift)
	require.Equal(t, first["a.md"].Article, second["a.md"].Article)
	require.Equal(t, ingest.Outcome("novel"), second["bad.md"].Outcome)
	require.Equal(t, ingest.Outcome("novel"), second["c.md"].Outcome)
	require.Equal(t, 1, report.Links)
	shown, err := articles.Reader{DB: h.DB}.Get(t.Context(), h.actor, *first["a.md"].Article)
	require.NoError(t, err)
	require.Equal(t, "Port 8080.", shown.Body, "an import overwrites nothing")
}

// Two folders may hold files of one name: they are not one another's.
func TestAnotherFolderIsAnotherSource(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.run(t, write(t, t.TempDir(), map[string]string{"a.md": "# Alpha\n\nText of alpha."}), ingest.Options{})
	_, files := h.run(t, write(t, t.TempDir(), map[string]string{"a.md": "# Beta\n\nThe sea is deep."}), ingest.Options{})
	require.Equal(t, ingest.Outcome("novel"), files["a.md"].Outcome)

	_, files = h.run(t, write(t, t.TempDir(), map[string]string{"x.md": "# Moved\n\nOne text."}), ingest.Options{Name: "notes"})
	moved := files["x.md"].Article
	_, files = h.run(t, write(t, t.TempDir(), map[string]string{"x.md": "# Moved\n\nOne text."}), ingest.Options{Name: "notes"})
	require.Equal(t, ingest.Outcome("deduplicated"), files["x.md"].Outcome)
	require.Equal(t, moved, files["x.md"].Article)
}

func TestImportNeedsAUser(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	agent := pgtest.Actor(t, h.DB, h.actor.Tenant, wiki.RoleOrchestrator, "agent")
	_, err := h.Run(t.Context(), agent, open(t, write(t, t.TempDir(), map[string]string{"a.md": "text"})), ingest.Options{}, nil)
	require.Equal(t, wiki.CodeForbidden, wiki.ErrorCode(err))
}

// downEmbedder is a provider that can't be reached.
type downEmbedder struct{ embedding.Embedder }

func (downEmbedder) Embed(context.Context, []string) ([]embedding.Document, error) {
	return nil, wiki.Errorf(wiki.CodeSemanticDown, "the embedding provider can't be reached")
}

func TestWithoutEmbeddingsNothingIsCreatedAndTheNextImportMakesUp(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	dir := write(t, t.TempDir(), map[string]string{"a.md": "# Alpha\n\nText of alpha."})
	broken := h
	broken.Embedder = downEmbedder{h.Embedder}
	broken.Gate.Assessor = gate.Nearest{DB: h.DB, Embedder: broken.Embedder}
	_, files := broken.run(t, dir, ingest.Options{})
	require.Equal(t, ingest.Failed, files["a.md"].Outcome)
	require.Contains(t, files["a.md"].Message, "can't be reached")
	require.Empty(t, h.stored(t))
	_, files = h.run(t, dir, ingest.Options{})
	require.Equal(t, ingest.Outcome("novel"), files["a.md"].Outcome)
}

func TestOKFBundle(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	dir := write(t, t.TempDir(), map[string]string{
		"index.md": "---\nokf_version: \"0.2\"\n---\n# All\n",
		"a.md":     "---\ntype: Policy\ntitle: Refunds\nverified: {by: 'human:ann', at: 2026-01-01T00:00:00Z}\n---\nRefunds take ten days. See [b](/b.md).\n",
		"b.md":     "---\ntype: Metric\ntitle: Revenue\n---\nThe sum of all orders.\n",
	})
	report, files := h.run(t, dir, ingest.Options{})
	require.Equal(t, bundle.FormatOKF, report.Format)
	require.Equal(t, "0.2", report.Conformance.Version)
	require.True(t, report.Conformance.Conformant())
	require.Equal(t, ingest.LeftOut, files["index.md"].Outcome)
	require.Equal(t, 1, report.Links)
	a := h.stored(t)["Refunds"]
	require.Equal(t, wiki.Category("decision"), a.Category)
	require.Equal(t, "human-reviewed", a.Metadata[bundle.MetaAdvisory].(map[string]any)["trust"])
	require.Nil(t, a.CuratedAt, "what a bundle says of itself curates nothing")
}

func TestStatementsPrepare(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	require.NoError(t, h.DB.Tenant(t.Context(), h.actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		for name, sql := range ingest.Statements {
			_, err := tx.Prepare(ctx, name, sql)
			require.NoError(t, err, name)
		}
		return nil
	}))
}

// exec runs a statement in the tenant.
func (h house) exec(t testing.TB, sql string) {
	t.Helper()
	require.NoError(t, h.DB.Tenant(t.Context(), h.actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, sql)
		return err
	}))
}

func linkCount(t testing.TB, h house) (n int) {
	t.Helper()
	require.NoError(t, h.DB.TenantRead(t.Context(), h.actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		return tx.QueryRow(ctx, `select count(*) from article_links where relation = 'relates_to'`).Scan(&n)
	}))
	return n
}
