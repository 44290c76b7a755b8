package keyword

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
)

const (
	// The best are matched with their articles in blocks that grow, until the limit is reached: few fall away, unless a
	// filter lets little through.
	blockExtra  = 50
	blockGrowth = 4
	// maxTextChecks bounds how many texts are read to look for a phrase.
	maxTextChecks = 2000
)

// visibleSQL gives the articles behind docnos. A docno that is gone was of a text that has been replaced. Articles are
// looked up one by one: left to choose, the planner reads all of a table that is not large.
var visibleSQL = `with doc as materialized (
		select docno, article_id, doc_length, packed from keyword_docs where tenant_id = @viewer_tenant and docno = any (@own)
		union all select docno, article_id, doc_length, packed from keyword_docs where tenant_id is null and docno = any (@canon)
	) select d.docno, a.id, case when @reads_texts then a.title end, case when @reads_texts then a.body end,
		d.doc_length, case when @rescores then d.packed end
	from doc d cross join lateral (select a.id, a.title, a.body from articles a where a.id = d.article_id and ` +
	postgres.VisibleTo("a") + ` and ` + postgres.RankedAs("a") + ` and ` + postgres.Filtered("a") + ` offset 0) a`

// visible keeps the best candidates that the viewer may see, the filter lets through and whose text bears out the phrases.
// cut says that candidates were left unread.
func visible(ctx context.Context, tx postgres.Tx, q Query, m *model, f found) (hits []Hit, cut bool, err error) {
	args := postgres.AddFilter(postgres.Viewer(q.Viewer), q.Filter)
	args["reads_texts"], args["rescores"] = m.readsTexts(), f.partly
	rest := f.all
	for block := q.Limit + blockExtra; len(rest) > 0 && len(hits) < q.Limit; block *= blockGrowth {
		if m.readsTexts() && len(f.all)-len(rest) >= maxTextChecks {
			break
		}
		part := best(rest, block)
		kept, err := m.keep(ctx, tx, args, part)
		if err != nil {
			return nil, false, err
		}
		hits, rest = append(hits, kept...), rest[len(part):]
	}
	if len(hits) > q.Limit {
		return hits[:q.Limit], true, nil
	}
	return hits, len(rest) > 0, nil
}

// readsTexts says whether a condition can be told from the text only.
func (m *model) readsTexts() bool {
	phrase := func(c clause) bool { return c.phrase != "" }
	return len(m.required) > 0 || slices.ContainsFunc(m.excluded, phrase)
}

// keep reads which of a block of candidates stand up to the viewer, the filter, the phrases and the exclusions, and puts
// them in order.
func (m *model) keep(ctx context.Context, tx postgres.Tx, args pgx.NamedArgs, part []scored) (hits []Hit, err error) {
	scores := make(map[int64]scored, len(part))
	own, canon := make([]int64, 0, len(part)), []int64{}
	for _, s := range part {
		scores[s.docno] = s
		if s.canon {
			canon = append(canon, s.docno)
		} else {
			own = append(own, s.docno)
		}
	}
	args["own"], args["canon"] = own, canon
	rows, err := tx.Query(ctx, visibleSQL, args)
	if err != nil {
		return nil, err
	}
	upper, w := m.upper(), m.weights()
	var docno int64
	var id uuid.UUID
	var title, body *string
	var length int
	var packed []byte
	_, err = pgx.ForEachRow(rows, []any{&docno, &id, &title, &body, &length, &packed}, func() error {
		if title != nil && !m.agrees(*title, *body) {
			return nil
		}
		score := scores[docno].score
		if packed != nil {
			score = m.score(&w, packed, length, scores[docno].canon)
		}
		hits = append(hits, Hit{Article: id, Score: score, Upper: upper})
		return nil
	})
	slices.SortFunc(hits, func(x, y Hit) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), slices.Compare(x.Article[:], y.Article[:]))
	})
	return hits, err
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
