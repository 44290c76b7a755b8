package flags

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// MaxEvidenceRunes bounds what an assertion or a verdict says for itself.
const MaxEvidenceRunes = 4000

// KindFlagged is the event of a pair that entered the queue.
const KindFlagged = "conflict.flagged"

// New is a flag to raise. The rooms that raise one have checked that the actor sees both articles.
type New struct {
	A, B       uuid.UUID         // in any order
	System     bool              // raised by a rule; false = asserted by the actor
	Similarity float64           // cosine; 0 when none was measured
	Differing  []wiki.Difference // First is what stands in A
	Evidence   string            // required of an assertion
}

const (
	turnSQL = `select pg_advisory_xact_lock(hashtextextended('pair:' || $1::uuid::text || $2::uuid::text, 0))`
	// The articles before the pair, as every act on a pair takes its locks: a flag refers to them.
	changedSQL = `select id, content_changed_at from articles where tenant_id = $1 and id in ($2, $3) order by id for key share`
	insertSQL  = `insert into conflict_flags (id, tenant_id, first_id, second_id, system, similarity, differing, evidence, flagged_by, flagged_at, again)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`
	updateSQL = `update conflict_flags set similarity = $3, differing = $4, evidence = $5, flagged_by = $6, flagged_at = $7, again = $8,
  lapsed = '', lapsed_at = null
where tenant_id = $1 and id = $2`
)

// Raise flags a pair, in the transaction of what found it. It says whether the pair entered the queue by it.
//
// A pair that is in the queue already keeps its place; the flag's measurements are brought up to date. One whose verdict
// stands is not raised again by the same rule, nor asserted again by a role below the judge's, until a body changes; then
// the flag says that it came again. An assertion that such a verdict forbids is CodeTransition; a system flag is just not
// raised. Both articles must be the tenant's.
func Raise(ctx context.Context, tx postgres.Tx, actor wiki.Actor, n New) (wiki.Flag, bool, error) {
	pair, err := wiki.NewPair(n.A, n.B)
	if err != nil {
		return wiki.Flag{}, false, err
	}
	if n.Evidence, err = CleanEvidence(n.Evidence, !n.System); err != nil {
		return wiki.Flag{}, false, err
	}
	if !n.System && !actor.Stamp().Known() {
		// Whom it came from decides who may judge it: nobody could.
		return wiki.Flag{}, false, wiki.Errorf(wiki.CodeForbidden, "an assertion needs a principal")
	}
	if pair.First != n.A {
		n.Differing = turned(n.Differing)
	}
	changed, err := bothChanged(ctx, tx, actor.Tenant, pair)
	if err != nil {
		return wiki.Flag{}, false, err
	}
	// Two that flag a new pair at once have no row to lock yet.
	if _, err := tx.Exec(ctx, turnSQL, pair.First, pair.Second); err != nil {
		return wiki.Flag{}, false, fmt.Errorf("flags: take the pair's turn: %w", err)
	}
	c, err := Lock(ctx, tx, actor.Tenant, pair)
	if err != nil && wiki.ErrorCode(err) != wiki.CodeNotFound {
		return wiki.Flag{}, false, err
	}
	flag, act, err := decide(c, n, actor, changed, tx.Now)
	if err != nil || act == nothing {
		return flag, false, err
	}
	isNew := flag.ID == uuid.Nil
	if isNew {
		flag.ID = tx.NewID()
	}
	return flag, act == enter, store(ctx, tx, actor.Tenant, flag, isNew, act == enter)
}

// changes are when the bodies of a pair's articles last changed.
type changes map[uuid.UUID]time.Time

// since gives the articles that changed after a moment.
func (c changes) since(at time.Time) (ids []uuid.UUID) {
	for id, changed := range c {
		if changed.After(at) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return ids
}

// bothChanged holds the two articles and says when their bodies last changed; CodeNotFound unless the tenant has both.
func bothChanged(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, pair wiki.Pair) (changes, error) {
	last := changes{}
	rows, err := tx.Query(ctx, changedSQL, tenant, pair.First, pair.Second)
	if err != nil {
		return last, fmt.Errorf("flags: read the articles: %w", err)
	}
	var id uuid.UUID
	var at time.Time
	if _, err := pgx.ForEachRow(rows, []any{&id, &at}, func() error { last[id] = at; return nil }); err != nil {
		return last, fmt.Errorf("flags: read the articles: %w", err)
	}
	if len(last) != 2 {
		return last, wiki.NotFound()
	}
	return last, nil
}

// doing is what Raise does with a flag.
type doing int

const (
	nothing doing = iota // the pair's verdict stands
	refresh              // the pair is in the queue already
	enter                // the pair enters the queue
)

// decide gives the flag to store. A flag without an id is new.
func decide(c wiki.Conflict, n New, actor wiki.Actor, bodies changes, now time.Time) (wiki.Flag, doing, error) {
	flag := wiki.Flag{
		First: c.Pair.First, Second: c.Pair.Second, System: n.System, Similarity: n.Similarity, Differing: n.Differing,
		Evidence: n.Evidence, By: actor.Stamp(), FlaggedAt: now,
	}
	before := own(c, n.System, actor.Principal())
	if before != nil {
		flag.ID = before.ID
	}
	verdict := c.Decision()
	if c.State() == wiki.ConflictOpen {
		if before == nil || before.Lapsed != "" {
			return flag, enter, nil
		}
		if verdict == nil || before.FlaggedAt.After(verdict.JudgedAt) {
			flag.FlaggedAt, flag.Again = before.FlaggedAt, before.Again // it keeps its place
		}
		if n.System {
			flag.By, flag.Evidence = before.By, cmp.Or(n.Evidence, before.Evidence)
		}
		return flag, refresh, nil
	}
	if changed := bodies.since(verdict.JudgedAt); len(changed) > 0 {
		flag.Again = &wiki.Again{
			Verdict: verdict.ID, Disposition: verdict.Disposition, By: verdict.By.Principal, JudgedAt: verdict.JudgedAt, Changed: changed,
		}
		if n.System {
			flag.Evidence = again(c.Pair, *flag.Again)
		}
		return flag, enter, nil
	}
	if n.System && before != nil {
		return *before, nothing, nil
	}
	if by, err := wiki.ParseRole(verdict.By.Role); !n.System && err == nil && by > actor.Role {
		e := wiki.Errorf(wiki.CodeTransition, "a key of role %s has judged this pair, and neither text has changed since", by)
		e.Remedy = "improve one of the articles, or ask a key of that role"
		return flag, nothing, e
	}
	return flag, enter, nil
}

// again says in words why a flag came again.
func again(pair wiki.Pair, a wiki.Again) string {
	which := "both texts"
	switch {
	case len(a.Changed) == 1 && a.Changed[0] == pair.First:
		which = "the first text"
	case len(a.Changed) == 1:
		which = "the second text"
	}
	return fmt.Sprintf("flagged again: %s changed after %s's verdict (%s) of %s", which, a.By, a.Disposition, a.JudgedAt.Format(time.DateOnly))
}

// own finds the flag that a new one would repeat.
func own(c wiki.Conflict, system bool, principal string) *wiki.Flag {
	for i, f := range c.Flags {
		if f.System == system && (system || f.By.Principal == principal) {
			return &c.Flags[i]
		}
	}
	return nil
}

func store(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, flag wiki.Flag, isNew, entered bool) error {
	pair := wiki.Pair{First: flag.First, Second: flag.Second}
	differing := flag.Differing
	if differing == nil {
		differing = []wiki.Difference{}
	}
	var err error
	if isNew {
		_, err = tx.Exec(ctx, insertSQL, flag.ID, tenant, pair.First, pair.Second, flag.System, flag.Similarity, differing, flag.Evidence, flag.By, flag.FlaggedAt, flag.Again)
	} else {
		_, err = tx.Exec(ctx, updateSQL, tenant, flag.ID, flag.Similarity, differing, flag.Evidence, flag.By, flag.FlaggedAt, flag.Again)
	}
	if err != nil {
		return fmt.Errorf("flags: store: %w", err)
	}
	if _, err := Save(ctx, tx, tenant, pair); err != nil || !entered {
		return err
	}
	return Emit(ctx, tx, tenant, KindFlagged, pair, map[string]any{"system": flag.System})
}

func turned(differing []wiki.Difference) []wiki.Difference {
	out := make([]wiki.Difference, len(differing))
	for i, d := range differing {
		out[i] = wiki.Difference{Kind: d.Kind, First: d.Second, Second: d.First}
	}
	return out
}

// CleanEvidence is wiki.CleanText for evidence. What is too long, or missing where it is required, is CodeInvalid on
// "evidence".
func CleanEvidence(evidence string, required bool) (string, error) {
	evidence, err := wiki.CleanText("evidence", evidence)
	switch {
	case err != nil:
		return "", err
	case required && strings.TrimSpace(evidence) == "":
		return "", wiki.Invalid("evidence", "evidence is required: say what contradicts what")
	case utf8.RuneCountInString(evidence) > MaxEvidenceRunes:
		return "", wiki.Invalid("evidence", "evidence has at most %d characters", MaxEvidenceRunes)
	}
	return evidence, nil
}
