package minilm

import (
	"fmt"
	"math"
)

// The shape of the network (BERT, 6 layers).
const (
	Dims        = 384 // of a vector
	hidden      = Dims
	headCount   = 12
	headDims    = hidden / headCount
	feedForward = 1536
	layerCount  = 6
	positions   = 512
	typeCount   = 2
)

// panels is a K x N matrix cut into N/width panels, each stored row by row (K rows of width floats), so that a tile
// kernel reads it front to back.
type panels struct {
	k, n int
	d    []float32
}

// linear is x*w + bias.
type linear struct {
	w    panels
	bias []float32
}

// layerNorm scales to mean 0 and variance 1, then by gain and shift.
type layerNorm struct{ gain, shift []float32 }

type layer struct {
	qkv, attnOut, ff1, ff2 linear
	norm1, norm2           layerNorm
}

type weights struct {
	word, pos Tensor // stay uint8: only the rows that a text uses are decoded
	typeZero  []float32
	embNorm   layerNorm
	layers    [layerCount]layer
}

// loader reads tensors and keeps the first error, so that the layout below reads as a list.
type loader struct {
	c     container
	width int // of a panel
	err   error
}

func loadWeights(c container, width int) (*weights, error) {
	l := &loader{c: c, width: width}
	w := &weights{
		word:     l.tensor("emb.word", len(c.vocab), hidden),
		pos:      l.tensor("emb.pos", positions, hidden),
		typeZero: l.floats("emb.type", typeCount, hidden),
		embNorm:  l.norm("emb.ln"),
	}
	if l.err == nil {
		w.typeZero = w.typeZero[:hidden]
	}
	for i := range w.layers {
		p := fmt.Sprintf("l%d.", i)
		w.layers[i] = layer{
			qkv:     l.linear(hidden, hidden, p+"q", p+"k", p+"v"),
			attnOut: l.linear(hidden, hidden, p+"ao"),
			ff1:     l.linear(hidden, feedForward, p+"ff1"),
			ff2:     l.linear(feedForward, hidden, p+"ff2"),
			norm1:   l.norm(p + "ln1"),
			norm2:   l.norm(p + "ln2"),
		}
	}
	if l.err != nil {
		return nil, l.err
	}
	w.scaleQueries()
	return w, nil
}

// scaleQueries folds attention's 1/sqrt(d) into the query weights, the first third of qkv.
func (w *weights) scaleQueries() {
	scale := float32(1 / math.Sqrt(headDims))
	for i := range w.layers {
		qkv := &w.layers[i].qkv
		for j := range qkv.w.d[:hidden*hidden] {
			qkv.w.d[j] *= scale
		}
		for j := range qkv.bias[:hidden] {
			qkv.bias[j] *= scale
		}
	}
}

func (l *loader) tensor(name string, shape ...int) Tensor {
	t, err := l.c.tensor(name, shape...)
	if err != nil && l.err == nil {
		l.err = err
	}
	return t
}

func (l *loader) floats(name string, shape ...int) []float32 {
	return l.tensor(name, shape...).floats()
}

func (l *loader) norm(name string) layerNorm {
	return layerNorm{gain: l.floats(name+".g", hidden), shift: l.floats(name+".b", hidden)}
}

// linear joins matrices of k x n side by side: one wide product is faster than several narrow ones.
func (l *loader) linear(k, n int, names ...string) linear {
	out := linear{w: panels{k: k, n: n * len(names), d: make([]float32, k*n*len(names))}}
	for i, name := range names {
		w := l.tensor(name+".w", k, n)
		out.bias = append(out.bias, l.floats(name+".b", n)...)
		if l.err != nil {
			return out
		}
		w.pack(out.w.d[i*k*n:], k, n, l.width)
	}
	return out
}

// pack decodes a k x n matrix into panels of the given width, which divides n.
func (t Tensor) pack(dst []float32, k, n, width int) {
	var value [256]float32
	for i := range value {
		value[i] = float32(i)*t.Scale + t.Min
	}
	for j := 0; j < n; j += width {
		panel := dst[j*k : (j+width)*k]
		for r := range k {
			src := t.Data[r*n+j : r*n+j+width]
			row := panel[r*width : (r+1)*width]
			for c, b := range src {
				row[c] = value[b]
			}
		}
	}
}
