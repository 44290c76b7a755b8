package vectors

import (
	"context"
	"fmt"
	"time"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Coverage says how much of what an actor may see can be found by its meaning.
type Coverage struct {
	Indexed int       // articles with a vector of the model
	Pending int       // articles that wait for one, because the embedder was down when they were written
	Since   time.Time // when the one that has waited longest was written; zero = none waits
}

var coverageSQL = `select count(e.article_id), count(p.article_id), min(p.since) from articles a
left join article_embeddings e on e.article_id = a.id and e.model = @model and e.section = 0
left join embedding_pending p on p.article_id = a.id
where a.tenant_id = @viewer_tenant and ` + postgres.VisibleTo("a")

// Coverage measures the tenant's articles under a model. Call it in a heavy read.
func (s Store) Coverage(ctx context.Context, tx postgres.Tx, viewer wiki.Actor, model string) (c Coverage, err error) {
	args := postgres.Viewer(viewer)
	args["model"] = model
	var since *time.Time
	if err := tx.QueryRow(ctx, coverageSQL, args).Scan(&c.Indexed, &c.Pending, &since); err != nil {
		return c, fmt.Errorf("vectors: measure the coverage: %w", err)
	}
	if since != nil {
		c.Since = *since
	}
	return c, nil
}
