package keyword

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"wiki/core/postgres"
)

const (
	// mergeAt segments of like size, each up to that many times as large as the next smaller kind, become one: a posting is
	// rewritten about three times in 100,000 articles, and a query reads a word in ten places, not in four hundred.
	mergeAt = 8
	// mergeMost bounds the articles of a merged segment, and with it the time of one merge, to seconds.
	mergeMost = 1 << 17
	// deadShare of a tenant's postings may be of texts that were replaced or deleted; from there on all segments are rewritten.
	deadShare = 0.25
	// sliceDocs is how many articles' postings a merge holds in memory at once, some 4 MiB.
	sliceDocs = 8192
)

const (
	listSegmentsSQL = `select segment, docs, total_length, first_docno, last_docno from keyword_segments where %s order by first_docno, segment`
	liveCountSQL    = `select count(*) from keyword_docs where %s`
	liveSQL         = `select docno, doc_length from keyword_docs where %s and docno between $2 and $3`
	sliceSQL        = `select term, postings from keyword_blocks where %s and segment = any ($2) and term between $3 and $4`
	dropBlocksSQL   = `delete from keyword_blocks where %s and segment = any ($2)`
	measuredSQL     = `update keyword_segments set docs = $2, total_length = $3 where segment = $1`
	dropSegmentsSQL = `delete from keyword_segments where %s and segment = any ($2)`
)

// mergeAlike merges the smallest segments of which there are many alike, or rewrites all when too much of them is dead. It
// says how many segments were merged.
func mergeAlike(ctx context.Context, tx postgres.Tx, tenant uuid.UUID) (merged int, err error) {
	rows, err := tx.Query(ctx, scoped(listSegmentsSQL, tenant), orNull(tenant))
	if err != nil {
		return 0, err
	}
	segments, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s segment, err error) {
		err = row.Scan(&s.id, &s.docs, &s.length, &s.first, &s.last)
		return s, err
	})
	if err != nil {
		return 0, err
	}
	groups := alike(segments)
	if len(groups) > 0 {
		dead, err := tooMuchDead(ctx, tx, tenant, segments)
		if err != nil {
			return 0, err
		}
		if dead {
			groups = grouped(segments)
		}
	}
	for _, group := range groups {
		if err := merge(ctx, tx, tenant, group); err != nil {
			return merged, err
		}
		merged += len(group)
	}
	return merged, nil
}

// kind is the order of magnitude of a segment, in powers of mergeAt.
func kind(docs int) int { return max(bits.Len(uint(docs/packAt))-1, 0) / bits.Len(mergeAt-1) }

// alike gives the segments of the smallest kind that has enough of them.
func alike(segments []segment) [][]segment {
	byKind := map[int][]segment{}
	for _, s := range segments {
		if s.docs < mergeMost {
			byKind[kind(s.docs)] = append(byKind[kind(s.docs)], s)
		}
	}
	for k := range kind(mergeMost) + 1 {
		if len(byKind[k]) >= mergeAt {
			alone := func(group []segment) bool { return len(group) == 1 }
			return slices.DeleteFunc(grouped(byKind[k]), alone)
		}
	}
	return nil
}

// grouped cuts segments into groups whose sum is bounded.
func grouped(segments []segment) (groups [][]segment) {
	sum := math.MaxInt
	for _, s := range segments {
		if sum+s.docs > mergeMost || sum == math.MaxInt {
			groups, sum = append(groups, nil), 0
		}
		last := &groups[len(groups)-1]
		*last, sum = append(*last, s), sum+s.docs
	}
	return groups
}

func tooMuchDead(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, segments []segment) (bool, error) {
	live, held := 0, 0
	for _, s := range segments {
		held += s.docs
	}
	err := tx.QueryRow(ctx, scoped(liveCountSQL, tenant), orNull(tenant)).Scan(&live)
	return float64(held-live) > deadShare*float64(held), err
}

// merge makes one segment of several, without the postings of docnos that are gone. It works through the terms, which are
// hashes and so lie evenly, in as many slices as keep the memory small.
func merge(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, group []segment) error {
	ids, first, last, docs := make([]int64, len(group)), group[0].first, group[0].last, 0
	for i, s := range group {
		ids[i], docs = s.id, docs+s.docs
		first, last = min(first, s.first), max(last, s.last)
	}
	live, err := living(ctx, tx, tenant, first, last)
	if err != nil {
		return err
	}
	made := segment{first: first, last: last}
	if err := made.insert(ctx, tx, tenant); err != nil {
		return err
	}
	for _, s := range slicesOf(docs/sliceDocs + 1) {
		blocks, err := s.read(ctx, tx, tenant, ids, live)
		if err != nil {
			return err
		}
		if err := store(ctx, tx, tenant, made.id, blocks); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, scoped(dropBlocksSQL, tenant), orNull(tenant), ids); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, scoped(dropSegmentsSQL, tenant), orNull(tenant), ids); err != nil {
		return err
	}
	return made.measure(ctx, tx, live)
}

// measure sets a segment's sums to what it has been found to hold.
func (s *segment) measure(ctx context.Context, tx postgres.Tx, live map[int64]*liveDoc) error {
	s.docs, s.length = 0, 0
	for _, d := range live {
		if d.held {
			s.docs++
			s.length += int64(d.length)
		}
	}
	_, err := tx.Exec(ctx, measuredSQL, s.id, s.docs, s.length)
	return err
}

// liveDoc is an article's present text.
type liveDoc struct {
	length int
	held   bool // by the segment that is made
}

func living(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, first, last int64) (map[int64]*liveDoc, error) {
	rows, err := tx.Query(ctx, scoped(liveSQL, tenant), orNull(tenant), first, last)
	if err != nil {
		return nil, err
	}
	live := map[int64]*liveDoc{}
	var docno int64
	var length int
	_, err = pgx.ForEachRow(rows, []any{&docno, &length}, func() error {
		live[docno] = &liveDoc{length: length}
		return nil
	})
	return live, err
}

// slice is a range of terms, both ends included.
type slice struct{ from, to int64 }

// slicesOf cuts the space of terms into n even ranges.
func slicesOf(n int) []slice {
	step := math.MaxUint64 / uint64(n)
	out := make([]slice, n)
	for i := range out {
		out[i] = slice{math.MinInt64 + int64(uint64(i)*step), math.MinInt64 + int64(uint64(i+1)*step) - 1}
	}
	out[n-1].to = math.MaxInt64
	return out
}

// read gives the merged blocks of a slice of the terms, and notes of each article that one holds it.
func (s slice) read(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, segments []int64, live map[int64]*liveDoc) (map[int64]block, error) {
	rows, err := tx.Query(ctx, scoped(sliceSQL, tenant), orNull(tenant), segments, s.from, s.to)
	if err != nil {
		return nil, err
	}
	postings := map[int64][]posting{}
	var term int64
	var stored pgtype.DriverBytes
	if _, err := pgx.ForEachRow(rows, []any{&term, &stored}, func() error {
		for i := range block(stored).len() {
			p := block(stored).at(i)
			if d := live[p.docno()]; d != nil {
				d.held = true
				postings[term] = append(postings[term], p)
			}
		}
		return nil
	}); err != nil {
		return nil, err
	}
	blocks := make(map[int64]block, len(postings))
	for term, all := range postings {
		slices.Sort(all)
		b := make(block, 0, len(all)*postingSize)
		for _, p := range all {
			b = b.append(p)
		}
		blocks[term] = b
	}
	return blocks, nil
}
