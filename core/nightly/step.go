package nightly

import (
	"context"
	"errors"
	"time"

	"wiki/core/wiki"
)

// step works through one consumer, batch by batch. It tells whether the consumer came to an end of some kind; an error is in
// the way of the whole pass.
func (r *run) step(ctx context.Context, c Consumer, step *Step) (ended bool, err error) {
	switch {
	case r.paused[c.Name]:
		step.Gate = wiki.GatePaused
		return true, r.save(ctx, step, true)
	case c.Every > 0 && step.StartedAt == nil:
		due, err := r.isTime(ctx, c)
		if err != nil {
			return false, err
		}
		if !due {
			step.Gate = wiki.GateNotDue
			return true, r.save(ctx, step, true)
		}
	}
	meter, look := r.meter(ctx, c), c.Batch
	for {
		acts, left, shut := c.Budget.Left(step.Tally, step.Spent, r.passLeft())
		switch {
		case shut != wiki.GateOpen:
			step.Gate = shut
			return true, r.save(ctx, step, true)
		case ctx.Err() != nil:
			step.Gate = wiki.GateStopped
			return false, r.save(ctx, step, false)
		}
		done, err := r.batch(ctx, c, step, Batch{
			Actor: r.actor, Night: r.Night, Cursor: step.cursor, Look: look, Acts: acts, DryRun: r.Options.DryRun,
		}, left)
		meter(done.Looked)
		switch {
		case err == nil && !done.More:
			step.Gate = wiki.GateOpen
			if c.Lasting {
				step.cursor = "" // round again from the start
			}
			return true, r.save(ctx, step, true)
		case err == nil:
		case ctx.Err() != nil, errors.Is(err, errOutOfTime):
			// The next round of the loop says so.
		case wiki.ErrorCode(err) == wiki.CodeUnavailable:
			return false, err
		case slow(err) && look > 1:
			look /= 2
			continue
		default:
			r.log.ErrorContext(ctx, "a nightly consumer broke", "consumer", c.Name, "tenant", r.Tenant, "error", err)
			step.Gate = wiki.GateBroken
			return true, r.save(ctx, step, true)
		}
		if err := r.save(ctx, step, false); err != nil || (r.turnOver() && ctx.Err() == nil) {
			return false, err
		}
	}
}

// errOutOfTime says that a batch was cut because the consumer's time was over.
var errOutOfTime = errors.New("nightly: out of time")

// slow says whether the database may do better on a smaller batch.
func slow(err error) bool {
	code := wiki.ErrorCode(err)
	return code == wiki.CodeTimeout || code == wiki.CodeOverloaded
}

// batch runs one batch within the time that is left, and takes what it did into the step.
func (r *run) batch(ctx context.Context, c Consumer, step *Step, b Batch, left time.Duration) (Done, error) {
	bounded, cancel := context.WithTimeoutCause(ctx, left, errOutOfTime)
	defer cancel()
	began := time.Now()
	if step.StartedAt == nil {
		at := began.UTC()
		step.StartedAt = &at
	}
	done, err := c.RunOnce(bounded, b)
	step.Spent += time.Since(began)
	step.Tally = step.Plus(done.Tally)
	if done.Cursor != "" {
		step.cursor = done.Cursor
	}
	for _, item := range done.Items {
		if len(step.Items) < MaxItems && (r.Options.DryRun || item.Outcome != Applied) {
			step.Items = append(step.Items, item)
		}
	}
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(bounded), errOutOfTime) {
		err = errOutOfTime
	}
	return done, err
}

// meter tells the progress of a consumer as batches are done.
func (r *run) meter(ctx context.Context, c Consumer) func(looked int) {
	if r.Progress == nil {
		return func(int) {}
	}
	p, began := Progress{Consumer: c.Name}, time.Now()
	if c.Count != nil {
		if n, err := c.Count(ctx, r.actor); err == nil {
			p.Total = n
		}
	}
	r.Progress(p)
	return func(looked int) {
		p.Done += looked
		p.Total = max(p.Total, p.Done)
		if took := time.Since(began).Seconds(); took > 0 && p.Done > 0 {
			p.Rate = float64(p.Done) / took
			p.Remaining = time.Duration(float64(p.Total-p.Done) / p.Rate * float64(time.Second)).Round(time.Second)
		}
		r.Progress(p)
	}
}
