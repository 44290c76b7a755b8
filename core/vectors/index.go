package vectors

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"wiki/core/embedding"
	"wiki/core/postgres"
)

// Settings of the index (reference measured, f: 39 s for 100,000 vectors, recall@10 0.99 at ef 100).
const (
	indexLinks        = 16
	indexConstruction = 64
	maxIndexedDims    = 4000 // pgvector's bound for a half-precision index
)

// EnsureIndex makes the nearest-neighbour index of a model unless it stands. Each model has its own, over its own rows at
// its own length, since an index holds vectors of one length only. It is called when a model is configured, before the
// first vector is written: on an empty set it costs nothing. It locks writers out while it builds on a set that is not.
// The transaction must be the owner's (DB.System).
func EnsureIndex(ctx context.Context, tx postgres.Tx, model embedding.Model) error {
	if model.Dims < 1 || model.Dims > maxIndexedDims {
		return fmt.Errorf("model %s has %d dimensions: the index takes 1 to %d", model.ID, model.Dims, maxIndexedDims)
	}
	sql := fmt.Sprintf(`create index if not exists %s on article_embeddings using hnsw ((embedding::halfvec(%d)) halfvec_cosine_ops)
		with (m = %d, ef_construction = %d) where model = %s and dims = %[2]d`,
		IndexName(model.ID, model.Dims), model.Dims, indexLinks, indexConstruction, literal(model.ID))
	if _, err := tx.Exec(ctx, sql); err != nil {
		return fmt.Errorf("make the index of model %s: %w", model.ID, err)
	}
	return nil
}

// IndexName is the name of a model's index. A model's id is free text, so the name carries a digest of it.
func IndexName(model string, dims int) string {
	digest := sha256.Sum256([]byte(model))
	return fmt.Sprintf("article_embeddings_hnsw_%d_%s", dims, hex.EncodeToString(digest[:6]))
}

// literal quotes a model's id for SQL. A partial index is used only when the planner sees its condition as a constant, so
// the id cannot be a parameter. It comes from the operator's settings, never from a request.
func literal(s string) string {
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
