package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pgvector/pgvector-go"
	"github.com/stretchr/testify/require"

	"wiki/core/embedding"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/shareddata"
	"wiki/core/wiki"
	"wiki/server/api"
)

// benchArticles is the size of the wiki that the figures are for.
const benchArticles = 8000

// BenchmarkRequests times whole requests (client, HTTP, handler, database) on a wiki of 8,000 articles, beside PostgreSQL
// doing the work at the heart of each: a row by its id for an article and a page of the queue, the nearest ten by an exact
// scan for the others. x-raw is the ratio of the two medians, the time of embedding the query taken out. The texts are real
// pages; their vectors are random, since making real ones takes minutes and the time of a scan does not depend on them.
func BenchmarkRequests(b *testing.B) {
	w := start(b)
	ids := w.fillPages(b, benchArticles)
	c := w.as(wiki.RoleUser)
	queries := []string{"how do I list the files of a directory", "extract a tar.gz archive", "restart a service", "change the owner of a file", "kill a process by name"}
	at := 0
	next := func() int { at++; return at }
	query := func() string { return queries[next()%len(queries)] }

	embed := median(b, func(ctx context.Context) error {
		_, err := w.core.Embedder.EmbedQuery(ctx, query())
		return err
	})
	fetch := median(b, func(ctx context.Context) error {
		return w.read(ctx, "select body from articles where id = $1", ids[next()%len(ids)])
	})
	vector := pgvector.NewHalfVector(randomVector(w.core.Embedder.Model().Dims))
	nearest := median(b, func(ctx context.Context) error {
		return w.read(ctx, "select article_id from article_embeddings order by embedding <=> $1 limit 10", vector)
	})

	show := func(name string, raw, apart time.Duration, do func(context.Context) error) {
		b.Run(name, func(b *testing.B) {
			took := median(b, do)
			b.ReportMetric(0, "ns/op") // the time of all runs together says nothing
			b.ReportMetric(milliseconds(took), "p50-ms")
			b.ReportMetric(milliseconds(apart), "embedding-ms")
			b.ReportMetric(milliseconds(raw), "raw-ms")
			b.ReportMetric(float64(took-apart)/float64(raw), "x-raw")
		})
	}
	show("article", fetch, 0, func(ctx context.Context) error { _, err := c.Article(ctx, ids[next()%len(ids)]); return err })
	show("queue", fetch, 0, func(ctx context.Context) error { _, _, err := c.Conflicts(ctx, api.ConflictQuery{}); return err })
	show("search/keyword", nearest, 0, func(ctx context.Context) error {
		_, _, err := c.Search(ctx, api.SearchQuery{Query: query(), Mode: "keyword"})
		return err
	})
	show("search/combined", nearest, embed, func(ctx context.Context) error {
		_, _, err := c.Search(ctx, api.SearchQuery{Query: query()})
		return err
	})
	show("search/hybrid", nearest, embed, func(ctx context.Context) error {
		_, _, err := c.Hybrid(ctx, api.HybridRequest{Query: query()})
		return err
	})
	show("propose", nearest, embed, func(ctx context.Context) error {
		body, err := json.Marshal("What a page says, number " + uuid.NewString())
		if err != nil {
			return err
		}
		_, err = c.Propose(ctx, api.Proposal{Title: uuid.NewString(), Body: body, Category: "finding"})
		return err
	})
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// medianOf is how often each thing is timed.
const medianOf = 41

// median runs a thing a few times to warm up, then gives the median of medianOf runs.
func median(b *testing.B, do func(context.Context) error) time.Duration {
	b.Helper()
	took := make([]time.Duration, medianOf)
	for i := range medianOf + 5 {
		began := time.Now()
		require.NoError(b, do(b.Context()))
		took[i%medianOf] = time.Since(began)
	}
	slices.Sort(took)
	return took[medianOf/2]
}

// read runs one statement in a tenant's transaction and reads all of its rows.
func (w *world) read(ctx context.Context, sql string, args ...any) error {
	return w.core.DB.TenantRead(ctx, w.tenant, func(ctx context.Context, tx postgres.Tx) error {
		rows, err := tx.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		for rows.Next() {
		}
		return rows.Err()
	})
}

// fillPages records real pages as published articles and gives their ids.
func (w *world) fillPages(b *testing.B, n int) []uuid.UUID {
	b.Helper()
	root := filepath.Join(shareddata.Dir(b, "tldr-en"), "pages")
	var files []string
	require.NoError(b, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			files = append(files, path)
		}
		return err
	}))
	actor := wiki.Actor{Tenant: w.tenant, Key: uuid.New(), Role: wiki.RoleUser}
	var ids []uuid.UUID
	const batch = 200
	for len(ids) < n {
		require.NoError(b, w.core.DB.Tenant(b.Context(), w.tenant, func(ctx context.Context, tx postgres.Tx) error {
			for range batch {
				body, err := os.ReadFile(files[len(ids)%len(files)])
				if err != nil {
					return err
				}
				title := fmt.Sprintf("Page %d", len(ids))
				vector := record.Embedded{Document: &embedding.Document{Whole: randomVector(w.core.Embedder.Model().Dims)}, Hash: wiki.ContentHash(title, string(body))}
				a, err := w.core.Record.Create(ctx, tx, actor, wiki.Article{Title: title, Body: string(body), Category: "reference", Status: wiki.StatusPublished}, vector, record.CreateOptions{})
				if err != nil {
					return err
				}
				ids = append(ids, a.ID)
			}
			return nil
		}))
	}
	require.NoError(b, w.core.DB.System(b.Context(), func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, "analyze")
		return err
	}))
	return ids
}

func randomVector(dims int) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(rand.NormFloat64())
	}
	return v
}
