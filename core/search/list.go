package search

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/keyword"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

var (
	listWhere = ` from articles a where ` + postgres.VisibleTo("a") + ` and ` + postgres.Ranked("a") + ` and ` + postgres.Filtered("a")
	countSQL  = `select count(*)` + listWhere
	listSQL   = `select a.id, a.title, a.category, a.tags, left(a.body, @lead), a.curated_at is not null or a.tenant_id is null` + listWhere +
		` order by a.content_changed_at desc, a.id limit @limit offset @offset`
)

// leadRunes is how much of a body is read for the snippet of a listed article.
const leadRunes = 2000

// list answers a search without a text: what passes the filter, the last written first.
func (s *Service) list(ctx context.Context, actor wiki.Actor, q Query) (Page, error) {
	if q.Filter.Category == "" && len(q.Filter.Tags) == 0 {
		e := wiki.Invalid("q", "a search needs a text, a tag or a category")
		e.Remedy = "send q, tags or category"
		return Page{}, e
	}
	page := Page{Hits: []Hit{}, Scope: ScopeFilteredSet, Limit: q.Limit, Offset: q.Offset, Mode: ModeList}
	args := postgres.AddFilter(postgres.Viewer(actor), q.Filter)
	args["limit"], args["offset"], args["lead"] = q.Limit, q.Offset, leadRunes
	err := s.db.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		if err := tx.QueryRow(ctx, countSQL, args).Scan(&page.Total); err != nil {
			return fmt.Errorf("count the list: %w", err)
		}
		rows, err := tx.Query(ctx, listSQL, args)
		if err != nil {
			return fmt.Errorf("list: %w", err)
		}
		page.Hits, err = pgx.CollectRows(rows, listed)
		for i := range page.Hits {
			if q.Explain { // no lane found them: they pass the filter
				page.Hits[i].Explain = &Explanation{Lanes: map[wiki.Lane]wiki.LaneScore{}, Priors: map[string]float64{}}
			}
		}
		return err
	})
	page.HasMore = q.Offset+len(page.Hits) < page.Total
	return page, err
}

func listed(row pgx.CollectableRow) (h Hit, err error) {
	var body string
	if err := row.Scan(&h.ID, &h.Title, &h.Category, &h.Tags, &body, &h.Curated); err != nil {
		return h, fmt.Errorf("list: %w", err)
	}
	h.Snippet = snippet(keyword.Marker{}, &candidate{Candidate: wiki.Candidate{ID: uuid.Nil}}, body, 0)
	return h, nil
}
