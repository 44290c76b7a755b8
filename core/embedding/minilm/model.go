package minilm

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// ID names the model and its weights' precision; vectors of another ID can't be compared with this one's.
const ID = "minilm-l6-v2-u8"

// Checksum is the SHA-256 of the embedded model file, which convert makes.
const Checksum = "405f80265af1d704542a78057d6cdf06fde8af73eac25b077055700e9957b1ae"

//go:embed minilm-l6-v2-u8.bin
var embedded []byte

// ErrNoTokens is wrapped by the error for a text that has nothing to embed. Its text names the text's place in the batch.
var ErrNoTokens = errors.New("the text has no words")

// Model is a loaded model. It is safe for use by several goroutines at once; together they use at most as many cores
// as there were (GOMAXPROCS) when it was loaded.
type Model struct {
	tokenizer *Tokenizer
	w         *weights
	kernel    kernel
	scratch   sync.Pool
	slots     chan struct{} // one for each core
}

// Embedding is a text as vectors, each of length 1.
type Embedding struct {
	Whole    []float32
	Sections [][]float32 // in the order of the text; empty when the text fits one
}

// Default loads the embedded model, once: about 0.1 s and 70 MB.
var Default = sync.OnceValues(func() (*Model, error) { return Load(embedded) })

// Load makes a model of a container (see WriteContainer), which must stay unchanged while the model is in use. A
// damaged file gives ErrContainer.
func Load(raw []byte) (*Model, error) { return load(raw, bestKernel()) }

func load(raw []byte, kn kernel) (*Model, error) {
	c, err := parseContainer(raw)
	if err != nil {
		return nil, err
	}
	tok, err := newTokenizer(c.vocab)
	if err != nil {
		return nil, err
	}
	w, err := loadWeights(c, kn.cols)
	if err != nil {
		return nil, err
	}
	m := &Model{tokenizer: tok, w: w, kernel: kn, slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
	m.scratch.New = func() any { return &scratch{} }
	return m, nil
}

// Kernel names the inner loops in use: avx512, avx2 or scalar.
func (m *Model) Kernel() string { return m.kernel.name }

// section is one forward pass of a batch.
type section struct {
	text, place int // which text, and which of its sections
	tokens      []int32
}

// Embed embeds a batch, spread over the cores. It returns ErrNoTokens when a text has none, or the context's error: it
// looks at the context between layers.
func (m *Model) Embed(ctx context.Context, texts []string) ([]Embedding, error) {
	var work []section
	vectors := make([][][]float32, len(texts))
	weights := make([][]int, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		tokens := m.tokenizer.Tokens(text)
		if len(tokens) == 0 {
			return nil, fmt.Errorf("text %d of the batch: %w", i, ErrNoTokens)
		}
		for j, part := range sections(tokens) {
			work = append(work, section{text: i, place: j, tokens: part})
			weights[i] = append(weights[i], len(part))
		}
		vectors[i] = make([][]float32, len(weights[i]))
	}
	err := m.run(ctx, work, func(s section, vector []float32) { vectors[s.text][s.place] = vector })
	if err != nil {
		return nil, err
	}
	out := make([]Embedding, len(texts))
	for i, v := range vectors {
		out[i].Whole = v[0]
		if len(v) > 1 {
			out[i] = Embedding{Whole: weightedMean(v, weights[i]), Sections: v}
		}
	}
	return out, nil
}

// run embeds sections with one worker a core. A worker takes a slot for one section at a time, so that a query that
// comes while a long batch runs waits for one section, not for the batch.
func (m *Model) run(ctx context.Context, work []section, done func(section, []float32)) error {
	group, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(cap(m.slots), len(work)) {
		group.Go(func() error {
			s := m.scratch.Get().(*scratch)
			defer m.scratch.Put(s)
			for i := next.Add(1) - 1; i < int64(len(work)); i = next.Add(1) - 1 {
				vector, err := m.one(ctx, work[i].tokens, s)
				if err != nil {
					return err
				}
				done(work[i], vector)
			}
			return nil
		})
	}
	return group.Wait()
}

func (m *Model) one(ctx context.Context, tokens []int32, s *scratch) ([]float32, error) {
	select {
	case m.slots <- struct{}{}:
		defer func() { <-m.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	ids := make([]int32, 0, len(tokens)+markerTokens)
	ids = append(append(append(ids, m.tokenizer.cls), tokens...), m.tokenizer.sep)
	return m.forward(ctx, ids, s)
}
