package search

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/keyword"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// maxMarkedBytes bounds how much of a text is looked through for matches to mark.
const maxMarkedBytes = 100_000

const textsSQL = `select a.id, a.body from articles a where a.id = any ($1)`

// hits makes the page's rows.
func (s *Service) hits(ctx context.Context, tx postgres.Tx, l *look, p *pool, cut []wiki.Scored) ([]Hit, error) {
	hits, place := make([]Hit, len(cut)), make(map[uuid.UUID]int, len(cut))
	for i, scored := range cut {
		c := p.candidates[scored.ID]
		hits[i] = Hit{ID: scored.ID, Title: c.facts.title, Category: c.facts.Category, Tags: c.facts.Tags, Score: scored.Score, Curated: c.facts.curated}
		if l.query.Explain {
			hits[i].Explain = s.explain(p, c, tx.Now)
		}
		place[scored.ID] = i
	}
	sections, err := s.sections(ctx, tx, l, p, cut)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, textsSQL, idsOf(cut))
	if err != nil {
		return nil, fmt.Errorf("read the page's texts: %w", err)
	}
	marker := keyword.NewMarker(l.query.Text)
	var id uuid.UUID
	var body string
	_, err = pgx.ForEachRow(rows, []any{&id, &body}, func() error {
		hits[place[id]].Snippet = snippet(marker, p.candidates[id], body, sections[id])
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the page's texts: %w", err)
	}
	return hits, nil
}

// sections counts the sections of the articles that are shown around one of them: those that only the semantic lane found.
func (s *Service) sections(ctx context.Context, tx postgres.Tx, l *look, p *pool, cut []wiki.Scored) (map[uuid.UUID]int, error) {
	var ids []uuid.UUID
	for _, scored := range cut {
		if p.candidates[scored.ID].bySection() {
			ids = append(ids, scored.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return s.vectors.Sections(ctx, tx, l.model, ids)
}

// bySection says whether a section is all that is known of where the article answers.
func (c *candidate) bySection() bool { return c.section > 0 && c.Lanes[wiki.LaneKeyword].Rank == 0 }

func idsOf(cut []wiki.Scored) []uuid.UUID {
	ids := make([]uuid.UUID, len(cut))
	for i, s := range cut {
		ids[i] = s.ID
	}
	return ids
}

// snippet shows the stretch that matched by words. An article that only the semantic lane found is shown around the
// section that is nearest, of those that share the text about evenly.
func snippet(marker keyword.Marker, c *candidate, body string, sections int) string {
	from, to := 0, len(body)
	if c.bySection() && c.section <= sections {
		from, to = len(body)*(c.section-1)/sections, min(len(body)*(c.section+1)/sections, len(body))
	}
	from, to = runeStart(body, from), runeStart(body, min(to, from+maxMarkedBytes))
	matches := marker.Matches(body[from:to])
	for i := range matches {
		matches[i].Start += from
		matches[i].End += from
	}
	return wiki.Snippet(body, matches, from)
}

// runeStart moves a byte position back to where its character begins.
func runeStart(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
