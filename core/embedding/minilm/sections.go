package minilm

import "math"

// Long texts are cut into sections that overlap, so that a sentence on a border is whole in one of them.
const (
	MaxTokens     = 256           // of one section, with its two markers; what the model was trained on
	windowTokens  = MaxTokens - 2 // of text in one section
	overlapTokens = 32            // about two sentences
	markerTokens  = 2             // [CLS] and [SEP]
	stepTokens    = windowTokens - overlapTokens
)

// sections cuts tokens into pieces of at most windowTokens that overlap by overlapTokens. The pieces are of about the
// same length: a short last piece would cost almost as much and its vector would stand for a few words.
func sections(tokens []int32) [][]int32 {
	n := len(tokens)
	if n <= windowTokens {
		return [][]int32{tokens}
	}
	count := (n - overlapTokens + stepTokens - 1) / stepTokens
	length := (n + (count-1)*overlapTokens + count - 1) / count
	out := make([][]int32, count)
	for i := range out {
		start := min(i*(length-overlapTokens), n-length)
		out[i] = tokens[start : start+length]
	}
	return out
}

// weightedMean is the L2-normalised mean of vectors, each weighted by weights; nil when it has no direction.
func weightedMean(vectors [][]float32, weights []int) []float32 {
	sum := make([]float64, len(vectors[0]))
	for i, v := range vectors {
		for j, x := range v {
			sum[j] += float64(weights[i]) * float64(x)
		}
	}
	var squares float64
	for _, x := range sum {
		squares += x * x
	}
	if squares == 0 {
		return nil
	}
	scale := 1 / math.Sqrt(squares)
	out := make([]float32, len(sum))
	for j, x := range sum {
		out[j] = float32(x * scale)
	}
	return out
}
