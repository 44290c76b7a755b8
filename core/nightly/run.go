package nightly

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"wiki/core/access"
	"wiki/core/wiki"
)

// Options choose how a pass is run.
type Options struct {
	By       wiki.Actor // who starts it; zero = the server itself
	DryRun   bool
	Turn     time.Duration  // work for so long, then let go of a pass that isn't finished; 0 = until it is
	Progress func(Progress) // told after each batch; may be nil
}

// Progress is how far one consumer is.
type Progress struct {
	Consumer  string
	Done      int // things looked at in this run
	Total     int // 0 = not known
	Rate      float64
	Remaining time.Duration
}

// errLost says that another server has taken the pass up: this one was too slow to show life.
var errLost = errors.New("nightly: the lease was lost")

// Run takes up the tenant's pass where it was cut, or begins tonight's, and works until it is finished, its turn is over or
// ctx ends; then the report says so, and the next Run goes on. Errors: CodeClaimed while another works on it, and what stands
// in the way of the whole pass: a consumer that breaks is in the report, and the others go on.
//
// A dry run takes up nothing and changes nothing, and shows what a pass that begins now would do.
func (s *Service) Run(ctx context.Context, tenant uuid.UUID, o Options) (Report, error) {
	r := &run{Service: s, Options: o, actor: access.Nightly(tenant), began: time.Now()}
	if r.By.Principal() == uuid.Nil.String() {
		r.By = r.actor
	}
	r.Report = Report{Tenant: tenant, DryRun: o.DryRun, StartedBy: r.By.Principal()}
	if o.DryRun {
		return r.rehearse(ctx)
	}
	if err := r.take(ctx); err != nil {
		return r.Report, err
	}
	working, release := r.keepAlive(ctx)
	err := r.work(working)
	release()
	if err == nil && r.unfinished() == nil {
		err = r.finish(ctx)
	} else if !errors.Is(err, errLost) {
		err = errors.Join(err, r.letGo(ctx))
	}
	if errors.Is(err, errLost) {
		err = claimed()
	}
	return r.Report, err
}

// run is one turn of a pass.
type run struct {
	*Service
	Options
	Report
	actor  wiki.Actor
	holder uuid.UUID
	began  time.Time
	before time.Duration // spent in earlier turns
	paused map[string]bool
}

func (r *run) unfinished() *Step {
	for i := range r.Steps {
		if r.Steps[i].FinishedAt == nil {
			return &r.Steps[i]
		}
	}
	return nil
}

// spend brings the time spent up to date.
func (r *run) spend() { r.Spent = r.before + time.Since(r.began) }

func (r *run) passLeft() time.Duration {
	r.spend()
	return r.settings.Time - r.settings.Reserve - r.Spent
}

func (r *run) turnOver() bool { return r.Turn > 0 && time.Since(r.began) >= r.Turn }

// work does what is left of the pass.
func (r *run) work(ctx context.Context) error {
	for step := r.unfinished(); step != nil; step = r.unfinished() {
		c, err := r.consumer(step.Consumer)
		if err != nil { // it began under a program that had another consumer
			step.Gate = wiki.GateBroken
			if err := r.save(ctx, step, true); err != nil {
				return err
			}
			continue
		}
		if ended, err := r.step(ctx, c, step); err != nil || !ended {
			return err
		}
	}
	return nil
}

// rehearse runs each consumer dry, with nothing taken up and nothing kept.
func (r *run) rehearse(ctx context.Context) (Report, error) {
	if err := r.plan(ctx); err != nil {
		return r.Report, err
	}
	if err := r.work(ctx); err != nil {
		return r.Report, err
	}
	r.Cut = r.cutShort()
	return r.Report, nil
}
