package gate

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"wiki/core/embedding"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/timing"
	"wiki/core/vectors"
	"wiki/core/wiki"
)

// neighbours is how many of the nearest articles are compared (facts §5).
const neighbours = 5

// Assessor finds what stands near a candidate. An error means that nothing was compared, which is another thing than
// finding nothing: the proposal is then unknown, never novel.
type Assessor interface {
	Assess(ctx context.Context, actor wiki.Actor, c Candidate) (Assessment, error)
}

// Candidate is the text to compare.
type Candidate struct {
	Title  string
	Body   string
	Vector record.Embedded // ready-made; used when it is of this text
}

// Assessment is what stands near.
type Assessment struct {
	Vector     record.Embedded // made on the way, to be stored with the article; it may be there in spite of an error
	Near       []Neighbour     // nearest first
	Thresholds wiki.Thresholds // of the model that measured them
}

// Neighbour is an article by its distance. Only a cosine fits: a fused score is another type (case 23).
type Neighbour struct {
	ID     uuid.UUID
	Cosine wiki.Cosine
}

// Nearest is the assessor that compares a candidate's whole text with the whole texts of the published articles that the
// caller can see.
type Nearest struct {
	DB       *postgres.DB
	Embedder embedding.Embedder // bounded in time by its guard
	Vectors  vectors.Store
}

// Assess implements Assessor.
func (n Nearest) Assess(ctx context.Context, actor wiki.Actor, c Candidate) (Assessment, error) {
	model := n.Embedder.Model()
	found := Assessment{Vector: c.Vector, Thresholds: wiki.Thresholds{
		DuplicateAt:  wiki.Cosine(model.DuplicateAt),
		LowNoveltyAt: wiki.Cosine(model.LowNoveltyAt),
		ConflictAt:   wiki.Cosine(model.ConflictAt),
	}}
	if c.Vector.Document == nil || c.Vector.Hash != wiki.ContentHash(c.Title, c.Body) {
		var err error
		if found.Vector, err = record.Embed(ctx, n.Embedder, c.Title, c.Body); err != nil {
			return found, fmt.Errorf("embed the proposal: %w", err)
		}
	}
	err := n.DB.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		defer timing.Span(ctx, timing.Nearest)()
		near, err := n.Vectors.Nearest(ctx, tx, vectors.Query{
			Model: model.ID, Vector: found.Vector.Document.Whole, Whole: true, Limit: neighbours, PublishedOnly: true, Viewer: actor,
		})
		found.Near = found.Near[:0]
		for _, v := range near {
			found.Near = append(found.Near, Neighbour{ID: v.Article, Cosine: v.Cosine})
		}
		return err
	})
	if err != nil {
		return found, fmt.Errorf("find the nearest articles: %w", err)
	}
	return found, nil
}
