package keyword

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Query asks for the published articles that a text finds.
type Query struct {
	Text   string
	Limit  int
	Viewer wiki.Actor
	Filter wiki.Filter
}

// Hit is an article found.
type Hit struct {
	Article uuid.UUID
	Score   float64 // BM25, comparable within one query only
	Upper   float64 // what no article could exceed for this query
}

// absoluteOffset keeps "one common word matched" from counting as near-certain (reference keyword-lane: of the absolute
// scores tried, s/(UB+25) tells right from wrong best).
const absoluteOffset = 25

// Absolute is the score on a scale of 0 to below 1 that means the same for every query. It is a weak threshold by itself:
// ask for a margin, or a cosine, beside it.
func (h Hit) Absolute() float64 { return h.Score / (h.Upper + absoluteOffset) }

const (
	statsSQL = `select coalesce(sum(docs), 0)::bigint, coalesce(sum(total_length), 0)::bigint from (
		select docs, total_length from keyword_stats where tenant_id = $1 or tenant_id is null
		union all select count(*), sum(doc_length) from keyword_docs where tenant_id = $1
			and docno > coalesce((select counted_to from keyword_stats where tenant_id = $1), 0)
		union all select count(*), sum(doc_length) from keyword_docs where tenant_id is null
			and docno > coalesce((select counted_to from keyword_stats where tenant_id is null), 0)
	) as parts`

	frequenciesSQL = `select term, df from keyword_terms where tenant_id = $1 and term = any ($2)
		union all select term, df from keyword_terms where tenant_id is null and term = any ($3)`

	candidatesSQL = `select article_id, is_canon, doc_length, packed from keyword_candidates($1, $2, $3)`

	docsSQL = `select article_id, tenant_id is null, doc_length, packed from keyword_docs where article_id = any ($1)`
)

// maxRows bounds what one look-up of candidates brings in, when even the rarest word of a query is common.
const maxRows = 20_000

const (
	// growth is how much more is scored when the candidates gave too little: less than a pageful, or a filter left less than
	// the limit. Articles that hold only the common words of a query would stand behind a pageful anyway.
	growth  = 10
	pageful = 50
)

// Result is what a query found, best first, equal ones by id. It can score other articles on the same scale.
type Result struct {
	Hits   []Hit
	Capped bool // articles that hold only the query's common words may be missing, or the limit cut the list
	model  *model
}

// Search finds the published articles that hold any of the query's words, quoted phrases in a row, and none of what is
// excluded, and orders them by BM25. Words are looked up among the tenant's articles and system canon as one collection.
// A text without words finds nothing. Call it in a heavy read: scores, counts and rows have to be of one snapshot.
func (s Store) Search(ctx context.Context, tx postgres.Tx, q Query) (Result, error) {
	m := newModel(q.Viewer.Tenant, parse(q.Text))
	if len(m.terms) == 0 || q.Limit < 1 {
		return Result{model: m}, nil
	}
	if err := m.load(ctx, tx); err != nil {
		return Result{}, fmt.Errorf("keyword search: %w", err)
	}
	for budget := s.candidates(); ; budget *= growth {
		lookedUp, all := m.choose(budget)
		docs, err := m.read(ctx, tx, candidatesSQL, ids(m.own, lookedUp), ids(m.canon, lookedUp), maxRows)
		if err != nil {
			return Result{}, fmt.Errorf("keyword search: %w", err)
		}
		scored := m.score(docs, lookedUp)
		hits, cut, err := visible(ctx, tx, q, m, scored)
		if err != nil {
			return Result{}, fmt.Errorf("keyword search: %w", err)
		}
		if all || len(hits) >= q.Limit || len(docs) >= maxRows || q.Filter.Empty() && len(hits) >= pageful {
			return Result{Hits: hits, Capped: cut || !all || len(docs) >= maxRows, model: m}, nil
		}
	}
}

// Score scores given articles as the search did, whether or not it returned them. An article with none of the words scores
// 0, one that is not indexed is absent. It does not ask who may see an article: pass ids that a ranked read gave.
func (r Result) Score(ctx context.Context, tx postgres.Tx, articles []uuid.UUID) (map[uuid.UUID]Hit, error) {
	docs, err := r.model.read(ctx, tx, docsSQL, articles)
	if err != nil {
		return nil, fmt.Errorf("keyword score: %w", err)
	}
	found := make(map[uuid.UUID]Hit, len(docs))
	for _, d := range docs {
		found[d.article] = Hit{Article: d.article, Score: r.model.bm25(d), Upper: r.model.upper()}
	}
	return found, nil
}

// doc is a row of the index as one query sees it.
type doc struct {
	article uuid.UUID
	length  int
	tf      []uint8 // how often each of the query's terms stands in it
	refused bool    // the row alone tells that a phrase or an exclusion rules it out
}

// read reads rows and keeps of each what the query asks for; a row's terms are not copied.
func (m *model) read(ctx context.Context, tx postgres.Tx, sql string, args ...any) ([]doc, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	var docs []doc
	var d doc
	var canon bool
	var packed pgtype.DriverBytes
	_, err = pgx.ForEachRow(rows, []any{&d.article, &canon, &d.length, &packed}, func() error {
		d.tf, d.refused = m.frequencies(packed, canon), !m.admits(packed, canon)
		docs = append(docs, d)
		return nil
	})
	return docs, err
}
