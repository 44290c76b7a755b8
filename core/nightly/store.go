package nightly

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/audit"
	"wiki/core/events"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

const (
	actStart   = "nightly.start"
	actStep    = "nightly.step"
	actFinish  = "nightly.finish"
	actAbandon = "nightly.abandon"

	abandoned = "no server went on with it"
)

const (
	openSQL = `select id, night, started_by ->> 'principal', started_at, spent_ms, turns, coalesce(lease_until > $2, false) from nightly_passes
where tenant_id = $1 and finished_at is null for update`
	beginSQL = `insert into nightly_passes (id, tenant_id, night, started_by, started_at) values ($1, $2, $3, $4, $5)
on conflict (tenant_id) where finished_at is null do nothing`
	beginStepSQL = `insert into nightly_steps (pass_id, tenant_id, consumer, place, cursor) values ($1, $2, $3, $4, $5)`
	lastSQL      = `select cursor from nightly_steps where tenant_id = $1 and consumer = $2 and started_at is not null order by started_at desc limit 1`
	holdSQL      = `update nightly_passes set holder = $3, lease_until = $4, turns = turns + 1 where tenant_id = $1 and id = $2`
	stepsSQL     = `select consumer, offered, applied, refused, withheld, failed, gate, cursor, spent_ms, items, started_at, finished_at
from nightly_steps where tenant_id = $1 and pass_id = $2 order by place`
	aliveSQL    = `update nightly_passes set lease_until = $4, spent_ms = $5 where tenant_id = $1 and id = $2 and holder = $3`
	saveStepSQL = `update nightly_steps set offered = $4, applied = $5, refused = $6, withheld = $7, failed = $8, gate = $9, cursor = $10, spent_ms = $11,
  items = $12, started_at = $13, finished_at = $14 where tenant_id = $1 and pass_id = $2 and consumer = $3`
	letGoSQL  = `update nightly_passes set holder = null, lease_until = null, spent_ms = $4 where tenant_id = $1 and id = $2 and holder = $3`
	finishSQL = `update nightly_passes set holder = null, lease_until = null, finished_at = $3, cut = $4, spent_ms = $5 where tenant_id = $1 and id = $2 and ($6::uuid is null or holder = $6)`
	pausedSQL = `select consumer from nightly_switches where tenant_id = $1`
)

// take holds the tenant's open pass for this turn, or begins tonight's.
func (r *run) take(ctx context.Context) error {
	fresh := r.Report
	return r.db.Tenant(ctx, r.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		r.Report = fresh
		held, found, err := r.readOpen(ctx, tx)
		switch {
		case err != nil:
			return err
		case held:
			return claimed()
		case found && tx.Now.Sub(r.StartedAt) > r.settings.Abandon:
			if err := r.abandon(ctx, tx); err != nil {
				return err
			}
			r.Report, found = fresh, false
		}
		if !found {
			if err := r.begin(ctx, tx); err != nil {
				return err
			}
		}
		r.holder, r.before = tx.NewID(), r.Spent
		r.Turns++
		if _, err := tx.Exec(ctx, holdSQL, r.Tenant, r.Pass, r.holder, tx.Now.Add(r.settings.Lease)); err != nil {
			return fmt.Errorf("nightly: hold the pass: %w", err)
		}
		if r.Steps, err = readSteps(ctx, tx, r.Tenant, r.Pass); err != nil {
			return err
		}
		return r.readPaused(ctx, tx)
	})
}

func claimed() error {
	e := wiki.Errorf(wiki.CodeClaimed, "a pass of this tenant is being worked on")
	e.Remedy = "wait until it is finished; what died is taken up within a minute"
	return e
}

func (r *run) readOpen(ctx context.Context, tx postgres.Tx) (held, found bool, err error) {
	var spent int64
	err = tx.QueryRow(ctx, openSQL, r.Tenant, tx.Now).Scan(&r.Pass, &r.Night, &r.StartedBy, &r.StartedAt, &spent, &r.Turns, &held)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("nightly: look for an open pass: %w", err)
	}
	r.Spent = time.Duration(spent) * time.Millisecond
	return held, true, nil
}

// begin writes down that a pass has begun, and what it is to do: a night that dies has left that.
func (r *run) begin(ctx context.Context, tx postgres.Tx) error {
	r.Pass, r.StartedAt, r.Night = tx.NewID(), tx.Now, wiki.NightOf(tx.Now, r.settings.Hour)
	tag, err := tx.Exec(ctx, beginSQL, r.Pass, r.Tenant, r.Night, r.By.Stamp(), tx.Now)
	if err != nil {
		return fmt.Errorf("nightly: begin a pass: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return claimed() // another server began it at this moment
	}
	if err := r.planIn(ctx, tx); err != nil {
		return err
	}
	for i, step := range r.Steps {
		if _, err := tx.Exec(ctx, beginStepSQL, r.Pass, r.Tenant, step.Consumer, i, step.cursor); err != nil {
			return fmt.Errorf("nightly: begin %s: %w", step.Consumer, err)
		}
	}
	detail := map[string]any{"night": r.Night.Format(time.DateOnly)}
	if err := audit.Write(ctx, tx, r.By, audit.Entry{Act: actStart, Subject: r.Pass, Detail: detail}); err != nil {
		return err
	}
	return r.emit(ctx, tx, KindStarted)
}

func (r *run) emit(ctx context.Context, tx postgres.Tx, kind string) error {
	payload := map[string]any{"night": r.Night.Format(time.DateOnly), "cut": r.Cut}
	return events.Emit(ctx, tx, events.Event{Tenant: r.Tenant, Kind: kind, Subject: r.Pass, Payload: payload})
}

// plan is what a pass that begins now would do, for a dry run.
func (r *run) plan(ctx context.Context) error {
	return r.db.TenantRead(ctx, r.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		r.StartedAt, r.Night = tx.Now, wiki.NightOf(tx.Now, r.settings.Hour)
		if err := r.planIn(ctx, tx); err != nil {
			return err
		}
		return r.readPaused(ctx, tx)
	})
}

func (r *run) planIn(ctx context.Context, tx postgres.Tx) error {
	r.Steps = nil
	for _, c := range r.consumers {
		step := Step{Consumer: c.Name}
		if c.Lasting {
			err := tx.QueryRow(ctx, lastSQL, r.Tenant, c.Name).Scan(&step.cursor)
			if err != nil && !errors.Is(err, pgx.ErrNoRows) {
				return fmt.Errorf("nightly: look where %s was: %w", c.Name, err)
			}
		}
		r.Steps = append(r.Steps, step)
	}
	return nil
}

func (r *run) readPaused(ctx context.Context, tx postgres.Tx) error {
	r.paused = map[string]bool{}
	rows, err := tx.Query(ctx, pausedSQL, r.Tenant)
	if err != nil {
		return fmt.Errorf("nightly: read the switches: %w", err)
	}
	var name string
	_, err = pgx.ForEachRow(rows, []any{&name}, func() error { r.paused[name] = true; return nil })
	return err
}

const lastWorkedSQL = `select exists (select from nightly_passes p join nightly_steps s on s.pass_id = p.id
where p.tenant_id = $1 and s.consumer = $2 and s.gate in ('open', 'count_exhausted', 'time_exhausted') and p.night > $3)`

// isTime says whether a consumer that works less often than every night has to tonight.
func (r *run) isTime(ctx context.Context, c Consumer) (due bool, err error) {
	err = r.db.TenantRead(ctx, r.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		var worked bool
		err := tx.QueryRow(ctx, lastWorkedSQL, r.Tenant, c.Name, r.Night.Add(-c.Every)).Scan(&worked)
		due = !worked
		return err
	})
	return due, err
}

func readSteps(ctx context.Context, tx postgres.Tx, tenant, pass uuid.UUID) ([]Step, error) {
	rows, err := tx.Query(ctx, stepsSQL, tenant, pass)
	if err != nil {
		return nil, fmt.Errorf("nightly: read the steps: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s Step, err error) {
		var spent int64
		err = row.Scan(&s.Consumer, &s.Offered, &s.Applied, &s.Refused, &s.Withheld, &s.Failed, &s.Gate, &s.cursor, &spent, &s.Items, &s.StartedAt, &s.FinishedAt)
		s.Spent = time.Duration(spent) * time.Millisecond
		return s, err
	})
}

// late gives a context in which what was done can still be written down after ctx has ended: within the reserve.
func (r *run) late(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), r.settings.Reserve)
}

// save writes down what a step did so far, while the pass is still this turn's; errLost when it isn't. ended closes the step.
func (r *run) save(ctx context.Context, step *Step, ended bool) error {
	r.spend()
	if r.Options.DryRun {
		step.end(ended, time.Now().UTC())
		return nil
	}
	ctx, cancel := r.late(ctx)
	defer cancel()
	return r.db.Tenant(ctx, r.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		if err := r.alive(ctx, tx); err != nil {
			return err
		}
		step.end(ended, tx.Now)
		items, err := json.Marshal(withoutNotes(step.Items))
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, saveStepSQL, r.Tenant, r.Pass, step.Consumer, step.Offered, step.Applied, step.Refused, step.Withheld, step.Failed,
			string(step.Gate), step.cursor, step.Spent.Milliseconds(), items, step.StartedAt, step.FinishedAt)
		if err != nil {
			return fmt.Errorf("nightly: write down %s: %w", step.Consumer, err)
		}
		if !ended {
			return nil
		}
		return audit.Write(ctx, tx, r.actor, audit.Entry{Act: actStep, Subject: r.Pass, Detail: map[string]any{"consumer": step.Consumer, "tally": step.Tally}})
	})
}

// end closes a step when it has ended. One that had no batch to run has begun and ended at once.
func (s *Step) end(ended bool, now time.Time) {
	s.FinishedAt = nil
	if ended {
		s.FinishedAt = &now
		if s.StartedAt == nil {
			s.StartedAt = &now
		}
	}
}

func withoutNotes(items []Item) []Item {
	bare := make([]Item, len(items))
	for i, item := range items {
		item.Note = ""
		bare[i] = item
	}
	return bare
}

// alive shows that this turn goes on.
func (r *run) alive(ctx context.Context, tx postgres.Tx) error {
	tag, err := tx.Exec(ctx, aliveSQL, r.Tenant, r.Pass, r.holder, tx.Now.Add(r.settings.Lease), r.Spent.Milliseconds())
	if err != nil {
		return fmt.Errorf("nightly: hold the pass: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return errLost
	}
	return nil
}

// letGo leaves a pass that isn't finished to whoever comes next.
func (r *run) letGo(ctx context.Context) error {
	ctx, cancel := r.late(ctx)
	defer cancel()
	r.spend()
	return r.db.Tenant(ctx, r.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, letGoSQL, r.Tenant, r.Pass, r.holder, r.Spent.Milliseconds())
		return err
	})
}

// finish closes the pass with its report.
func (r *run) finish(ctx context.Context) error {
	ctx, cancel := r.late(ctx)
	defer cancel()
	r.spend()
	return r.db.Tenant(ctx, r.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		return r.close(ctx, tx, actFinish, r.cutShort(), &r.holder)
	})
}

// abandon closes a pass that nobody went on with, so that it reads as cut and not as running.
func (r *run) abandon(ctx context.Context, tx postgres.Tx) error {
	var err error
	if r.Steps, err = readSteps(ctx, tx, r.Tenant, r.Pass); err != nil {
		return err
	}
	return r.close(ctx, tx, actAbandon, abandoned, nil)
}

func (r *run) close(ctx context.Context, tx postgres.Tx, act, cut string, holder *uuid.UUID) error {
	r.Cut = cut
	tag, err := tx.Exec(ctx, finishSQL, r.Tenant, r.Pass, tx.Now, cut, r.Spent.Milliseconds(), holder)
	if err != nil {
		return fmt.Errorf("nightly: close the pass: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return errLost
	}
	now := tx.Now
	r.FinishedAt = &now
	tallies := map[string]wiki.Tally{}
	for _, step := range r.Steps {
		tallies[step.Consumer] = step.Tally
	}
	detail := map[string]any{"night": r.Night.Format(time.DateOnly), "cut": cut, "consumers": tallies, "turns": r.Turns}
	if err := audit.Write(ctx, tx, r.actor, audit.Entry{Act: act, Subject: r.Pass, Detail: detail}); err != nil {
		return err
	}
	return r.emit(ctx, tx, KindFinished)
}
