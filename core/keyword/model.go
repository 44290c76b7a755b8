package keyword

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
)

// BM25's constants (reference keyword-lane: others tried are within 0.01 nDCG or worse).
const (
	k1 = 1.2  // how soon a word's repetition stops counting
	b  = 0.75 // how much a long article is held against it
	// unknownIDF is the share of the highest idf that a word which no article holds adds to the upper bound.
	unknownIDF = 0.5
)

// model is a query's words with what the collection says of them.
type model struct {
	tenant   uuid.UUID
	query    parsed
	terms    []string
	own      []int64 // ids among the tenant's articles, by term
	canon    []int64 // ids among system canon
	df       []int   // articles that hold the term
	docs     int     // articles in all
	avg      float64 // terms an article
	required []clauseIDs
	excluded []clauseIDs
}

// clauseIDs is a clause with its terms' ids in both scopes.
type clauseIDs struct {
	clause
	own, canon []int64
}

func newModel(tenant uuid.UUID, q parsed) *model {
	m := &model{tenant: tenant, query: q, terms: q.terms, df: make([]int, len(q.terms))}
	m.own, m.canon = termIDs(tenant, q.terms), termIDs(uuid.Nil, q.terms)
	for _, c := range q.required {
		m.required = append(m.required, clauseIDs{c, termIDs(tenant, c.terms), termIDs(uuid.Nil, c.terms)})
	}
	for _, c := range q.excluded {
		m.excluded = append(m.excluded, clauseIDs{c, termIDs(tenant, c.terms), termIDs(uuid.Nil, c.terms)})
	}
	return m
}

func termIDs(tenant uuid.UUID, terms []string) []int64 {
	ids := make([]int64, len(terms))
	for i, t := range terms {
		ids[i] = termID(tenant, t)
	}
	return ids
}

// load reads the collection's size and the words' frequencies.
func (m *model) load(ctx context.Context, tx postgres.Tx) error {
	var total int64
	if err := tx.QueryRow(ctx, statsSQL, m.tenant).Scan(&m.docs, &total); err != nil {
		return err
	}
	m.avg = max(float64(total)/float64(max(m.docs, 1)), 1)
	rows, err := tx.Query(ctx, frequenciesSQL, m.tenant, m.own, m.canon)
	if err != nil {
		return err
	}
	var term int64
	var df int
	_, err = pgx.ForEachRow(rows, []any{&term, &df}, func() error {
		for i := range m.terms {
			if term == m.own[i] || term == m.canon[i] {
				m.df[i] += df
			}
		}
		return nil
	})
	return err
}

// choose gives the terms whose articles are looked up: the rarest, as many as the budget of articles allows, at least one.
// The others still score. Of a phrase's words the rarest is enough, since what has not that one has not the phrase. all says
// that no article which could be found is left out.
func (m *model) choose(budget int) (chosen []int, all bool) {
	order := make([]int, len(m.terms))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(m.df[x], m.df[y]) })
	if len(m.required) > 0 {
		for _, i := range order {
			if slices.Contains(m.required[0].terms, m.terms[i]) {
				return []int{i}, true
			}
		}
	}
	sum := 0
	for n, i := range order {
		if sum += m.df[i]; n > 0 && sum > budget {
			return order[:n], false
		}
	}
	return order, true
}

func ids(all []int64, chosen []int) []int64 {
	out := make([]int64, len(chosen))
	for n, i := range chosen {
		out[n] = all[i]
	}
	return out
}

// scored is a candidate with its score.
type scored struct {
	article uuid.UUID
	score   float64
}

// score orders the candidates. The looked-up words' frequencies are taken from the rows themselves, which hold every one
// of their articles: so a small tenant's are always exact, counted or not.
func (m *model) score(docs []doc, lookedUp []int) []scored {
	if len(docs) < maxRows {
		for _, i := range lookedUp {
			m.df[i] = 0
			for _, d := range docs {
				if d.tf[i] > 0 {
					m.df[i]++
				}
			}
		}
	}
	out := make([]scored, 0, len(docs))
	for _, d := range docs {
		if !d.refused {
			out = append(out, scored{d.article, m.bm25(d)})
		}
	}
	slices.SortFunc(out, func(x, y scored) int {
		return cmp.Or(cmp.Compare(y.score, x.score), slices.Compare(x.article[:], y.article[:]))
	})
	return out
}

// frequencies reads how often each of the query's terms stands in a packed row.
func (m *model) frequencies(packed []byte, canon bool) []uint8 {
	ids := m.own
	if canon {
		ids = m.canon
	}
	tf := make([]uint8, len(ids))
	for i, id := range ids {
		tf[i] = frequency(packed, id)
	}
	return tf
}

// admits applies what a row alone can tell of phrases and exclusions.
func (m *model) admits(packed []byte, canon bool) bool {
	for _, c := range m.required {
		if !c.heldBy(packed, canon) {
			return false
		}
	}
	for _, c := range m.excluded {
		if c.phrase == "" && c.heldBy(packed, canon) {
			return false
		}
	}
	return true
}

func (c clauseIDs) heldBy(packed []byte, canon bool) bool {
	ids := c.own
	if canon {
		ids = c.canon
	}
	for _, id := range ids {
		if frequency(packed, id) == 0 {
			return false
		}
	}
	return true
}

func (m *model) bm25(d doc) float64 {
	total := 0.0
	norm := k1 * (1 - b + b*float64(d.length)/m.avg)
	for i, n := range d.tf {
		if n > 0 {
			tf := float64(n)
			total += m.idf(i) * tf * (k1 + 1) / (tf + norm)
		}
	}
	return total
}

func (m *model) idf(i int) float64 {
	df, docs := float64(m.df[i]), float64(max(m.docs, m.df[i]))
	return math.Log(1 + (docs-df+0.5)/(df+0.5))
}

// upper is more than any article can score. A word that no article holds counts half: the query asked for it.
func (m *model) upper() float64 {
	sum := 0.0
	for i := range m.terms {
		share := 1.0
		if m.df[i] == 0 {
			share = unknownIDF
		}
		sum += share * m.idf(i)
	}
	return (k1 + 1) * sum
}
