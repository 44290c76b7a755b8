package keyword

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"wiki/core/postgres"
)

// How document frequencies are kept: not by every writer, for the words that all articles share would be rows that every
// writer of a tenant waits for, in an order that can deadlock. A writer only stores its article's row, under a new number.
// Now and then one looks how many rows stand above the highest number counted; when they are a batch, it tries the tenant's
// lock and, if no other holds it, adds the batch to the counts. Nobody ever waits, and only the holder touches the counts.
// Counted wrongly are: an edited article (once more), a deleted one (still), a writer that commits late (not at all). All
// three are small against the factor of ten that costs 0.004 nDCG, scale a word's frequency and the number of articles
// alike, and end with the next Recount.

const (
	freshSQL = `select count(*) from (select from keyword_docs where (tenant_id = $1 or $1::uuid is null and tenant_id is null)
	and docno > coalesce((select counted_to from keyword_stats where (tenant_id = $1 or $1::uuid is null and tenant_id is null)), 0) limit $2) as fresh`

	tryLockSQL = `select pg_try_advisory_xact_lock($1, hashtext(coalesce($2::uuid::text, 'canon')))`
	lockSQL    = `select pg_advisory_xact_lock($1, hashtext(coalesce($2::uuid::text, 'canon')))`

	countSQL = `with fresh as materialized (
		select docno, doc_length, terms from keyword_docs where (tenant_id = $1 or $1::uuid is null and tenant_id is null)
		and docno > coalesce((select counted_to from keyword_stats where (tenant_id = $1 or $1::uuid is null and tenant_id is null)), 0)
	), counted as (
		insert into keyword_terms (tenant_id, term, df) select $1::uuid, t.term, count(*) from fresh, unnest(terms) as t (term) group by t.term
		on conflict (tenant_id, term) do update set df = keyword_terms.df + excluded.df
	)
	insert into keyword_stats (tenant_id, docs, total_length, counted_to)
	select $1::uuid, count(*), sum(doc_length), max(docno) from fresh having count(*) > 0
	on conflict (tenant_id) do update set docs = keyword_stats.docs + excluded.docs,
		total_length = keyword_stats.total_length + excluded.total_length, counted_to = excluded.counted_to`

	forgetTermsSQL = `delete from keyword_terms where (tenant_id = $1 or $1::uuid is null and tenant_id is null)`
	forgetStatsSQL = `delete from keyword_stats where (tenant_id = $1 or $1::uuid is null and tenant_id is null)`
)

// countFresh adds the uncounted articles to the tenant's counts when there are enough of them and nobody else does it.
func (s Store) countFresh(ctx context.Context, tx postgres.Tx, tenant uuid.UUID) error {
	fresh, locked := 0, false
	if err := tx.QueryRow(ctx, freshSQL, orNull(tenant), s.countEvery()).Scan(&fresh); err != nil {
		return fmt.Errorf("look for uncounted words: %w", err)
	}
	if fresh < s.countEvery() {
		return nil
	}
	if err := tx.QueryRow(ctx, tryLockSQL, countLock, orNull(tenant)).Scan(&locked); err != nil {
		return fmt.Errorf("lock the word counts: %w", err)
	}
	if !locked {
		return nil
	}
	if _, err := tx.Exec(ctx, countSQL, orNull(tenant)); err != nil {
		return fmt.Errorf("count words: %w", err)
	}
	return nil
}

// Recount counts a tenant's words anew. It waits for a count that is under way, and is never needed for right answers.
func (s Store) Recount(ctx context.Context, tx postgres.Tx, tenant uuid.UUID) error {
	if _, err := tx.Exec(ctx, lockSQL, countLock, orNull(tenant)); err != nil {
		return fmt.Errorf("lock the word counts: %w", err)
	}
	for _, sql := range []string{forgetTermsSQL, forgetStatsSQL, countSQL} {
		if _, err := tx.Exec(ctx, sql, orNull(tenant)); err != nil {
			return fmt.Errorf("recount words: %w", err)
		}
	}
	return nil
}
