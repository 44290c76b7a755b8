// Package conflicts is where people and agents judge pairs of articles that may say different things: the queue, one pair,
// assertions, verdicts, their undoing and their execution. All surfaces use it, so that a decision means the same everywhere.
//
// The rules are the seed's invariant 4: recording a verdict is for agents, authorising the retirement of an article is not;
// a pair leaves the queue only for a verdict that will be applied and that postdates the newest flag; whoever asserted a
// conflict, or stands in the asserter's line, does not judge it.
package conflicts

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/llm"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
)

// Events of this room; flags.KindFlagged is the one of a pair that enters the queue.
const (
	KindJudged    = "conflict.judged"
	KindWithdrawn = "conflict.withdrawn"
	KindExecuted  = "conflict.executed"
	KindRefused   = "conflict.refused"
	KindReverted  = "conflict.reverted"
	KindClaimed   = "conflict.claimed"
	KindReleased  = "conflict.released"
)

// DefaultLease is how long a claim on a pair holds.
const DefaultLease = 10 * time.Minute

// Service is the door to conflicts. Each method is one transaction, Execute one for each verdict.
type Service struct {
	DB     *postgres.DB
	Record record.Service
	LLM    *llm.Chat     // writes the texts of merges; nil = they are structural
	Lease  time.Duration // of a claim; 0 = DefaultLease
}

// New composes the service. Its Record is the one that all rooms should write by: it keeps pairs up to date with their texts.
func New(s Service) Service {
	follower := s
	s.Record.Follow = follower.TextChanged
	return s
}

func (s Service) lease() time.Duration {
	if s.Lease == 0 {
		return DefaultLease
	}
	return s.Lease
}

// Side is an article of a pair, without its body.
type Side struct {
	ID         uuid.UUID
	Title      string
	Category   wiki.Category
	Status     wiki.Status
	Version    int
	CreatedBy  string // principal
	InsertedAt time.Time
	ChangedAt  time.Time
	BodyBytes  int
	Reads      int // distinct readers within flags.HeatWindow
}

// Claim is a curator's lease on a pair.
type Claim struct {
	By        string // principal
	Mine      bool
	ExpiresAt time.Time
}

// Conflict is a pair as it stands.
type Conflict struct {
	Pair    wiki.Pair
	State   wiki.ConflictState
	Closed  string    // why it needs no judging any more; empty = it does, or was judged
	Flag    wiki.Flag // the one it is in the queue for
	First   Side
	Second  Side
	Claim   *Claim
	Verdict *Verdict // the one that stands, or the newest opinion on it

	Withheld bool // there is a Verdict, which the actor is not shown before its own (blind review)
}

// Verdict is a verdict and what the caller could do about it.
type Verdict struct {
	wiki.Verdict
	FirstTitle  string
	SecondTitle string
	Undo        Undo
	UndoWhy     string // why it cannot be taken back by this caller, when Undo is UndoNone
}

// Undo is what taking a verdict back would be.
type Undo string

// Undos.
const (
	UndoWithdraw Undo = "withdraw"
	UndoRevert   Undo = "revert"
	UndoNone     Undo = "none"
)

// undoOf says what the actor could do about a verdict.
func undoOf(actor wiki.Actor, v wiki.Verdict) (Undo, string) {
	switch {
	case v.WithdrawnAt != nil:
		return UndoNone, "it was withdrawn"
	case v.RevertedAt != nil:
		return UndoNone, "it was reverted"
	case v.RefusedAt != nil:
		return UndoNone, "it could not be applied"
	case v.ReplacedBy != nil:
		return UndoNone, "a later verdict took its place"
	case v.By.Principal != actor.Principal() && actor.Role < wiki.RoleUser:
		return UndoNone, "another principal gave it"
	case v.ExecutedAt == nil || v.Disposition == wiki.Dismiss:
		return UndoWithdraw, ""
	case v.Disposition == wiki.Merge:
		return UndoNone, "it made a draft and retired nothing: archive the draft to drop it"
	case actor.Role < wiki.RoleUser:
		return UndoNone, "only a user reverts an applied supersede"
	}
	return UndoRevert, ""
}

// args makes a query's named arguments: the viewer's and its own.
func args(actor wiki.Actor, own pgx.NamedArgs) pgx.NamedArgs {
	all := postgres.Viewer(actor)
	for name, value := range own {
		all[name] = value
	}
	return all
}

// read runs fn on one snapshot of the actor's tenant. Every role from agent up may read conflicts.
func (s Service) read(ctx context.Context, actor wiki.Actor, fn func(context.Context, postgres.Tx) error) error {
	if err := actor.Require(wiki.RoleAgent); err != nil {
		return err
	}
	return s.DB.TenantRead(ctx, actor.Tenant, fn)
}
