package search_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/embedding"
	"wiki/core/keyword"
	"wiki/core/postgres"
	"wiki/core/search"
	"wiki/core/shareddata"
	"wiki/core/vectors"
)

// measureEnv asks for the measurement of speed, which takes minutes. Quality is measured by core/eval.
const measureEnv = "WIKI_MEASURE"

func measured(t *testing.T, name string) string {
	t.Helper()
	if !slices.Contains(strings.Split(os.Getenv(measureEnv), ","), name) {
		t.Skipf("a measurement of minutes: set %s=%s to run it", measureEnv, name)
	}
	return shareddata.Dir(t, map[string]string{"tldr": "tldr-en"}[name])
}

// load adds documents in bulk and gives their ids in order.
func (f fixture) load(t *testing.T, docs []doc) []uuid.UUID {
	t.Helper()
	const batch = 64
	ids := make([]uuid.UUID, len(docs))
	began := time.Now()
	var embedded time.Duration
	for from := 0; from < len(docs); from += batch {
		part := docs[from:min(from+batch, len(docs))]
		texts := make([]string, len(part))
		for i, d := range part {
			texts[i] = embedding.ArticleText(d.title, d.body)
		}
		start := time.Now()
		vecs, err := f.embedder.Embed(ctx, texts)
		require.NoError(t, err)
		embedded += time.Since(start)
		require.NoError(t, f.db.Tenant(ctx, f.me.Tenant, func(ctx context.Context, tx postgres.Tx) error {
			for i, d := range part {
				id := uuid.Must(uuid.NewV7())
				ids[from+i] = id
				if _, err := tx.Exec(ctx, insertSQL, id, f.me.Tenant, d.title, d.body, "finding", "tenant", "t"+strings.ReplaceAll(id.String(), "-", ""),
					[]string{}, id.String(), time.Unix(0, 0), nil); err != nil {
					return err
				}
				if err := (keyword.Store{}).Put(ctx, tx, id, f.me.Tenant, d.title, d.body); err != nil {
					return err
				}
				if err := (vectors.Store{}).Put(ctx, tx, id, f.me.Tenant, f.embedder.Model().ID, "", vecs[i]); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	f.exec(t, "analyze")
	t.Logf("%d documents in %s, of which embedding %s", len(docs), time.Since(began).Round(time.Second), embedded.Round(time.Second))
	return ids
}

// latencies runs the queries and logs the middle and the tail.
func (f fixture) latencies(t *testing.T, name string, queries []string, run func(string)) {
	t.Helper()
	for _, q := range queries[:min(len(queries), 20)] {
		run(q)
	}
	took := make([]time.Duration, len(queries))
	for i, q := range queries {
		began := time.Now()
		run(q)
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	t.Logf("%-32s p50 %s p95 %s", name, took[len(took)/2].Round(10*time.Microsecond), took[len(took)*95/100].Round(10*time.Microsecond))
}

// modes times every mode, and the keyword and vector lanes by themselves.
func (f fixture) modes(t *testing.T, queries []string) {
	t.Helper()
	for _, mode := range []search.Mode{search.ModeKeyword, search.ModeSemantic, search.ModeCombined} {
		f.latencies(t, string(mode), queries, func(q string) { f.search(t, search.Query{Text: q, Mode: mode}) })
	}
	f.latencies(t, "hybrid", queries, func(q string) { f.hybrid(t, q, 10) })
	f.latencies(t, "embedding a query", queries, func(q string) { _, _ = f.embedder.EmbedQuery(ctx, q) })
	lane := func(name string, run func(context.Context, postgres.Tx, string) error) {
		f.latencies(t, name, queries, func(q string) {
			require.NoError(t, f.db.HeavyRead(ctx, f.me.Tenant, func(ctx context.Context, tx postgres.Tx) error { return run(ctx, tx, q) }))
		})
	}
	lane("keyword lane, 200", func(ctx context.Context, tx postgres.Tx, q string) error {
		_, err := keyword.Store{}.Search(ctx, tx, keyword.Query{Text: q, Limit: 200, Viewer: f.me})
		return err
	})
	vector, err := f.embedder.EmbedQuery(ctx, queries[0])
	require.NoError(t, err)
	for _, below := range []int{1, 1 << 20} {
		for _, limit := range []int{5, 200} {
			name := map[int]string{1: "vector lane by index, ", 1 << 20: "vector lane exact, "}[below] + map[int]string{5: "5", 200: "200"}[limit]
			lane(name, func(ctx context.Context, tx postgres.Tx, _ string) error {
				_, err := vectors.Store{ExactBelow: below}.Nearest(ctx, tx, vectors.Query{
					Model: f.embedder.Model().ID, Vector: vector, Limit: limit, PublishedOnly: true, Viewer: f.me,
				})
				return err
			})
		}
	}
}

func (f fixture) index(t *testing.T) {
	t.Helper()
	require.NoError(t, f.db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		return vectors.EnsureIndex(ctx, tx, f.embedder.Model())
	}))
}

func TestMeasureSpeedOnTLDR(t *testing.T) {
	dir := measured(t, "tldr")
	f := newFixture(t)
	f.index(t)
	var docs []doc
	seen := map[string]bool{}
	require.NoError(t, filepath.WalkDir(filepath.Join(dir, "pages"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		body, err := os.ReadFile(path)
		title := strings.TrimSuffix(filepath.Base(path), ".md")
		if seen[title] {
			title = filepath.Base(filepath.Dir(path)) + " " + title
		}
		if !seen[title] {
			docs = append(docs, doc{title: title, body: string(body)})
		}
		seen[title] = true
		return err
	}))
	f.load(t, docs)
	f.modes(t, []string{
		"how do I list the files of a directory?", "extract a tar.gz archive", "git rebase --interactive", "who is logged in", "convert video to mp4",
		"kubernetes pods in all namespaces", "restart a systemd service", "change the owner of a file", "search text recursively", "kill a process by name",
		"compress an image", "what is my public ip address", "docker container logs", "schedule a command at a time", "disk usage of a directory",
		"resize a partition", "create a new user", "show network interfaces", "download a web page", "monitor cpu and memory usage",
	})
}
