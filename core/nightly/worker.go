package nightly

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"wiki/core/wiki"
)

// Passes run as jobs of River, which keeps them in the database. Of several servers one is the leader at a time: it asks now
// and then what is due, and any server works on it. A job is one turn of one tenant's pass, so that tenants take turns
// however much one of them has to do, and it is named by the pass and the turn, so that a turn is queued once. The lease on
// the pass, and not the queue, is what keeps two servers from one tenant.

const (
	dueQueue  = "nightly_due"
	passQueue = "nightly"

	// graceful is what a turn that should have ended is given to come to the end of its batch.
	graceful = 15 * time.Second
	keepJobs = time.Hour // rows of jobs that are done

	// The stop of a server waits so long for what is in hand to be written down.
	stopWithin = 10 * time.Second
)

// WorkerSettings say how much one server works; a zero field takes its default.
type WorkerSettings struct {
	Tenants int           // passes that it works on at once
	Turn    time.Duration // after which a tenant's pass lets another tenant's in
	Look    time.Duration // how often the leader looks for what is due; with the lease it bounds how long a dead server's pass waits
	Poll    time.Duration // how often it asks for work; it listens for none, so that poolers which share connections serve
}

// Defaults of WorkerSettings.
const (
	DefaultTenants = 2
	DefaultTurn    = 30 * time.Second
	DefaultLook    = 10 * time.Second
	DefaultPoll    = 2 * time.Second
)

func (s WorkerSettings) withDefaults() WorkerSettings {
	if s.Tenants == 0 {
		s.Tenants = DefaultTenants
	}
	if s.Turn == 0 {
		s.Turn = DefaultTurn
	}
	if s.Look == 0 {
		s.Look = DefaultLook
	}
	if s.Poll == 0 {
		s.Poll = DefaultPoll
	}
	return s
}

// lookArgs asks what is due.
type lookArgs struct{}

// Kind names the job.
func (lookArgs) Kind() string { return "nightly_due" }

// turnArgs is one turn of a tenant's pass.
type turnArgs struct {
	Tenant uuid.UUID `json:"tenant_id"`
	Pass   uuid.UUID `json:"pass_id"`
	Turn   int       `json:"turn"`
}

// Kind names the job.
func (turnArgs) Kind() string { return "nightly" }

// unfinished are the states in which a job stands for others of its name.
var unfinished = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
}

// Work runs the passes that are due, with the other servers on the database, until the function that comes back is called:
// what is in hand then is written down, and goes on elsewhere.
func (s *Service) Work(ctx context.Context, settings WorkerSettings) (stop func(), err error) {
	settings = settings.withDefaults()
	workers := river.NewWorkers()
	river.AddWorker(workers, &looker{service: s})
	river.AddWorker(workers, &turner{service: s, turn: settings.Turn})
	look := func() (river.JobArgs, *river.InsertOpts) {
		return lookArgs{}, &river.InsertOpts{Queue: dueQueue, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByQueue: true, ByState: unfinished}}
	}
	client, err := river.NewClient(s.db.JobDriver(), &river.Config{
		Queues:            map[string]river.QueueConfig{dueQueue: {MaxWorkers: 1}, passQueue: {MaxWorkers: settings.Tenants}},
		Workers:           workers,
		PeriodicJobs:      []*river.PeriodicJob{river.NewPeriodicJob(river.PeriodicInterval(settings.Look), look, &river.PeriodicJobOpts{RunOnStart: true})},
		PollOnly:          true,
		FetchPollInterval: settings.Poll, FetchCooldown: min(settings.Poll, river.FetchCooldownDefault),
		JobTimeout: settings.Turn + graceful, RescueStuckJobsAfter: settings.Turn + 2*graceful,
		CompletedJobRetentionPeriod: keepJobs, CancelledJobRetentionPeriod: keepJobs, DiscardedJobRetentionPeriod: keepJobs,
		Logger: slog.New(troubleOnly{s.log.Handler()}),
	})
	if err != nil {
		return nil, fmt.Errorf("nightly: make the job queue: %w", err)
	}
	if err := client.Start(ctx); err != nil {
		return nil, fmt.Errorf("nightly: start the job queue: %w", err)
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
		defer cancel()
		if err := client.StopAndCancel(ctx); err != nil {
			s.log.WarnContext(ctx, "the job queue did not stop in time; what it had in hand is taken up later", "error", err)
		}
	}, nil
}

type looker struct {
	river.WorkerDefaults[lookArgs]
	service *Service
}

// Work queues a turn of each pass that is due.
func (l *looker) Work(ctx context.Context, _ *river.Job[lookArgs]) error {
	due, err := l.service.Due(ctx)
	if err != nil || len(due) == 0 {
		return err
	}
	jobs := make([]river.InsertManyParams, len(due))
	for i, d := range due {
		jobs[i] = turnJob(turnArgs(d))
	}
	_, err = river.ClientFromContext[pgx.Tx](ctx).InsertMany(ctx, jobs)
	return err
}

func turnJob(args turnArgs) river.InsertManyParams {
	return river.InsertManyParams{Args: args, InsertOpts: &river.InsertOpts{
		Queue: passQueue, MaxAttempts: 3, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: unfinished},
	}}
}

type turner struct {
	river.WorkerDefaults[turnArgs]
	service *Service
	turn    time.Duration
}

// Work does one turn, and queues the next one behind the others' if the pass isn't finished.
func (w *turner) Work(ctx context.Context, job *river.Job[turnArgs]) error {
	due, err := w.service.isDue(ctx, job.Args)
	if err != nil || !due {
		return err
	}
	r, err := w.service.Run(ctx, job.Args.Tenant, Options{Turn: w.turn})
	if wiki.ErrorCode(err) == wiki.CodeClaimed {
		return river.JobCancel(err) // another server was quicker
	}
	if err != nil || r.FinishedAt != nil || ctx.Err() != nil {
		return err
	}
	next := turnJob(turnArgs{Tenant: r.Tenant, Pass: r.Pass, Turn: r.Turns})
	_, err = river.ClientFromContext[pgx.Tx](ctx).Insert(ctx, next.Args, next.InsertOpts)
	return err
}

// isDue says whether a turn is still wanted: it may have waited while another was taken, or while the tenant was suspended.
func (s *Service) isDue(ctx context.Context, args turnArgs) (bool, error) {
	list, err := s.due(ctx, &args.Tenant)
	return len(list) == 1 && list[0] == Due(args), err
}

// troubleOnly keeps the queue's own news out of the log: what passes do is in their reports.
type troubleOnly struct{ slog.Handler }

// Enabled implements slog.Handler.
func (h troubleOnly) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

// WithAttrs implements slog.Handler.
func (h troubleOnly) WithAttrs(attrs []slog.Attr) slog.Handler {
	return troubleOnly{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h troubleOnly) WithGroup(name string) slog.Handler {
	return troubleOnly{h.Handler.WithGroup(name)}
}
