// Package keyword is the keyword lane: BM25 over terms that it analyses itself, in plain PostgreSQL. Prose questions,
// identifiers, file names and words of any script find what they should; no text is an error (SPEC §6, reference
// keyword-lane, design C2).
//
// An article's row is written in its own transaction and is found from then on. Rows that are fresh are scored one by
// one; Upkeep packs them into segments, in which a word's postings are one value, and merges the segments as they grow
// many. Both kinds give the same scores, so upkeep that lags makes answers slower and never wrong.
package keyword

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"wiki/core/postgres"
)

// Store reads and writes the keyword index. The zero value is ready to use.
type Store struct {
	// Postings bounds how many postings one query reads, zero means DefaultPostings. Beyond it, the commonest words of the
	// query don't bring in articles of their own; they still score.
	Postings int
}

// DefaultPostings is 8 MiB of postings, some 10 ms of one core: a question of ten words reads a tenth of it at 100,000 articles.
const DefaultPostings = 1 << 20

func (s Store) maxPostings() int {
	if s.Postings > 0 {
		return s.Postings
	}
	return DefaultPostings
}

const putSQL = `with doc as (
		insert into keyword_docs (article_id, tenant_id, doc_length, packed) values ($1, $2, $3, $4)
		on conflict (article_id) do update set docno = default, doc_length = excluded.doc_length, packed = excluded.packed
		returning docno
	) insert into keyword_fresh (tenant_id, docno, article_id) select $2, docno, $1 from doc`

// Put indexes an article's text in its own transaction, in the place of an earlier one. tenant is zero for system canon.
func (s Store) Put(ctx context.Context, tx postgres.Tx, article, tenant uuid.UUID, title, body string) error {
	d := index(tenant, title, body)
	if _, err := tx.Exec(ctx, putSQL, article, orNull(tenant), d.length, d.packed); err != nil {
		return fmt.Errorf("index the words of %s: %w", article, err)
	}
	return nil
}

func orNull(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}
