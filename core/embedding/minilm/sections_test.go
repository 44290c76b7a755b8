package minilm

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSectionsCoverTheTextAndOverlap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tokens := make([]int32, rapid.IntRange(1, 5000).Draw(t, "tokens"))
		for i := range tokens {
			tokens[i] = int32(i)
		}
		parts := sections(tokens)
		require.Equal(t, int32(0), parts[0][0])
		for i, part := range parts {
			require.LessOrEqual(t, len(part), windowTokens)
			if i > 0 {
				before := parts[i-1]
				require.GreaterOrEqual(t, before[len(before)-1]-part[0]+1, int32(overlapTokens), "overlap")
				require.Greater(t, part[len(part)-1], before[len(before)-1], "each section brings something new")
				require.GreaterOrEqual(t, len(part), windowTokens/2, "no short rest")
			}
		}
		last := parts[len(parts)-1]
		require.Equal(t, int32(len(tokens)-1), last[len(last)-1])
	})
}
