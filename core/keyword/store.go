// Package keyword is the keyword lane: BM25 over terms that it analyses itself, in plain PostgreSQL. Prose questions,
// identifiers, file names and words of any script find what they should; no text is an error (SPEC §6, reference
// keyword-lane, design B).
package keyword

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"wiki/core/postgres"
)

// Store reads and writes the keyword index. The zero value is ready to use.
type Store struct {
	// CountEvery is how many changed articles of a tenant are let pass before they are counted; zero means DefaultCountEvery.
	CountEvery int
	// Candidates is how many articles a query scores, zero means DefaultCandidates: those that hold its rarest words.
	Candidates int
}

const (
	// DefaultCountEvery keeps one count to some 50 ms of one writer's time.
	DefaultCountEvery = 256
	// DefaultCandidates: at 3,000 the first ten are those of the exact order for 98 % (reference keyword-lane, B).
	DefaultCandidates = 3000

	// checksPerCount is how many writers look whether a count is due, in the time of one count.
	checksPerCount = 16
	// countLock is the class of the advisory lock on a tenant's counts; the tenant's hash is the object.
	countLock = 0x6b77
)

func (s Store) countEvery() int {
	if s.CountEvery > 0 {
		return s.CountEvery
	}
	return DefaultCountEvery
}

func (s Store) candidates() int {
	if s.Candidates > 0 {
		return s.Candidates
	}
	return DefaultCandidates
}

const putSQL = `insert into keyword_docs (article_id, tenant_id, doc_length, terms, packed) values ($1, $2, $3, $4, $5)
	on conflict (article_id) do update set docno = default, doc_length = excluded.doc_length, terms = excluded.terms, packed = excluded.packed
	returning docno`

// Put indexes an article's text in its own transaction, in the place of an earlier one. tenant is zero for system canon.
func (s Store) Put(ctx context.Context, tx postgres.Tx, article, tenant uuid.UUID, title, body string) error {
	d := index(tenant, title, body)
	var docno int64
	if err := tx.QueryRow(ctx, putSQL, article, orNull(tenant), d.length, d.terms, d.packed).Scan(&docno); err != nil {
		return fmt.Errorf("index the words of %s: %w", article, err)
	}
	if docno%int64(max(s.countEvery()/checksPerCount, 1)) != 0 {
		return nil
	}
	return s.countFresh(ctx, tx, tenant)
}

func orNull(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}
