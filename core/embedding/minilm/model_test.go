package minilm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

const parity = 1e-5 // the largest difference of a component from the reference runtime's

type reference struct {
	IDs  []int32   `json:"ids"`  // of the whole text, with both markers
	Used []int32   `json:"used"` // as given to the model
	Vec  []float32 `json:"vec"`
}

func references(t testing.TB) (texts []string, refs []reference) {
	t.Helper()
	for path, into := range map[string]any{"testdata/texts.json": &texts, "testdata/ref.json": &refs} {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(raw, into))
	}
	require.Len(t, refs, len(texts))
	return texts, refs
}

// models loads the embedded model once for each kernel that this processor can run.
func models(t testing.TB) []*Model {
	t.Helper()
	var list []*Model
	for _, kn := range kernels() {
		m, err := load(embedded, kn)
		require.NoError(t, err)
		list = append(list, m)
	}
	return list
}

func TestEmbeddedFileIsTheOneThatNoticeNames(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256(embedded)
	require.Equal(t, Checksum, hex.EncodeToString(sum[:]))
}

func TestVectorsEqualTheReferenceOnEveryKernel(t *testing.T) {
	t.Parallel()
	_, refs := references(t)
	for _, m := range models(t) {
		t.Run(m.Kernel(), func(t *testing.T) {
			t.Parallel()
			for i, ref := range refs {
				if ref.Vec == nil {
					continue
				}
				got, err := m.forward(context.Background(), ref.Used, &scratch{})
				require.NoError(t, err)
				require.InDeltaSlice(t, ref.Vec, got, parity, "text %d", i)
			}
		})
	}
}

func BenchmarkForward(b *testing.B) {
	for _, m := range models(b) {
		for _, tokens := range []int{10, 56, 221, MaxTokens} {
			ids := make([]int32, tokens)
			for i := range ids {
				ids[i] = int32(1000 + i*37)
			}
			b.Run(m.Kernel()+"/"+strconv.Itoa(tokens), func(b *testing.B) {
				s := &scratch{}
				for b.Loop() {
					_, err := m.forward(context.Background(), ids, s)
					require.NoError(b, err)
				}
			})
		}
	}
}
