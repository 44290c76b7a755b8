package keyword

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"wiki/core/postgres"
)

// Each statement asks for the tenant's rows and for those of system canon by themselves: an index serves both that way.
const (
	segmentsSQL = `select coalesce(sum(docs), 0)::bigint, coalesce(sum(total_length), 0)::bigint from (
		select docs, total_length from keyword_segments where tenant_id = $1
		union all select docs, total_length from keyword_segments where tenant_id is null) as both_scopes`

	frequenciesSQL = `select false, term, sum(octet_length(postings))::bigint from keyword_blocks where tenant_id = $1 and term = any ($2) group by term
		union all select true, term, sum(octet_length(postings))::bigint from keyword_blocks where tenant_id is null and term = any ($3) group by term`

	blocksSQL = `select false, term, postings from keyword_blocks where tenant_id = $1 and term = any ($2)
		union all select true, term, postings from keyword_blocks where tenant_id is null and term = any ($3)`

	freshSQL = `select false, d.docno, d.doc_length, d.packed from keyword_fresh f join keyword_docs d on d.article_id = f.article_id and d.docno = f.docno
		where f.tenant_id = $1
		union all select true, d.docno, d.doc_length, d.packed from keyword_fresh f join keyword_docs d on d.article_id = f.article_id and d.docno = f.docno
		where f.tenant_id is null`
)

// found is what the index gave for a query, best first as far as it was asked for.
type found struct {
	all    []scored
	partly bool // the commonest words brought in no articles and are in no score yet
}

// look reads the index: the size of the collection, the words' postings, and the rows that are in no segment yet.
func (m *model) look(ctx context.Context, tx postgres.Tx, most int) (found, error) {
	var length int64
	if err := tx.QueryRow(ctx, segmentsSQL, m.tenant).Scan(&m.docs, &length); err != nil {
		return found{}, err
	}
	lookedUp, partly, err := m.choose(ctx, tx, most)
	if err != nil {
		return found{}, err
	}
	own, canon, err := m.cursors(ctx, tx, lookedUp)
	if err != nil {
		return found{}, err
	}
	fresh, err := m.fresh(ctx, tx)
	if err != nil {
		return found{}, err
	}
	for _, d := range fresh {
		m.docs++
		length += int64(d.length)
	}
	m.avg = max(float64(length)/float64(max(m.docs, 1)), 1)
	w := m.weights()
	all := m.rank(&w, own, false, nil)
	all = m.rank(&w, canon, true, all)
	return found{m.rankFresh(&w, fresh, all), partly}, nil
}

// choose gives the words whose postings are read: all of them, or, when those could be more than most, the rarest that are
// fewer. Words that a condition names are always among them.
func (m *model) choose(ctx context.Context, tx postgres.Tx, most int) (slots []int, partly bool, err error) {
	for slot := range m.df {
		slots = append(slots, slot)
	}
	if m.docs*len(slots) <= most {
		return slots, false, nil
	}
	rows, err := tx.Query(ctx, frequenciesSQL, m.tenant, m.own, m.canon)
	if err != nil {
		return nil, false, err
	}
	var canon bool
	var term, size int64
	if _, err := pgx.ForEachRow(rows, []any{&canon, &term, &size}, func() error {
		m.df[slices.Index(m.ids(canon), term)] += int(size / postingSize)
		return nil
	}); err != nil {
		return nil, false, err
	}
	named := m.must
	for _, set := range m.mustNot {
		named |= set
	}
	slices.SortStableFunc(slots, func(x, y int) int { return cmp.Compare(m.df[x], m.df[y]) })
	kept, sum := []int{}, 0
	for _, slot := range slots {
		if sum += m.df[slot]; sum <= most || len(kept) == 0 || named&(1<<slot) != 0 {
			kept = append(kept, slot)
		}
	}
	return kept, len(kept) < len(slots), nil
}

// cursors reads the postings of words and counts the articles that hold each.
func (m *model) cursors(ctx context.Context, tx postgres.Tx, slots []int) (own, canon []cursor, err error) {
	ownIDs, canonIDs := make([]int64, len(slots)), make([]int64, len(slots))
	for i, slot := range slots {
		ownIDs[i], canonIDs[i], m.df[slot] = m.own[slot], m.canon[slot], 0
	}
	rows, err := tx.Query(ctx, blocksSQL, m.tenant, ownIDs, canonIDs)
	if err != nil {
		return nil, nil, err
	}
	var isCanon bool
	var term int64
	var postings []byte
	_, err = pgx.ForEachRow(rows, []any{&isCanon, &term, &postings}, func() error {
		c := cursor{slot: slices.Index(m.ids(isCanon), term), block: postings}
		m.df[c.slot] += c.block.len()
		if isCanon {
			canon = append(canon, c)
		} else {
			own = append(own, c)
		}
		postings = nil // the next row's bytes must be its own
		return nil
	})
	return own, canon, err
}

// freshDoc is a row that is in no segment, as one query sees it.
type freshDoc struct {
	docno  int64
	canon  bool
	length int
	tf     []uint8 // by slot
}

func (m *model) fresh(ctx context.Context, tx postgres.Tx) (docs []freshDoc, err error) {
	rows, err := tx.Query(ctx, freshSQL, m.tenant)
	if err != nil {
		return nil, err
	}
	var d freshDoc
	var packed pgtype.DriverBytes
	_, err = pgx.ForEachRow(rows, []any{&d.canon, &d.docno, &d.length, &packed}, func() error {
		d.tf = make([]uint8, len(m.df))
		for slot, id := range m.ids(d.canon) {
			if d.tf[slot] = frequency(packed, id); d.tf[slot] > 0 {
				m.df[slot]++
			}
		}
		docs = append(docs, d)
		return nil
	})
	return docs, err
}

func (m *model) rankFresh(w *weights, docs []freshDoc, out []scored) []scored {
	for _, d := range docs {
		s, held := scored{docno: d.docno, canon: d.canon}, uint64(0)
		for slot, tf := range d.tf {
			if tf > 0 {
				held |= 1 << slot
				s.score += w.part(slot, tf, min(d.length, maxPostingLen))
			}
		}
		if held&(1<<m.scoring-1) != 0 && m.admits(held) {
			out = append(out, s)
		}
	}
	return out
}

const docsSQL = `select article_id, tenant_id is null, doc_length, packed from keyword_docs where article_id = any ($1)`

// scores scores rows by their articles' ids.
func (m *model) scores(ctx context.Context, tx postgres.Tx, articles []uuid.UUID) (map[uuid.UUID]float64, error) {
	rows, err := tx.Query(ctx, docsSQL, articles)
	if err != nil {
		return nil, err
	}
	out, w := map[uuid.UUID]float64{}, m.weights()
	var id uuid.UUID
	var canon bool
	var length int
	var packed pgtype.DriverBytes
	_, err = pgx.ForEachRow(rows, []any{&id, &canon, &length, &packed}, func() error {
		out[id] = m.score(&w, packed, length, canon)
		return nil
	})
	return out, err
}
