package keyword

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
)

const (
	// Candidates are matched with their articles in order of score, in blocks that grow, until the limit is reached.
	firstBlock  = 2 // times the limit
	blockExtra  = 50
	blockGrowth = 4
	// maxTextChecks bounds how many texts are read to look for a phrase.
	maxTextChecks = 2000
)

var (
	visibleSQL = `select a.id from articles a where a.id = any (@ids) and ` +
		postgres.VisibleTo("a") + ` and ` + postgres.RankedAs("a") + ` and ` + postgres.Filtered("a")
	textsSQL = `select a.id, a.title, a.body from articles a where a.id = any (@ids) and ` +
		postgres.VisibleTo("a") + ` and ` + postgres.RankedAs("a") + ` and ` + postgres.Filtered("a")
)

// visible keeps the best candidates that the viewer may see, the filter lets through and whose text bears out the phrases.
// cut says that candidates were left unread.
func visible(ctx context.Context, tx postgres.Tx, q Query, m *model, candidates []scored) (hits []Hit, cut bool, err error) {
	args := postgres.AddFilter(postgres.Viewer(q.Viewer), q.Filter)
	upper, read := m.upper(), 0
	for block := firstBlock*q.Limit + blockExtra; read < len(candidates) && len(hits) < q.Limit; block *= blockGrowth {
		if m.readsTexts() && read >= maxTextChecks {
			break
		}
		part := candidates[read:min(read+block, len(candidates))]
		args["ids"] = articles(part)
		kept, err := m.keep(ctx, tx, args)
		if err != nil {
			return nil, false, err
		}
		for _, c := range part {
			if kept[c.article] {
				hits = append(hits, Hit{Article: c.article, Score: c.score, Upper: upper})
			}
		}
		read += len(part)
	}
	if len(hits) > q.Limit {
		return hits[:q.Limit], true, nil
	}
	return hits, read < len(candidates), nil
}

func articles(part []scored) []uuid.UUID {
	out := make([]uuid.UUID, len(part))
	for i, c := range part {
		out[i] = c.article
	}
	return out
}

// readsTexts says whether a condition can be told from the text only.
func (m *model) readsTexts() bool {
	if len(m.required) > 0 {
		return true
	}
	for _, c := range m.excluded {
		if c.phrase != "" {
			return true
		}
	}
	return false
}

// keep reads which articles of args["ids"] stand up to the viewer, the filter, the phrases and the exclusions.
func (m *model) keep(ctx context.Context, tx postgres.Tx, args pgx.NamedArgs) (map[uuid.UUID]bool, error) {
	kept := map[uuid.UUID]bool{}
	var id uuid.UUID
	if !m.readsTexts() {
		rows, err := tx.Query(ctx, visibleSQL, args)
		if err != nil {
			return nil, err
		}
		_, err = pgx.ForEachRow(rows, []any{&id}, func() error { kept[id] = true; return nil })
		return kept, err
	}
	rows, err := tx.Query(ctx, textsSQL, args)
	if err != nil {
		return nil, err
	}
	var title, body string
	_, err = pgx.ForEachRow(rows, []any{&id, &title, &body}, func() error {
		kept[id] = m.agrees(title, body)
		return nil
	})
	return kept, err
}

// agrees checks phrases against the title and the body, each by itself.
func (m *model) agrees(title, body string) bool {
	title, body = plain(title), plain(body)
	for _, c := range m.required {
		if !holds(title, c.phrase) && !holds(body, c.phrase) {
			return false
		}
	}
	for _, c := range m.excluded {
		if c.phrase != "" && (holds(title, c.phrase) || holds(body, c.phrase)) {
			return false
		}
	}
	return true
}
