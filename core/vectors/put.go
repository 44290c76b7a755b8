package vectors

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/pgvector/pgvector-go"

	"wiki/core/embedding"
	"wiki/core/postgres"
)

// Section 0 is written too, so a text that became shorter loses the sections that it no longer has.
const (
	dropSectionsSQL = `delete from article_embeddings where article_id = $1 and model = $2 and section > $3`
	putSQL          = `insert into article_embeddings (article_id, tenant_id, model, section, dims, content_hash, embedding, inserted_at)
	select $1, $2, $3, s.n - 1, $4, $5, s.v, $6 from unnest($7::halfvec[]) with ordinality as s (v, n)
	on conflict (article_id, model, section) do update
	set dims = excluded.dims, content_hash = excluded.content_hash, embedding = excluded.embedding, inserted_at = excluded.inserted_at`
	notPendingSQL  = `delete from embedding_pending where article_id = $1`
	markPendingSQL = `insert into embedding_pending (article_id, tenant_id, since) values ($1, $2, $3) on conflict (article_id) do nothing`
)

// Put stores an article's vectors under a model, in the place of earlier ones, and takes the article off the pending list.
// contentHash is of the text that was embedded. tenant is zero for system canon. A vector with NaN, an infinity or no
// length is refused with CodeSemanticDown, and so are vectors of unequal length.
func (s Store) Put(ctx context.Context, tx postgres.Tx, article, tenant uuid.UUID, model, contentHash string, doc embedding.Document) error {
	all := append([][]float32{doc.Whole}, doc.Sections...)
	stored := make([]pgvector.HalfVector, len(all))
	for i, v := range all {
		h, err := half(v)
		if err != nil {
			return err
		}
		if len(v) != len(doc.Whole) {
			return fmt.Errorf("section %d of article %s has %d dimensions, its whole text %d", i, article, len(v), len(doc.Whole))
		}
		stored[i] = h
	}
	if _, err := tx.Exec(ctx, dropSectionsSQL, article, model, len(doc.Sections)); err != nil {
		return fmt.Errorf("drop sections of %s: %w", article, err)
	}
	if _, err := tx.Exec(ctx, putSQL, article, orNull(tenant), model, len(doc.Whole), contentHash, tx.Now, stored); err != nil {
		return fmt.Errorf("store vectors of %s: %w", article, err)
	}
	if _, err := tx.Exec(ctx, notPendingSQL, article); err != nil {
		return fmt.Errorf("take %s off the pending list: %w", article, err)
	}
	return nil
}

// MarkPending notes that an article's text has no vector yet, because the embedder was down when it was written.
func (s Store) MarkPending(ctx context.Context, tx postgres.Tx, article, tenant uuid.UUID) error {
	if _, err := tx.Exec(ctx, markPendingSQL, article, orNull(tenant), tx.Now); err != nil {
		return fmt.Errorf("note that %s has no vector: %w", article, err)
	}
	return nil
}

func orNull(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

const dropSQL = `delete from article_embeddings where article_id = $1 and tenant_id is not distinct from $2`

// Drop removes an article's vectors under every model: they are of a text that it no longer has.
func (s Store) Drop(ctx context.Context, tx postgres.Tx, article, tenant uuid.UUID) error {
	if _, err := tx.Exec(ctx, dropSQL, article, orNull(tenant)); err != nil {
		return fmt.Errorf("drop the vectors of %s: %w", article, err)
	}
	return nil
}
