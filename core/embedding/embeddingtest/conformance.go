// Package embeddingtest holds what every embedding.Embedder must do.
package embeddingtest

import (
	"context"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/embedding"
	"wiki/core/wiki"
)

// tolerance is how far two embeddings of one text may lie apart.
const tolerance = 1e-5

// Conformance runs the suite on an embedder that works.
func Conformance(t *testing.T, e embedding.Embedder) {
	t.Helper()
	ctx := context.Background()
	embed := func(t *testing.T, texts ...string) []embedding.Document {
		t.Helper()
		docs, err := e.Embed(ctx, texts)
		require.NoError(t, err)
		require.Len(t, docs, len(texts))
		return docs
	}
	t.Run("model", func(t *testing.T) {
		m := e.Model()
		require.NotEmpty(t, m.ID)
		require.Positive(t, m.Dims)
		require.Positive(t, m.MaxTokens)
		require.True(t, 0 < m.LowNoveltyAt && m.LowNoveltyAt <= m.ConflictAt && m.ConflictAt <= m.DuplicateAt && m.DuplicateAt <= 1)
	})
	t.Run("unit vectors in the texts' order", func(t *testing.T) {
		docs := embed(t, "A cat sleeps.", "The server listens on port 8080.", "A cat is asleep.")
		for _, d := range docs {
			require.Empty(t, d.Sections)
			requireUnit(t, e, d.Whole)
		}
		require.Greater(t, cosine(docs[0].Whole, docs[2].Whole), cosine(docs[0].Whole, docs[1].Whole))
	})
	t.Run("one by one is the same as a batch", func(t *testing.T) {
		texts := []string{"alpha", strings.Repeat("beta gamma. ", 100), "alpha"}
		for i, d := range embed(t, texts...) {
			require.InDeltaSlice(t, embed(t, texts[i])[0].Whole, d.Whole, tolerance)
		}
	})
	t.Run("a query is embedded as a document", func(t *testing.T) {
		got, err := e.EmbedQuery(ctx, "How do I list files?")
		require.NoError(t, err)
		require.InDeltaSlice(t, embed(t, "How do I list files?")[0].Whole, got, tolerance)
	})
	t.Run("a long text has sections", func(t *testing.T) {
		long := strings.Repeat("The night job cleans the cache. ", e.Model().MaxTokens)
		d := embed(t, long)[0]
		require.Greater(t, len(d.Sections), 1)
		for _, s := range append(d.Sections, d.Whole) {
			requireUnit(t, e, s)
		}
	})
	t.Run("no words", func(t *testing.T) {
		for _, text := range []string{"", " \r\n\t", "\u00a0\u200b"} {
			_, err := e.Embed(ctx, []string{"fine", text})
			require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err), "%q", text)
			_, err = e.EmbedQuery(ctx, text)
			require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err), "%q", text)
		}
		require.Empty(t, embed(t))
	})
	t.Run("hostile text", func(t *testing.T) {
		hostile := []string{"\x00a", "\xff\xfe broken", "𝕳𝖊𝖑𝖑𝖔 👩‍👩‍👧‍👦 ﷽", strings.Repeat("x", 20_000), strings.Repeat(" ", 5_000) + "end", "<|endoftext|> [SEP] {{.}}"}
		for _, d := range embed(t, hostile...) {
			requireUnit(t, e, d.Whole)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		_, err := e.Embed(ended, []string{"text"})
		require.ErrorIs(t, err, context.Canceled)
	})
	t.Run("many callers at once", func(t *testing.T) {
		want := embed(t, "shared")[0].Whole
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				docs, err := e.Embed(ctx, []string{"shared", "other"})
				if err != nil || cosine(docs[0].Whole, want) < 1-tolerance {
					t.Errorf("a call beside others: %v", err)
				}
			})
		}
		group.Wait()
	})
}

func requireUnit(t *testing.T, e embedding.Embedder, v []float32) {
	t.Helper()
	require.Len(t, v, e.Model().Dims)
	require.InDelta(t, 1, math.Sqrt(cosine(v, v)), tolerance)
}

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
