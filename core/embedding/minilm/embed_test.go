package minilm

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func length(v []float32) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

func TestKernelsAgreeAtEveryLength(t *testing.T) {
	t.Parallel()
	all := models(t)
	random := rand.New(rand.NewPCG(1, 2))
	for _, tokens := range []int{3, 5, 6, 7, 12, 13, 16, 17, 33, 64, MaxTokens} { // around the tiles' borders
		ids := make([]int32, tokens)
		for i := range ids {
			ids[i] = int32(1000 + random.IntN(25_000))
		}
		want, err := all[len(all)-1].forward(context.Background(), ids, &scratch{})
		require.NoError(t, err)
		for _, m := range all[:len(all)-1] {
			used := &scratch{}
			for range 2 { // the second time with what the first left behind
				got, err := m.forward(context.Background(), ids, used)
				require.NoError(t, err)
				require.InDeltaSlice(t, want, got, parity, "%s, %d tokens", m.Kernel(), tokens)
			}
		}
	}
}

func TestLongTextHasSectionsAndAWhole(t *testing.T) {
	t.Parallel()
	m, err := Default()
	require.NoError(t, err)
	long := strings.Repeat("The cache is cleared at noon. ", 60) + strings.Repeat("Whales breathe air. ", 60)
	got, err := m.Embed(context.Background(), []string{"short", long})
	require.NoError(t, err)
	require.Empty(t, got[0].Sections)
	require.Greater(t, len(got[1].Sections), 2)
	for _, v := range append(got[1].Sections, got[0].Whole, got[1].Whole) {
		require.Len(t, v, Dims)
		require.InDelta(t, 1, length(v), parity)
	}
	tail, err := m.Embed(context.Background(), []string{"Whales breathe air."})
	require.NoError(t, err)
	cosine := func(a, b []float32) (sum float32) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	first, last := got[1].Sections[0], got[1].Sections[len(got[1].Sections)-1]
	require.Greater(t, cosine(tail[0].Whole, last), cosine(tail[0].Whole, first)+0.3, "the tail is found in the last section")
}

func TestBatchEqualsOneByOne(t *testing.T) {
	t.Parallel()
	m, err := Default()
	require.NoError(t, err)
	texts := []string{"alpha", strings.Repeat("beta gamma ", 200), "delta", "alpha"}
	batch, err := m.Embed(context.Background(), texts)
	require.NoError(t, err)
	for i, text := range texts {
		one, err := m.Embed(context.Background(), []string{text})
		require.NoError(t, err)
		require.Equal(t, one[0], batch[i])
	}
}

func TestTextWithoutWordsIsRefused(t *testing.T) {
	t.Parallel()
	m, err := Default()
	require.NoError(t, err)
	for _, text := range []string{"", " \n", "\u200b"} {
		_, err := m.Embed(context.Background(), []string{"fine", text})
		require.ErrorIs(t, err, ErrNoTokens)
		require.ErrorContains(t, err, "text 1")
	}
	none, err := m.Embed(context.Background(), nil)
	require.NoError(t, err)
	require.Empty(t, none)
}

// countdown is a context that ends after it has been asked a number of times: between two layers, say.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestCancelledBetweenLayers(t *testing.T) {
	t.Parallel()
	m, err := Default()
	require.NoError(t, err)
	ids := []int32{m.tokenizer.cls, 7592, m.tokenizer.sep}
	for left := range layerCount {
		_, err := m.forward(&countdown{context.Background(), left}, ids, &scratch{})
		require.ErrorIs(t, err, context.Canceled)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = m.Embed(ctx, []string{"text"})
	require.ErrorIs(t, err, context.Canceled)
}
