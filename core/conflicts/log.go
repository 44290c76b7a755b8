package conflicts

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// LogFilter narrows the log of verdicts.
type LogFilter struct {
	Mine     bool // the caller's own
	Undoable bool // what the caller could take back now
	Limit    int  // default DefaultLimit, at most MaxLimit
	Cursor   string
}

// undoableSQL is undoOf as a predicate: it keeps a page from being filled with what was taken back already.
const undoableSQL = `(v.withdrawn_at is null and v.reverted_at is null and v.refused_at is null and v.replaced_by is null
  and (@is_user or v.judged_by ->> 'principal' = @me)
  and (v.executed_at is null or v.disposition = 'dismiss' or (@is_user and v.disposition = 'supersede')))`

var (
	titledVerdicts = `select ` + flags.VerdictColumns + `, a.title, b.title from conflict_verdicts v
join articles a on a.id = v.first_id and a.tenant_id = v.tenant_id join articles b on b.id = v.second_id and b.tenant_id = v.tenant_id
where v.tenant_id = @viewer_tenant and ` + postgres.VisibleTo("a") + ` and ` + postgres.VisibleTo("b")

	logSQL = titledVerdicts + ` and (not @mine or v.judged_by ->> 'principal' = @me) and (not @undoable or ` + undoableSQL + `)
  and ` + shownToSQL + `
  and (@before::uuid is null or (v.judged_at, v.id) < (select o.judged_at, o.id from conflict_verdicts o where o.tenant_id = @viewer_tenant and o.id = @before))
order by v.judged_at desc, v.id desc limit @limit`

	oneVerdictSQL = titledVerdicts + ` and v.id = @id`
)

// Log gives verdicts on pairs that the actor sees, newest first, with what undoing each would be: the undo log.
func (s Service) Log(ctx context.Context, actor wiki.Actor, f LogFilter) (verdicts []Verdict, next string, err error) {
	if f.Limit == 0 {
		f.Limit = DefaultLimit
	}
	if f.Limit < 1 || f.Limit > MaxLimit {
		return nil, "", badParameter("limit", "limit must be between 1 and 200")
	}
	var before *uuid.UUID
	if f.Cursor != "" {
		id, err := uuid.Parse(f.Cursor)
		if err != nil {
			return nil, "", badParameter("cursor", "the cursor is not one of this listing; start without one")
		}
		before = &id
	}
	err = s.read(ctx, actor, func(ctx context.Context, tx postgres.Tx) error {
		rows, err := tx.Query(ctx, logSQL, args(actor, pgx.NamedArgs{
			"mine": f.Mine, "me": actor.Principal(), "undoable": f.Undoable,
			"is_user": actor.Role >= wiki.RoleUser, "before": before, "limit": f.Limit + 1,
		}))
		if err != nil {
			return fmt.Errorf("conflicts: read the log: %w", err)
		}
		if verdicts, err = pgx.CollectRows(rows, scanTitled(actor)); err != nil {
			return fmt.Errorf("conflicts: read the log: %w", err)
		}
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	if len(verdicts) > f.Limit {
		verdicts = verdicts[:f.Limit]
		next = verdicts[f.Limit-1].ID.String()
	}
	return verdicts, next, nil
}

// byID finds a verdict on a pair that the actor sees.
func byID(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID) (Verdict, error) {
	rows, err := tx.Query(ctx, oneVerdictSQL, args(actor, pgx.NamedArgs{"id": id}))
	if err != nil {
		return Verdict{}, fmt.Errorf("conflicts: read the verdict: %w", err)
	}
	v, err := pgx.CollectExactlyOneRow(rows, scanTitled(actor))
	if errors.Is(err, pgx.ErrNoRows) {
		return Verdict{}, wiki.NotFound()
	}
	if err != nil {
		return Verdict{}, fmt.Errorf("conflicts: read the verdict: %w", err)
	}
	return v, nil
}

func scanTitled(actor wiki.Actor) pgx.RowToFunc[Verdict] {
	return func(row pgx.CollectableRow) (Verdict, error) {
		r, err := pgx.RowToStructByPos[struct {
			wiki.Verdict
			First, Second string
		}](row)
		if err != nil {
			return Verdict{}, err
		}
		return *describe(actor, r.Verdict, r.First, r.Second), nil
	}
}
