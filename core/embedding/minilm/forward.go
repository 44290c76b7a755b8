package minilm

import "context"

// scratch holds the intermediate results of one forward pass; it is reused, because a pass needs about 5 MB.
type scratch struct {
	x, qkv, attn, h, ff, scores []float32
	keys, values                []float32
}

// grow gives a slice of n floats with whatever was in it.
func grow(p *[]float32, n int) []float32 {
	if cap(*p) < n {
		*p = make([]float32, n)
	}
	*p = (*p)[:n]
	return *p
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// noBias and noHidden stand in where a product or a norm adds nothing.
var (
	noBias   = make([]float32, roundUp(MaxTokens, 32))
	noHidden = make([]float32, hidden)
)

// forward gives the L2-normalised mean of the token vectors of one section, or the context's error: it looks at ctx
// before every layer, about every 10 ms. ids holds the section's tokens with both markers.
//
// Rows are padded to whole tiles. Padding rows hold finite values that no real row reads.
func (m *Model) forward(ctx context.Context, ids []int32, s *scratch) ([]float32, error) {
	rows := roundUp(len(ids), m.kernel.rows)
	x := grow(&s.x, rows*hidden)
	m.embed(ids, x)
	for i := range m.w.layers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m.layer(&m.w.layers[i], len(ids), rows, x, s)
	}
	vectors := make([][]float32, len(ids))
	weights := make([]int, len(ids))
	for i := range ids {
		vectors[i], weights[i] = x[i*hidden:(i+1)*hidden], 1
	}
	return weightedMean(vectors, weights), nil
}

// embed sets each row of x to the normalised sum of its token's, position's and type's vectors.
func (m *Model) embed(ids []int32, x []float32) {
	clear(x[len(ids)*hidden:])
	for i, id := range ids {
		row := x[i*hidden : (i+1)*hidden]
		copy(row, m.w.typeZero)
		m.w.word.addRow(int(id), row)
		m.w.pos.addRow(i, row)
		m.kernel.addNorm(row, noHidden, m.w.embNorm)
	}
}

// layer applies attention and the feed-forward network to x, each followed by a residual sum and a norm.
func (m *Model) layer(l *layer, tokens, rows int, x []float32, s *scratch) {
	kn := &m.kernel
	qkv, attn, h := grow(&s.qkv, rows*3*hidden), grow(&s.attn, rows*hidden), grow(&s.h, rows*hidden)
	kn.multiply(rows, x, hidden, &l.qkv.w, l.qkv.bias, qkv, 3*hidden)
	for head := range headCount {
		m.attend(head, tokens, rows, qkv, attn, s)
	}
	kn.multiply(rows, attn, hidden, &l.attnOut.w, l.attnOut.bias, h, hidden)
	for i := range tokens {
		kn.addNorm(x[i*hidden:(i+1)*hidden], h[i*hidden:(i+1)*hidden], l.norm1)
	}
	ff := grow(&s.ff, rows*feedForward)
	kn.multiply(rows, x, hidden, &l.ff1.w, l.ff1.bias, ff, feedForward)
	kn.gelu(ff[:tokens*feedForward])
	kn.multiply(rows, ff, feedForward, &l.ff2.w, l.ff2.bias, h, hidden)
	for i := range tokens {
		kn.addNorm(x[i*hidden:(i+1)*hidden], h[i*hidden:(i+1)*hidden], l.norm2)
	}
}

// hugeNegative takes a padding key out of the softmax.
const hugeNegative = -1e30

// attend computes one head: softmax(Q*K^T)*V into the head's columns of attn.
func (m *Model) attend(head, tokens, rows int, qkv, attn []float32, s *scratch) {
	kn := &m.kernel
	cols := roundUp(tokens, kn.cols)
	q := qkv[head*headDims:]
	keys := panels{k: headDims, n: cols, d: grow(&s.keys, cols*headDims)}
	packKeys(keys.d, qkv[hidden+head*headDims:], tokens, kn.cols)
	scores := grow(&s.scores, rows*cols)
	kn.multiply(rows, q, 3*hidden, &keys, noBias, scores, cols)
	for i := range tokens {
		row := scores[i*cols : (i+1)*cols]
		for j := tokens; j < cols; j++ {
			row[j] = hugeNegative
		}
		kn.softmax(row)
	}
	values := panels{k: tokens, n: headDims, d: grow(&s.values, tokens*headDims)}
	packValues(values.d, qkv[2*hidden+head*headDims:], tokens, kn.cols)
	kn.multiply(rows, scores, cols, &values, noBias, attn[head*headDims:], hidden)
}

// packKeys transposes one head's keys into panels over the tokens; padding columns are zero.
func packKeys(dst, src []float32, tokens, width int) {
	for j := 0; j < tokens; j += width {
		panel := dst[j*headDims : (j+width)*headDims]
		if j+width > tokens {
			clear(panel)
		}
		for c := range min(width, tokens-j) {
			for k, v := range src[(j+c)*3*hidden:][:headDims] {
				panel[k*width+c] = v
			}
		}
	}
}

// packValues copies one head's values into panels over its dimensions.
func packValues(dst, src []float32, tokens, width int) {
	for j := 0; j < headDims; j += width {
		panel := dst[j*tokens : (j+width)*tokens]
		for t := range tokens {
			copy(panel[t*width:(t+1)*width], src[t*3*hidden+j:])
		}
	}
}
