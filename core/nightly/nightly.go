// Package nightly runs what keeps a tenant's wiki in order while nobody looks (SPEC §8): a pass is a list of consumers, each
// with a budget, a tally and a switch. All that a pass knows stands in the database, so that it can be cut at any moment and
// taken up by another server.
package nightly

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Events of this room; the subject is the pass.
const (
	KindStarted  = "nightly.started"
	KindFinished = "nightly.finished"
)

// Consumer is one step of the pass.
type Consumer struct {
	Name   string
	Does   string // for people, after "it ..."
	Budget wiki.NightBudget
	Batch  int // things looked at in one RunOnce; fewer when the database is slow
	// Lasting: it goes on, in the next night's pass, where it was, and from the start when it came to the end. Otherwise each
	// pass begins at the start.
	Lasting bool
	Every   time.Duration // the least time between two nights in which it works; 0 = each
	// RunOnce does one batch. What it gives beside an error is what it did before: it counts.
	RunOnce func(context.Context, Batch) (Done, error)
	// Count is how much there is to look at, for the progress of a person who waits; nil = not known.
	Count func(context.Context, wiki.Actor) (int, error)
}

// Batch is what one RunOnce may do.
type Batch struct {
	Actor  wiki.Actor
	Night  time.Time // the UTC date of the pass
	Cursor string    // as the last RunOnce left it; "" = from the start
	Look   int       // things to look at, at most
	Acts   int       // things to act on, at most
	DryRun bool      // change nothing: Applied is what would be
}

// Done is what one RunOnce did.
type Done struct {
	Tally  wiki.Tally
	Cursor string
	More   bool // there may be more to look at
	Looked int  // things looked at
	Items  []Item
}

// Item is one thing that a consumer acted on, or did not and says why.
type Item struct {
	Subject string    `json:"subject"` // an article's id, a pair, a verdict's id
	Outcome string    `json:"outcome"` // of the tally: applied, refused, withheld, failed
	Code    wiki.Code `json:"code,omitempty"`
	Note    string    `json:"note,omitempty"` // for whoever runs the pass; may hold titles, and is not stored
}

// Outcomes of an item.
const (
	Applied  = "applied"
	Refused  = "refused"
	Withheld = "withheld"
	Failed   = "failed"
)

// Count adds one item of an outcome to a tally.
func (d *Done) Count(i Item) {
	switch i.Outcome {
	case Applied:
		d.Tally.Applied++
	case Refused:
		d.Tally.Refused++
	case Withheld:
		d.Tally.Withheld++
	case Failed:
		d.Tally.Failed++
	}
	d.Tally.Offered++
	d.Items = append(d.Items, i)
}

// Settings bound the pass; a zero field takes its default.
type Settings struct {
	Hour    int           // of the day, UTC, at which a night begins
	Time    time.Duration // of work that one pass of a tenant may take, reserve included
	Reserve time.Duration // of that, for writing down what it did
	Lease   time.Duration // a pass that shows no life for so long is taken up by another server
	Abandon time.Duration // a pass that is older is closed, and says that it was cut
	// Budgets are those of consumers, by name, in the place of their own. A count of 0 pauses the consumer for all tenants.
	Budgets map[string]wiki.NightBudget
}

// Defaults of Settings (facts §7: 04:00 UTC, five minutes of reserve).
const (
	DefaultHour    = 4
	DefaultTime    = 30 * time.Minute
	DefaultReserve = time.Minute
	DefaultLease   = 30 * time.Second
	DefaultAbandon = 20 * time.Hour

	// MaxItems is how many of a step's items are kept, beside its counts.
	MaxItems = 50
)

func (s Settings) withDefaults() Settings {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&s.Time, DefaultTime}, {&s.Reserve, DefaultReserve}, {&s.Lease, DefaultLease}, {&s.Abandon, DefaultAbandon},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	return s
}

// Service runs passes. It is safe for concurrent use.
type Service struct {
	db        *postgres.DB
	consumers []Consumer
	settings  Settings
	log       *slog.Logger
}

// New makes the service; the consumers work in the order given. A nil log is slog's default. A budget for a consumer that
// there isn't is CodeInvalid.
func New(db *postgres.DB, settings Settings, log *slog.Logger, consumers ...Consumer) (*Service, error) {
	if log == nil {
		log = slog.Default()
	}
	s := &Service{db: db, consumers: consumers, settings: settings.withDefaults(), log: log}
	for name := range settings.Budgets {
		if _, err := s.consumer(name); err != nil {
			return nil, err
		}
	}
	for i, c := range s.consumers {
		if budget, given := settings.Budgets[c.Name]; given {
			s.consumers[i].Budget = budget
		}
	}
	return s, nil
}

// Consumers are the steps of a pass, in order.
func (s *Service) Consumers() []Consumer { return slices.Clone(s.consumers) }

// consumer finds one by its name; CodeInvalid on "consumer" names those that there are.
func (s *Service) consumer(name string) (Consumer, error) {
	var names []string
	for _, c := range s.consumers {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	return Consumer{}, wiki.Invalid("consumer", "there is no consumer %q; there are %s", name, strings.Join(names, ", "))
}

// Report is a pass as it stands.
type Report struct {
	Pass       uuid.UUID     `json:"pass_id"` // zero in a dry run
	Tenant     uuid.UUID     `json:"tenant_id"`
	Night      time.Time     `json:"night"`
	DryRun     bool          `json:"dry_run"`
	StartedBy  string        `json:"started_by"` // principal
	StartedAt  time.Time     `json:"started_at"`
	FinishedAt *time.Time    `json:"finished_at"` // nil: it goes on, or nobody has gone on with it
	Cut        string        `json:"cut,omitempty"`
	Spent      time.Duration `json:"spent_ns"`
	Turns      int           `json:"turns"`
	Steps      []Step        `json:"steps"`
}

// Step is what one consumer did in a pass.
type Step struct {
	Consumer   string `json:"consumer"`
	wiki.Tally `json:"tally"`
	Spent      time.Duration `json:"spent_ns"`
	Items      []Item        `json:"items,omitempty"` // at most MaxItems
	StartedAt  *time.Time    `json:"started_at"`
	FinishedAt *time.Time    `json:"finished_at"`
	cursor     string
}

// cutShort says which consumers did not come to their end; "" when all did.
func (r Report) cutShort() string {
	var cut []string
	for _, step := range r.Steps {
		if step.Gate.Cut() {
			gate := string(step.Gate)
			if step.Gate == wiki.GateNotReached {
				gate = "not_reached"
			}
			cut = append(cut, step.Consumer+": "+gate)
		}
	}
	return strings.Join(cut, ", ")
}
