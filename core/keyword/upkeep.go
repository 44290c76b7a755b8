package keyword

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"wiki/core/postgres"
)

const (
	// packAt is how many fresh rows of a tenant are worth a segment: that many cost a query about a millisecond.
	packAt = 256
	// packMost bounds the rows of one segment that is packed at once, some 10 MiB of them, after a bulk load.
	packMost = 8192
	// upkeepLock is the class of the advisory lock on a tenant's segments; the tenant's hash is the object.
	upkeepLock = 0x6b77
)

// The upkeep runs as the owner, so its statements name the scope themselves. A scope is code, never input; in that of
// system canon the parameter is NULL.
const (
	ownScope   = `tenant_id = $1`
	canonScope = `tenant_id is null and $1::uuid is null`
)

func scoped(sql string, tenant uuid.UUID) string {
	if tenant == uuid.Nil {
		return fmt.Sprintf(sql, canonScope)
	}
	return fmt.Sprintf(sql, ownScope)
}

const (
	dueSQL = `select tenant_id from keyword_fresh group by tenant_id having count(*) >= $1 order by tenant_id`

	tryLockSQL = `select pg_try_advisory_xact_lock($1, hashtext(coalesce($2::uuid::text, 'canon')))`

	takeSQL = `with taken as (
		delete from keyword_fresh where %[1]s and docno <= (select max(docno) from (select docno from keyword_fresh where %[1]s order by docno limit $2) as first)
		returning article_id, docno
	) select d.docno, d.doc_length, d.packed from taken t join keyword_docs d on d.article_id = t.article_id and d.docno = t.docno order by d.docno`

	newSegmentSQL = `insert into keyword_segments (tenant_id, docs, total_length, first_docno, last_docno) values ($1, $2, $3, $4, $5) returning segment`
)

// Due lists the tenants whose fresh rows are worth packing; the zero tenant is system canon. The transaction must be the
// owner's (DB.System).
func (s Store) Due(ctx context.Context, tx postgres.Tx) ([]uuid.UUID, error) {
	rows, err := tx.Query(ctx, dueSQL, packAt)
	if err != nil {
		return nil, fmt.Errorf("look for fresh rows: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (uuid.UUID, error) {
		var tenant pgtype.UUID
		err := row.Scan(&tenant)
		return tenant.Bytes, err
	})
}

// Done says what a step of the upkeep did.
type Done struct {
	Packed int // rows that went into a new segment
	Merged int // segments that became one
}

// Upkeep does one step for a tenant: it packs the oldest fresh rows, up to some thousands, into a segment, and merges
// segments of like size when there are many. It does nothing while another does the same, so any number of servers may
// call it. Nobody waits for it: readers see the state before until it commits, and writers touch other rows. The
// transaction must be the owner's (DB.System).
func (s Store) Upkeep(ctx context.Context, tx postgres.Tx, tenant uuid.UUID) (done Done, err error) {
	var locked bool
	if err := tx.QueryRow(ctx, tryLockSQL, upkeepLock, orNull(tenant)).Scan(&locked); err != nil || !locked {
		return done, err
	}
	if done.Packed, err = pack(ctx, tx, tenant); err != nil {
		return done, fmt.Errorf("pack fresh rows: %w", err)
	}
	if done.Merged, err = mergeAlike(ctx, tx, tenant); err != nil {
		return done, fmt.Errorf("merge segments: %w", err)
	}
	return done, nil
}

// segment is a row of keyword_segments.
type segment struct {
	id          int64
	docs        int
	length      int64
	first, last int64 // docnos
}

func (s *segment) add(docno int64, length int) {
	if s.docs++; s.docs == 1 {
		s.first = docno
	}
	s.last = docno
	s.length += int64(length)
}

func (s *segment) insert(ctx context.Context, tx postgres.Tx, tenant uuid.UUID) error {
	return tx.QueryRow(ctx, newSegmentSQL, orNull(tenant), s.docs, s.length, s.first, s.last).Scan(&s.id)
}

// pack makes a segment of fresh rows and says how many there were.
func pack(ctx context.Context, tx postgres.Tx, tenant uuid.UUID) (int, error) {
	rows, err := tx.Query(ctx, scoped(takeSQL, tenant), orNull(tenant), packMost)
	if err != nil {
		return 0, err
	}
	var made segment
	blocks := map[int64]block{}
	var docno int64
	var length int
	var packed pgtype.DriverBytes
	if _, err := pgx.ForEachRow(rows, []any{&docno, &length, &packed}, func() error {
		made.add(docno, length)
		for i := range len(packed) / packedEntry {
			term := packedTerm(packed, i)
			blocks[term] = blocks[term].append(newPosting(docno, packed[i*packedEntry+packedEntry-1], length))
		}
		return nil
	}); err != nil || made.docs == 0 {
		return 0, err
	}
	if err := made.insert(ctx, tx, tenant); err != nil {
		return 0, err
	}
	return made.docs, store(ctx, tx, tenant, made.id, blocks)
}

// store writes blocks of a segment, in the order of their index.
func store(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, segment int64, blocks map[int64]block) error {
	terms := make([]int64, 0, len(blocks))
	for term := range blocks {
		terms = append(terms, term)
	}
	slices.Sort(terms)
	owner := orNull(tenant)
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"keyword_blocks"}, []string{"tenant_id", "term", "segment", "postings"},
		pgx.CopyFromSlice(len(terms), func(i int) ([]any, error) {
			return []any{owner, terms[i], segment, []byte(blocks[terms[i]])}, nil
		}))
	return err
}
