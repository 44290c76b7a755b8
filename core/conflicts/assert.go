package conflicts

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/audit"
	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Assertion disputes a pair that no rule flagged. It feeds the queue and nothing else: no answer is withheld for it (seed,
// invariant 4).
type Assertion struct {
	A, B     uuid.UUID
	Evidence string // required
}

const actAssert = "conflict.assert"

var visibleSQL = `select a.title from articles a where a.tenant_id = @viewer_tenant and a.id = @id and ` + postgres.VisibleTo("a") + ` for share`

// Assert puts a pair into the queue. Whether the caller sees both articles is asked before all else about them, so that one
// that is hidden and one that does not exist give one answer. Errors: CodeInvalid on "target_article_id" or "evidence",
// CodeNotFound, CodeTransition when a higher role has judged the pair and neither text changed since.
func (s Service) Assert(ctx context.Context, actor wiki.Actor, in Assertion, actKey string) (Conflict, error) {
	if err := actor.Require(wiki.RoleAgent); err != nil {
		return Conflict{}, err
	}
	pair, err := wiki.NewPair(in.A, in.B)
	if err != nil {
		return Conflict{}, err
	}
	if in.Evidence, err = flags.CleanEvidence(in.Evidence, true); err != nil {
		return Conflict{}, err
	}
	var c Conflict
	err = s.DB.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		_, done, err := audit.Replay(ctx, tx, actor, actKey, actAssert, pair.First)
		if err != nil {
			return err
		}
		for _, id := range pair.IDs() {
			if err := mustSee(ctx, tx, actor, id); err != nil {
				return err
			}
		}
		if !done {
			if err := assert(ctx, tx, actor, pair, in, actKey); err != nil {
				return err
			}
		}
		c, err = one(ctx, tx, actor, pair)
		return err
	})
	if err != nil {
		return Conflict{}, err
	}
	return c, nil
}

func mustSee(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID) error {
	rows, err := tx.Query(ctx, visibleSQL, args(actor, pgx.NamedArgs{"id": id}))
	if err != nil {
		return fmt.Errorf("conflicts: look for the article: %w", err)
	}
	titles, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("conflicts: look for the article: %w", err)
	}
	if len(titles) == 0 {
		return wiki.NotFound()
	}
	return nil
}

func assert(ctx context.Context, tx postgres.Tx, actor wiki.Actor, pair wiki.Pair, in Assertion, actKey string) error {
	flag, entered, err := flags.Raise(ctx, tx, actor, flags.New{A: pair.First, B: pair.Second, Evidence: in.Evidence})
	if err != nil {
		return err
	}
	return audit.Write(ctx, tx, actor, audit.Entry{
		Act: actAssert, Subject: pair.First, ActKey: actKey, Result: flag.ID,
		Detail: map[string]any{"conflict": pair.String(), "flag": flag.ID, "entered": entered},
	})
}
