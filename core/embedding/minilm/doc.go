// Package minilm runs the sentence embedding model all-MiniLM-L6-v2 in pure Go, with assembly for the inner loops where
// the processor has AVX2 or AVX-512. The weights (uint8, Apache-2.0, see NOTICE) are embedded in the binary, so that it
// needs no network, no key and no file beside it.
//
// A text of up to MaxTokens word pieces is one forward pass. A longer one is embedded in overlapping sections, cut on
// token borders; the vector of the whole is the L2-normalised mean of its sections' vectors, weighted by their tokens.
// A text without a single token (empty, blanks, control characters) has no vector: ErrNoTokens.
package minilm
