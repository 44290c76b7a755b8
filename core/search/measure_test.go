package search_test

import (
	"context"
	"encoding/csv"
	"io/fs"
	"math"
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
	"wiki/core/wiki"
)

// measureEnv asks for the measurements, which take minutes: a comma-separated list of scifact and tldr.
const measureEnv = "WIKI_MEASURE"

func measured(t *testing.T, name string) string {
	t.Helper()
	if !slices.Contains(strings.Split(os.Getenv(measureEnv), ","), name) {
		t.Skipf("a measurement of minutes: set %s=%s to run it", measureEnv, name)
	}
	return shareddata.Dir(t, map[string]string{"tldr": "tldr-en", "scifact": "scifact"}[name])
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

func TestMeasureQualityOnSciFact(t *testing.T) {
	dir := measured(t, "scifact")
	f := newFixture(t)
	f.index(t)
	docs, names := scifact(t, dir)
	name := map[uuid.UUID]string{}
	for i, id := range f.load(t, docs) {
		name[id] = names[i]
	}
	topics, relevant := judged(t, dir)
	texts := make([]string, 0, len(topics))
	for _, text := range topics {
		texts = append(texts, text)
	}
	f.modes(t, texts)

	byScore := search.DefaultSettings()
	byScore.Fusion = wiki.DefaultFusion(wiki.FuseByScore)
	for _, run := range []struct {
		name         string
		mode         search.Mode
		settings     search.Settings
		ndcg, recall float64 // what is expected at least
	}{
		{"keyword", search.ModeKeyword, search.DefaultSettings(), 0.69, 0.92},
		{"semantic", search.ModeSemantic, search.DefaultSettings(), 0.645, 0.92},
		{"fused by rank", search.ModeCombined, search.DefaultSettings(), 0.70, 0.95},
		{"fused by score", search.ModeCombined, byScore, 0.72, 0.95},
	} {
		f.service = search.New(f.db, f.embedder, run.settings)
		var ndcg, recall float64
		for id, text := range topics {
			var found []string
			for _, offset := range []int{0, 50} {
				for _, h := range f.search(t, search.Query{Text: text, Mode: run.mode, Limit: 50, Offset: offset}).Hits {
					found = append(found, name[h.ID])
				}
			}
			n, r := score(found, relevant[id])
			ndcg, recall = ndcg+n, recall+r
		}
		ndcg, recall = ndcg/float64(len(topics)), recall/float64(len(topics))
		t.Logf("%-15s nDCG@10 %.4f R@100 %.4f", run.name, ndcg, recall)
		require.GreaterOrEqual(t, ndcg, run.ndcg, run.name)
		require.GreaterOrEqual(t, recall, run.recall, run.name)
	}
}

// score gives nDCG at 10 and recall at 100 of one query, relevance being yes or no.
func score(found []string, relevant map[string]bool) (ndcg, recall float64) {
	ideal := 0.0
	for i := range min(len(relevant), 10) {
		ideal += 1 / math.Log2(float64(i+2))
	}
	for i, doc := range found[:min(len(found), 100)] {
		if !relevant[doc] {
			continue
		}
		recall++
		if i < 10 {
			ndcg += 1 / math.Log2(float64(i+2))
		}
	}
	return ndcg / ideal, recall / float64(len(relevant))
}

func scifact(t *testing.T, dir string) (docs []doc, names []string) {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, "corpus_train.csv"))
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, row := range rows[1:] {
		title := row[1]
		if seen[title] { // a wiki's titles are unique
			title += " (" + row[0] + ")"
		}
		seen[title] = true
		var sentences []string
		for line := range strings.Lines(strings.Trim(row[2], "[]")) { // a printed list of quoted sentences, one a line
			sentences = append(sentences, strings.Trim(strings.TrimSpace(line), `'"`))
		}
		docs, names = append(docs, doc{title: title, body: strings.Join(sentences, " ")}), append(names, row[0])
	}
	return docs, names
}

func judged(t *testing.T, dir string) (topics map[string]string, relevant map[string]map[string]bool) {
	t.Helper()
	topics, relevant = map[string]string{}, map[string]map[string]bool{}
	read := func(name string) string {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(raw)
	}
	for line := range strings.Lines(read("topics.beir-v1.0.0-scifact.test.tsv")) {
		id, text, _ := strings.Cut(strings.TrimSpace(line), "\t")
		topics[id] = text
	}
	for line := range strings.Lines(read("qrels.beir-v1.0.0-scifact.test.txt")) {
		if f := strings.Fields(line); len(f) == 4 && f[3] != "0" {
			if relevant[f[0]] == nil {
				relevant[f[0]] = map[string]bool{}
			}
			relevant[f[0]][f[2]] = true
		}
	}
	return topics, relevant
}
