package conflicts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// held is a pair that this transaction holds: what was said about it, and its articles as they are.
type held struct {
	wiki.Conflict
	first, second glimpse
	claim         *Claim
}

// glimpse is what a judgement needs of an article.
type glimpse struct {
	id      uuid.UUID
	title   string
	version int
	changed time.Time
}

// The articles first, in the order of their ids, then the pair: every act on a pair takes its locks in this order, as a
// change of an article's status does by its trigger.
var (
	glimpseSQL = `select a.id, a.title, a.version, a.content_changed_at from articles a
where a.tenant_id = @viewer_tenant and a.id = any (@ids) and ` + postgres.VisibleTo("a") + ` order by a.id for share`

	claimSQL = `select claimed_by, expires_at from conflict_claims where tenant_id = $1 and first_id = $2 and second_id = $3 and expires_at > $4`
)

// hold takes a pair for an act on it. A pair that was never flagged, and one of which the actor cannot see both articles,
// is CodeNotFound: what cannot be seen does not exist.
func hold(ctx context.Context, tx postgres.Tx, actor wiki.Actor, pair wiki.Pair) (held, error) {
	var h held
	rows, err := tx.Query(ctx, glimpseSQL, args(actor, pgx.NamedArgs{"ids": pair.IDs()}))
	if err != nil {
		return h, fmt.Errorf("conflicts: hold the articles: %w", err)
	}
	seen, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (g glimpse, err error) {
		return g, row.Scan(&g.id, &g.title, &g.version, &g.changed)
	})
	if err != nil {
		return h, fmt.Errorf("conflicts: hold the articles: %w", err)
	}
	if len(seen) != 2 {
		return h, wiki.NotFound()
	}
	h.first, h.second = seen[0], seen[1]
	if h.Conflict, err = flags.Lock(ctx, tx, actor.Tenant, pair); err != nil {
		return h, err
	}
	h.claim, err = readClaim(ctx, tx, actor, pair)
	return h, err
}

func readClaim(ctx context.Context, tx postgres.Tx, actor wiki.Actor, pair wiki.Pair) (*Claim, error) {
	var by wiki.Stamp
	var c Claim
	err := tx.QueryRow(ctx, claimSQL, actor.Tenant, pair.First, pair.Second, tx.Now).Scan(&by, &c.ExpiresAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("conflicts: read the claim: %w", err)
	}
	c.By, c.Mine = by.Principal, by.Principal == actor.Principal()
	return &c, nil
}

// verdict finds one of the pair's verdicts.
func (h held) verdict(id uuid.UUID) (wiki.Verdict, error) {
	for _, v := range h.Verdicts {
		if v.ID == id {
			return v, nil
		}
	}
	return wiki.Verdict{}, wiki.NotFound()
}

func (h held) describe(actor wiki.Actor, v wiki.Verdict) Verdict {
	return *describe(actor, v, h.first.title, h.second.title)
}
