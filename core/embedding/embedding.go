// Package embedding turns text into vectors: the one interface, its two implementations (the built-in model and an
// OpenAI-compatible endpoint), the registry of models with their thresholds, and the guard that keeps a slow or broken
// provider from holding up the wiki.
//
// Documents and queries are embedded in the same way, so that cosines between any two of them mean the same.
package embedding

import "context"

// Embedder makes vectors. Implementations are safe for use by several goroutines at once.
//
// A text without a single word (empty, blanks) has no vector: the call fails with CodeInvalid on field "text", and the
// caller treats the text as not comparable. A provider's failure is CodeSemanticDown, whose Details["reason"] is one of
// the Reason constants. When the caller's own context ends, its error is returned as it is.
type Embedder interface {
	Model() Model
	// Embed gives one document a text, in the texts' order, or an error for the whole batch.
	Embed(ctx context.Context, texts []string) ([]Document, error)
	// EmbedQuery embeds a search query; a long one is embedded whole, as the Whole of a document.
	EmbedQuery(ctx context.Context, query string) ([]float32, error)
}

// Document is a text as vectors, each of length 1.
type Document struct {
	Whole    []float32   // the L2-normalised mean of the sections, weighted by their lengths
	Sections [][]float32 // in the order of the text; empty when the text fits one
}

// Model describes an embedding model. The thresholds are cosines; they differ from model to model (SPEC §3).
type Model struct {
	ID             string  // stored beside every vector: only vectors of one ID are compared
	Dims           int     // length of a vector
	DuplicateAt    float64 // at or above: the same, unless evidence differs
	LowNoveltyAt   float64 // at or above: near, kept as a draft
	ConflictAt     float64 // at or above, two published articles are flagged as a potential conflict
	MaxTokens      int     // of one section
	BytesPerToken  int     // a low estimate, for cutting texts whose tokeniser is the provider's; 0 = cut by own tokens
	DimensionParam bool    // the model takes a "dimensions" parameter and shortens its vectors
}

// ArticleText is the text that is embedded for an article: the title, a blank line, the body.
func ArticleText(title, body string) string { return title + "\n\n" + body }
