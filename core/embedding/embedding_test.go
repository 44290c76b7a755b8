package embedding_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/embedding"
	"wiki/core/embedding/embeddingtest"
)

func builtIn(t testing.TB) embedding.Embedder {
	t.Helper()
	e, err := embedding.BuiltIn()
	require.NoError(t, err)
	return e
}

func TestConformance(t *testing.T) {
	t.Parallel()
	t.Run("built-in", func(t *testing.T) {
		t.Parallel()
		embeddingtest.Conformance(t, builtIn(t))
	})
	t.Run("endpoint", func(t *testing.T) {
		t.Parallel()
		embeddingtest.Conformance(t, newService(t).endpoint(t, embedding.EndpointConfig{BatchInputs: 2}))
	})
	t.Run("guarded", func(t *testing.T) {
		t.Parallel()
		embeddingtest.Conformance(t, embedding.Guard(builtIn(t), embedding.GuardConfig{Timeout: -1}))
	})
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	m, known := embedding.Lookup("minilm-l6-v2-u8")
	require.True(t, known)
	require.Equal(t, m, builtIn(t).Model())
	require.Equal(t, []float64{0.97, 0.88, 0.93}, []float64{m.DuplicateAt, m.LowNoveltyAt, m.ConflictAt})

	m, known = embedding.Lookup("somebody's model")
	require.False(t, known)
	require.Zero(t, m.Dims)
	require.Equal(t, 0.97, m.DuplicateAt)
}

func TestArticleText(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Title\n\nBody", embedding.ArticleText("Title", "Body"))
}
