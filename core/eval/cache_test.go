package eval

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/embedding"
	"wiki/core/embedding/embeddingtest"
)

// counting says how many texts reached the model.
type counting struct {
	embedding.Embedder
	texts int
}

func (c *counting) Embed(ctx context.Context, texts []string) ([]embedding.Document, error) {
	c.texts += len(texts)
	return c.Embedder.Embed(ctx, texts)
}

func openCache(t *testing.T, path string) (*Cache, *counting) {
	t.Helper()
	model, err := embedding.BuiltIn()
	require.NoError(t, err)
	inner := &counting{Embedder: model}
	c, err := NewCache(inner, path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c, inner
}

func TestCacheIsAnEmbedder(t *testing.T) {
	t.Parallel()
	c, _ := openCache(t, filepath.Join(t.TempDir(), "below", "vectors"))
	embeddingtest.Conformance(t, c)
}

func TestCacheOutlivesARunAndABrokenEnd(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "vectors")
	long := ""
	for range 300 {
		long += "a long text has sections. "
	}
	texts := []string{"one", "two", long}
	c, inner := openCache(t, path)
	want, err := c.Embed(t.Context(), texts)
	require.NoError(t, err)
	require.Equal(t, 3, inner.texts)
	again, err := c.Embed(t.Context(), texts)
	require.NoError(t, err)
	require.Equal(t, want, again)
	query, err := c.EmbedQuery(t.Context(), "one")
	require.NoError(t, err)
	require.Equal(t, want[0].Whole, query)
	require.Equal(t, 3, inner.texts, "nothing is embedded twice")

	later, inner := openCache(t, path)
	got, err := later.Embed(t.Context(), texts)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Zero(t, inner.texts, "a later run embeds nothing anew")

	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, raw[:len(raw)-1], 0o600))
	mended, inner := openCache(t, path)
	_, err = mended.EmbedQuery(t.Context(), "one")
	require.NoError(t, err)
	got, err = mended.Embed(t.Context(), append(texts, "three"))
	require.NoError(t, err)
	require.Equal(t, want, got[:3])
	require.Equal(t, 1, inner.texts, "only what the broken end held is lost")
	last, inner := openCache(t, path)
	_, err = last.Embed(t.Context(), []string{"three", "one"})
	require.NoError(t, err)
	require.Zero(t, inner.texts, "what was added after the mending is readable")
}

func TestCacheStartsAnewFromAForeignFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "vectors")
	require.NoError(t, os.WriteFile(path, make([]byte, 1000), 0o600))
	c, inner := openCache(t, path)
	_, err := c.Embed(t.Context(), []string{"one"})
	require.NoError(t, err)
	require.Equal(t, 1, inner.texts)
}
