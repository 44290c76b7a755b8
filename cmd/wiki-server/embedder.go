package main

import (
	"wiki/core/embedding"
	"wiki/core/wiki"
)

// embedder gives the model of the settings: an endpoint's, or the built-in one.
func (a *app) embedder() (embedding.Embedder, error) {
	s := a.settings
	if s.EmbeddingsURL == "" {
		return embedding.BuiltIn()
	}
	if s.EmbeddingsModel == "" {
		return nil, wiki.Invalid("embeddings-model", "embeddings-url needs embeddings-model: the model to ask that endpoint for")
	}
	return embedding.NewEndpoint(embedding.EndpointConfig{
		BaseURL: s.EmbeddingsURL, Model: s.EmbeddingsModel, Key: s.EmbeddingsKey, Dims: s.EmbeddingsDims,
		DuplicateAt: s.DuplicateAt, LowNoveltyAt: s.LowNoveltyAt, ConflictAt: s.ConflictAt,
	})
}
