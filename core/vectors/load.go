package vectors

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

const (
	cosinesSQL = `select article_id, section, embedding <=> $1::halfvec from article_embeddings
	where article_id = any ($2) and model = $3 and dims = $4`
	// Whole texts with whole texts, as the gate compares them.
	betweenSQL = `select b.article_id, a.embedding <=> b.embedding from article_embeddings a
	join article_embeddings b on b.model = a.model and b.dims = a.dims and b.section = 0 and b.article_id = any ($2)
	where a.article_id = $1 and a.model = $3 and a.section = 0`
	sectionsSQL = `select article_id, max(section) from article_embeddings where article_id = any ($1) and model = $2 group by article_id`
	loadSQL     = `select article_id, embedding from article_embeddings where article_id = any ($1) and model = $2 and section = 0`
)

// Cosines measures the given articles against a query's vector, each by its best section. An article without a vector
// under the model is absent from the answer. It does not ask who may see an article: pass ids that a ranked read gave.
func (s Store) Cosines(ctx context.Context, tx postgres.Tx, model string, vector []float32, ids []uuid.UUID) (map[uuid.UUID]Neighbour, error) {
	v, err := half(vector)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, cosinesSQL, v, orEmpty(ids), model, len(vector))
	if err != nil {
		return nil, fmt.Errorf("cosines: %w", err)
	}
	found := map[uuid.UUID]Neighbour{}
	var n Neighbour
	var distance float64
	_, err = pgx.ForEachRow(rows, []any{&n.Article, &n.Section, &distance}, func() error {
		n.Cosine = cosineOf(distance)
		if old, seen := found[n.Article]; !seen || compare(n, old) < 0 {
			found[n.Article] = n
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cosines: %w", err)
	}
	return found, nil
}

// Between measures one article's whole text against others'. One without a vector under the model is absent.
func (s Store) Between(ctx context.Context, tx postgres.Tx, model string, article uuid.UUID, others []uuid.UUID) (map[uuid.UUID]wiki.Cosine, error) {
	rows, err := tx.Query(ctx, betweenSQL, article, orEmpty(others), model)
	if err != nil {
		return nil, fmt.Errorf("measure: %w", err)
	}
	found := map[uuid.UUID]wiki.Cosine{}
	var id uuid.UUID
	var distance float64
	if _, err := pgx.ForEachRow(rows, []any{&id, &distance}, func() error { found[id] = cosineOf(distance); return nil }); err != nil {
		return nil, fmt.Errorf("measure: %w", err)
	}
	return found, nil
}

// Sections gives how many sections each article was embedded in, besides its whole text. One without a vector is absent.
func (s Store) Sections(ctx context.Context, tx postgres.Tx, model string, ids []uuid.UUID) (map[uuid.UUID]int, error) {
	rows, err := tx.Query(ctx, sectionsSQL, ids, model)
	if err != nil {
		return nil, fmt.Errorf("count sections: %w", err)
	}
	found := map[uuid.UUID]int{}
	var id uuid.UUID
	var n int
	if _, err := pgx.ForEachRow(rows, []any{&id, &n}, func() error { found[id] = n; return nil }); err != nil {
		return nil, fmt.Errorf("count sections: %w", err)
	}
	return found, nil
}

// Load gives the whole-text vectors of articles, unit length; one without a vector under the model is absent.
func (s Store) Load(ctx context.Context, tx postgres.Tx, model string, ids []uuid.UUID) (map[uuid.UUID][]float32, error) {
	rows, err := tx.Query(ctx, loadSQL, orEmpty(ids), model)
	if err != nil {
		return nil, fmt.Errorf("load vectors: %w", err)
	}
	found := map[uuid.UUID][]float32{}
	var id uuid.UUID
	var v pgvector.HalfVector
	_, err = pgx.ForEachRow(rows, []any{&id, &v}, func() error {
		found[id] = v.Slice()
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load vectors: %w", err)
	}
	return found, nil
}

// cosineOf turns pgvector's cosine distance into a cosine; rounding can leave it a hair outside -1..1.
func cosineOf(distance float64) wiki.Cosine { return wiki.Cosine(min(max(1-distance, -1), 1)) }
