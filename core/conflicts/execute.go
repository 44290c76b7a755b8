package conflicts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/articles"
	"wiki/core/audit"
	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Limits of one Execute.
const (
	DefaultExecute = 100
	MaxExecute     = 1000
)

// ExecuteReserve is the time that one verdict may take, a language model's part apart.
const ExecuteReserve = 5 * time.Second

// Outcomes of one verdict's execution.
const (
	OutcomeExecuted = "executed"
	OutcomeRefused  = "refused" // it cannot be applied; the pair is in the queue again
	OutcomeFailed   = "failed"  // something went wrong; it still waits
)

// Outcome is what became of one waiting verdict.
type Outcome struct {
	Verdict uuid.UUID
	Pair    wiki.Pair
	Outcome string
	Code    wiki.Code // of a refusal or failure
	Message string
}

// Tally is what an execution did.
type Tally struct {
	Executed, Refused, Failed int
	Left                      int // still waiting
	Outcomes                  []Outcome
	Tried                     int   // verdicts looked at: some may have been applied or taken back meanwhile
	Last                      Place // of the last one that was tried
	Cut                       bool  // the caller's time was too short for one more
}

// Round is a part of an execution that goes on over several calls.
type Round struct {
	After    Place // verdicts up to this one are left alone: each is tried once, whatever came of it
	Limit    int   // verdicts; 0 = DefaultExecute, at most MaxExecute
	Rehearse bool  // apply each verdict and roll it back: the tally says what would become of it
}

// Place is where in the order of judgement an execution is. The zero value is before all.
type Place struct {
	At time.Time `json:"at"`
	ID uuid.UUID `json:"id"`
}

const (
	actExecute = "conflict.execute"
	actRefuse  = "conflict.refuse"

	waiting = `from conflict_verdicts v where v.tenant_id = $1 and v.executed_at is null and v.withdrawn_at is null and v.refused_at is null
  and v.replaced_by is null and (v.disposition <> 'supersede' or v.confidence = 'high')`
	waitingSQL = `select v.id, v.judged_at, v.first_id, v.second_id, v.disposition ` + waiting + ` and (v.judged_at, v.id) > ($2, $3) order by v.judged_at, v.id limit $4`
	leftSQL    = `select count(*) ` + waiting
	appliedSQL = `update conflict_verdicts set executed_at = $3, executed_by = $4, result = result || $5 where tenant_id = $1 and id = $2`
	refusedSQL = `update conflict_verdicts set refused_at = $3, result = result || jsonb_build_object('refused', $4::text) where tenant_id = $1 and id = $2`
)

// Execute applies waiting verdicts, the oldest first, at most limit (0 = DefaultExecute), each in its own transaction, so
// that a stop in the middle leaves none half applied and no number of executors applies one twice. It needs role user: an
// agent's word alone retires nothing.
//
// Before it's applied a verdict is asked again whether its judge was separate from the asserter, whether both articles are
// there, and whether the pair is what was judged. If not, it is refused with the reason, and the pair is in the queue again.
func (s Service) Execute(ctx context.Context, actor wiki.Actor, limit int) (Tally, error) {
	t, err := s.ExecuteRound(ctx, actor, Round{Limit: limit})
	if err != nil {
		return t, err
	}
	t.Left, err = s.Waiting(ctx, actor)
	return t, err
}

// ExecuteRound is Execute for whoever goes on where it was cut. It does not count what is left; a round that tried fewer
// verdicts than its limit is the last one, unless it was cut.
func (s Service) ExecuteRound(ctx context.Context, actor wiki.Actor, r Round) (Tally, error) {
	var t Tally
	if err := actor.Require(wiki.RoleUser); err != nil {
		return t, err
	}
	if r.Limit == 0 {
		r.Limit = DefaultExecute
	}
	if r.Limit < 1 || r.Limit > MaxExecute {
		return t, wiki.Invalid("limit", "limit must be between 1 and %d", MaxExecute)
	}
	list, err := s.waiting(ctx, actor, r)
	if err != nil {
		return t, err
	}
	for i, o := range list {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		if t.Cut = !s.hasTime(ctx, o, i == 0, r.Rehearse); t.Cut {
			break
		}
		if s.executeOne(ctx, actor, &o, r.Rehearse); o.Outcome.Outcome != "" {
			t.count(o.Outcome)
		}
		t.Tried, t.Last = t.Tried+1, Place{o.judged, o.Verdict}
	}
	return t, nil
}

// hasTime says whether one more verdict can be applied before the caller's time is over. What is left waits for the next
// call: an execution that is cut off would say nothing of what it did, and a merge would be made without its model. The first
// verdict of a round is always tried, one that waits for a model apart.
func (s Service) hasTime(ctx context.Context, o todo, first, rehearse bool) bool {
	deadline, bounded := ctx.Deadline()
	need := ExecuteReserve
	switch {
	case o.disposition == wiki.Merge && s.LLM != nil && !rehearse:
		need += s.LLM.Timeout()
	case first:
		return true
	}
	return !bounded || time.Until(deadline) > need
}

func (t *Tally) count(o Outcome) {
	switch o.Outcome {
	case OutcomeExecuted:
		t.Executed++
	case OutcomeRefused:
		t.Refused++
	case OutcomeFailed:
		t.Failed++
	}
	t.Outcomes = append(t.Outcomes, o)
}

// todo is a verdict that waits.
type todo struct {
	Outcome
	judged      time.Time
	disposition wiki.Disposition
}

func (s Service) waiting(ctx context.Context, actor wiki.Actor, r Round) ([]todo, error) {
	var list []todo
	err := s.read(ctx, actor, func(ctx context.Context, tx postgres.Tx) error {
		rows, err := tx.Query(ctx, waitingSQL, actor.Tenant, r.After.At, r.After.ID, r.Limit)
		if err != nil {
			return fmt.Errorf("conflicts: read what waits: %w", err)
		}
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (o todo, err error) {
			return o, row.Scan(&o.Verdict, &o.judged, &o.Pair.First, &o.Pair.Second, &o.disposition)
		})
		return err
	})
	return list, err
}

// Waiting counts the verdicts that wait for their execution.
func (s Service) Waiting(ctx context.Context, actor wiki.Actor) (n int, err error) {
	err = s.read(ctx, actor, func(ctx context.Context, tx postgres.Tx) error {
		return tx.QueryRow(ctx, leftSQL, actor.Tenant).Scan(&n)
	})
	return n, err
}

// errRehearsed rolls back what a rehearsal applied.
var errRehearsed = errors.New("rehearsed")

// executeOne applies one verdict. Its outcome stays empty when another executor was quicker or the verdict was taken back.
func (s Service) executeOne(ctx context.Context, actor wiki.Actor, one *todo, rehearse bool) {
	var made ahead
	o := &one.Outcome
	if one.disposition == wiki.Merge && !rehearse {
		made = s.mergeAhead(ctx, actor, *o)
	}
	err := s.DB.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		o.Outcome = ""
		v, pages, err := s.take(ctx, tx, actor, o)
		if err != nil || v == nil {
			return err
		}
		o.Outcome = OutcomeExecuted
		if err := s.apply(ctx, tx, actor, *v, pages, made); err != nil || !rehearse {
			return err
		}
		return errRehearsed
	})
	if err == nil || errors.Is(err, errRehearsed) {
		return
	}
	o.fail(err)
	if o.Outcome != OutcomeRefused || rehearse {
		return
	}
	if err := s.refuse(ctx, actor, o); err != nil {
		o.fail(err)
		o.Outcome = OutcomeFailed
	}
}

// fail tells a verdict that cannot be applied from one whose execution can be tried again.
func (o *Outcome) fail(err error) {
	o.Outcome, o.Code, o.Message = OutcomeFailed, wiki.ErrorCode(err), "something went wrong; it still waits"
	var e *wiki.Error
	if !errors.As(err, &e) {
		return
	}
	o.Message = e.Message
	switch e.Code {
	case wiki.CodeStale, wiki.CodeSelfAsserted, wiki.CodeNotFound, wiki.CodeTransition, wiki.CodeTitleConflict, wiki.CodeInvalid, wiki.CodeForbidden,
		wiki.CodeSystemScope:
		o.Outcome = OutcomeRefused
	}
}

// take holds the pair and its articles and checks that the verdict may be applied. It gives no verdict when there is
// nothing to do any more.
func (s Service) take(ctx context.Context, tx postgres.Tx, actor wiki.Actor, o *Outcome) (*wiki.Verdict, [2]wiki.Article, error) {
	var pages [2]wiki.Article
	for i, id := range o.Pair.IDs() {
		var err error
		if pages[i], err = articles.Lock(ctx, tx, actor, id); err != nil {
			return nil, pages, err
		}
	}
	h, err := hold(ctx, tx, actor, o.Pair)
	if err != nil {
		return nil, pages, err
	}
	v, err := h.verdict(o.Verdict)
	if err != nil {
		return nil, pages, err
	}
	if v.ExecutedAt != nil || !v.Executable() {
		return nil, pages, nil
	}
	return &v, pages, h.mayApply(v)
}

const changedSince = "%q was changed since the verdict"

func (h held) mayApply(v wiki.Verdict) error {
	if h.Closed != "" {
		return stale("%s since the verdict", h.Closed)
	}
	if d := h.Decision(); d == nil || d.ID != v.ID || h.State() != wiki.ConflictJudged {
		return stale("the pair was flagged again since the verdict")
	}
	for _, g := range []glimpse{h.first, h.second} {
		if g.changed.After(v.JudgedAt) {
			return stale(changedSince, g.title)
		}
	}
	// By the principals as they were stamped when each acted, not by who runs the execution.
	return h.CheckSeparation(v.By)
}

func (s Service) apply(ctx context.Context, tx postgres.Tx, actor wiki.Actor, v wiki.Verdict, pages [2]wiki.Article, made ahead) error {
	winner, loser := pages[0], pages[1]
	if *v.Authoritative == loser.ID {
		winner, loser = loser, winner
	}
	var result map[string]any
	var err error
	if v.Disposition == wiki.Merge {
		result, err = s.merge(ctx, tx, actor, v, winner, loser, made)
	} else {
		result, err = s.supersede(ctx, tx, actor, v, winner, loser)
	}
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, appliedSQL, actor.Tenant, v.ID, tx.Now, actor.Stamp(), result); err != nil {
		return fmt.Errorf("conflicts: mark as applied: %w", err)
	}
	pair := wiki.Pair{First: v.First, Second: v.Second}
	if _, err := flags.Save(ctx, tx, actor.Tenant, pair); err != nil {
		return err
	}
	detail := map[string]any{"conflict": pair.String(), "disposition": v.Disposition, "judged_by": v.By.Principal, "result": result}
	if err := audit.Write(ctx, tx, actor, audit.Entry{Act: actExecute, Subject: v.ID, Detail: detail}); err != nil {
		return err
	}
	return flags.Emit(ctx, tx, actor.Tenant, KindExecuted, pair, map[string]any{"verdict": v.ID, "disposition": v.Disposition})
}

// refuse takes a verdict that cannot be applied out of the way, so that the pair is in the queue again and says why: a pair
// hidden behind a verdict that nothing applies is the black hole to avoid (seed, invariant 4).
func (s Service) refuse(ctx context.Context, actor wiki.Actor, o *Outcome) error {
	return s.DB.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		c, err := flags.Lock(ctx, tx, actor.Tenant, o.Pair)
		if err != nil {
			return err
		}
		for _, v := range c.Verdicts {
			if v.ID == o.Verdict && (v.ExecutedAt != nil || !v.Executable()) {
				o.Outcome = "" // another executor was quicker
				return nil
			}
		}
		return refuseIn(ctx, tx, actor, o.Pair, o.Verdict, wiki.Errorf(o.Code, "%s", o.Message))
	})
}

// refuseIn is the refusal of a verdict on a pair that the transaction holds.
func refuseIn(ctx context.Context, tx postgres.Tx, actor wiki.Actor, pair wiki.Pair, verdict uuid.UUID, why *wiki.Error) error {
	if _, err := tx.Exec(ctx, refusedSQL, actor.Tenant, verdict, tx.Now, why.Message); err != nil {
		return fmt.Errorf("conflicts: refuse: %w", err)
	}
	if _, err := flags.Save(ctx, tx, actor.Tenant, pair); err != nil {
		return err
	}
	detail := map[string]any{"conflict": pair.String(), "code": why.Code, "reason": why.Message}
	if err := audit.Write(ctx, tx, actor, audit.Entry{Act: actRefuse, Subject: verdict, Detail: detail}); err != nil {
		return err
	}
	return flags.Emit(ctx, tx, actor.Tenant, KindRefused, pair, map[string]any{"verdict": verdict})
}
