package proposals

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Kind says how a frozen set came to be.
type Kind string

// Kinds.
const (
	KindReview Kind = "review" // minted for a person to decide
	KindToken  Kind = "token"  // a dry run's, waiting for its token
	KindRun    Kind = "run"    // run without one: by ids or source, or by confirm hash
)

// State is where a proposal stands.
type State string

// States.
const (
	StatePending   State = "pending"
	StateRunning   State = "running" // approved or replayed; items are left
	StateExecuted  State = "executed"
	StateRejected  State = "rejected"
	StateWithdrawn State = "withdrawn"
	StateExpired   State = "expired"
)

// States lists them.
var States = []State{StatePending, StateRunning, StateExecuted, StateRejected, StateWithdrawn, StateExpired}

// Proposal is a frozen set and what is to be done to it.
type Proposal struct {
	ID           uuid.UUID
	Kind         Kind
	Act          wiki.BulkAct
	Selector     string // as people read it
	Reason       string // the minter's rationale
	State        State
	MintedBy     wiki.Stamp
	MintedAt     time.Time
	ExpiresAt    time.Time
	SettledBy    *wiki.Stamp // who approved, rejected, withdrew or ran it
	SettledAt    *time.Time
	SettleReason string
	LoneOperator bool // approved under the tenant's exception
	ExecutedAt   *time.Time
	Counts       Counts

	tenant     uuid.UUID
	digest     []byte
	leaseUntil *time.Time
}

// Counts of a proposal's items.
type Counts struct {
	Requested int // all of them
	Done      int
	Skipped   int // left alone: there was nothing to do, or the article changed since it was frozen
	Excluded  int // taken out by the approver
	NotFound  int
	Errored   int
	Left      int // not yet
}

// Item is one article of a frozen set, at its place in the request.
type Item struct {
	Position int
	Article  uuid.UUID
	Version  *int   // when it was frozen; nil = there was none that the minter sees
	Title    string // when it was frozen; empty once the article was deleted for good
	Outcome  string // empty = not yet
	Code     string // why it was skipped or refused
	Message  string
	DoneAt   *time.Time

	Standing *Standing // the article as it is now; nil = it is gone
}

// Standing is an article of a set as it is now.
type Standing struct {
	Title   string
	Status  wiki.Status
	Version int
	Curated bool
}

// Outcomes of an item beside the act's own (wiki.BulkAct.Done).
const (
	OutcomeSkipped  = "skipped"
	OutcomeExcluded = "excluded"
	OutcomeNotFound = "not_found"
	OutcomeErrored  = "errored"
)

// CodeChangedSince is why an article that was frozen for a person was left alone: it is not what was looked at.
const CodeChangedSince = "changed_since"

// Changed says whether the article is another one than was frozen.
func (i Item) Changed() bool {
	return i.Version != nil && (i.Standing == nil || i.Standing.Version != *i.Version)
}

const (
	proposalColumns = `p.id, p.kind, p.op, p.hard, p.add_tags, p.remove_tags, p.selector ->> 'text', p.reason,
  case when p.state = 'pending' and p.expires_at <= @now then 'expired' else p.state end, p.minted_by, p.minted_at, p.expires_at,
  p.settled_by, p.settled_at, p.settle_reason, p.lone_operator, p.executed_at, p.tenant_id, p.selector_digest, p.lease_until`

	getSQL          = `select ` + proposalColumns + ` from proposals p where p.tenant_id = @tenant and p.id = @id`
	lockSQL         = getSQL + ` for update`
	byCredentialSQL = `select ` + proposalColumns + ` from proposals p where p.tenant_id = @tenant and p.credential_hash = @credential for update`

	countsSQL = `select proposal_id, coalesce(outcome, ''), count(*) from proposal_items where tenant_id = $1 and proposal_id = any ($2) group by 1, 2`
)

func scanProposal(row pgx.CollectableRow) (Proposal, error) {
	var p Proposal
	err := row.Scan(&p.ID, &p.Kind, &p.Act.Op, &p.Act.Hard, &p.Act.AddTags, &p.Act.RemoveTags, &p.Selector, &p.Reason, &p.State,
		&p.MintedBy, &p.MintedAt, &p.ExpiresAt, &p.SettledBy, &p.SettledAt, &p.SettleReason, &p.LoneOperator, &p.ExecutedAt,
		&p.tenant, &p.digest, &p.leaseUntil)
	return p, err
}

// find reads one proposal, with its counts; CodeNotFound when the query gives none.
func find(ctx context.Context, tx postgres.Tx, sql string, args pgx.NamedArgs) (Proposal, error) {
	args["now"] = tx.Now
	rows, err := tx.Query(ctx, sql, args)
	if err != nil {
		return Proposal{}, fmt.Errorf("proposals: find: %w", err)
	}
	p, err := pgx.CollectExactlyOneRow(rows, scanProposal)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, wiki.NotFound()
	}
	if err != nil {
		return p, fmt.Errorf("proposals: find: %w", err)
	}
	one := []Proposal{p}
	err = count(ctx, tx, p.tenant, one)
	return one[0], err
}

// lock holds a proposal until the transaction ends. All that happens to one takes this lock first, then its articles in the
// order of their ids.
func lock(ctx context.Context, tx postgres.Tx, tenant, id uuid.UUID) (Proposal, error) {
	return find(ctx, tx, lockSQL, pgx.NamedArgs{"tenant": tenant, "id": id})
}

// count fills in the counts of proposals.
func count(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, list []Proposal) error {
	ids := make([]uuid.UUID, len(list))
	at := map[uuid.UUID]*Proposal{}
	for i := range list {
		ids[i], at[list[i].ID] = list[i].ID, &list[i]
		list[i].Counts = Counts{}
	}
	rows, err := tx.Query(ctx, countsSQL, tenant, ids)
	if err != nil {
		return fmt.Errorf("proposals: count: %w", err)
	}
	var id uuid.UUID
	var outcome string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&id, &outcome, &n}, func() error {
		at[id].Counts.add(outcome, n)
		return nil
	})
	if err != nil {
		return fmt.Errorf("proposals: count: %w", err)
	}
	return nil
}

func (c *Counts) add(outcome string, n int) {
	c.Requested += n
	switch outcome {
	case "":
		c.Left += n
	case OutcomeSkipped:
		c.Skipped += n
	case OutcomeExcluded:
		c.Excluded += n
	case OutcomeNotFound:
		c.NotFound += n
	case OutcomeErrored:
		c.Errored += n
	default:
		c.Done += n
	}
}

// mayRead says whether the actor may know of a proposal: a user of all, anyone else of those that its own line minted, since
// a proposal names articles.
func (p Proposal) mayRead(actor wiki.Actor) error {
	if actor.Role >= wiki.RoleUser || wiki.SameLine(p.MintedBy, actor.Stamp()) {
		return nil
	}
	return wiki.NotFound()
}
