// Package proposals is where one act is done to a whole set of articles (SPEC §4): archive, delete, publish, unpublish,
// retag. What a set is was frozen before the act, so that nobody acts on articles that nobody saw: by a dry run, whose
// credential the same caller replays within minutes, or by a proposal that waits for a person other than its minter.
//
// A run goes in batches, each one transaction in which the articles change and their items are ticked off together. It can
// be cut at any moment, and whoever carries it on does the rest once.
package proposals

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"wiki/core/events"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
)

// Events of this room; the subject is the proposal.
const (
	KindMinted    = "proposal.minted"
	KindApproved  = "proposal.approved"
	KindRejected  = "proposal.rejected"
	KindWithdrawn = "proposal.withdrawn"
	KindExpired   = "proposal.expired"
	KindProgress  = "proposal.progress"
	KindExecuted  = "proposal.executed"
)

// Settings bound proposals; a zero field takes its default (SPEC §4, facts §3.5).
type Settings struct {
	FrozenBound      int           // articles that a token or a proposal freezes; more go by confirm hash
	TokenLifetime    time.Duration // of a dry run's credential
	ProposalLifetime time.Duration // of a proposal that waits for a person
	MaxIDs           int           // ids in one request
	MaxSelected      int           // articles that one run takes
	MaxPending       int           // proposals of one principal that wait for a person
	Batch            int           // articles in one transaction of a run
	Budget           time.Duration // how long one call works before it answers with what is left
	Lease            time.Duration // a run that shows no progress for so long may be carried on by another
}

// Defaults of Settings.
const (
	DefaultFrozenBound      = 1000
	DefaultTokenLifetime    = 300 * time.Second
	DefaultProposalLifetime = 7 * 24 * time.Hour
	DefaultMaxIDs           = 5000
	DefaultMaxSelected      = 100_000
	DefaultMaxPending       = 100
	DefaultBatch            = 50
	DefaultBudget           = 20 * time.Second
	DefaultLease            = time.Minute
)

func (s Settings) withDefaults() Settings {
	for _, n := range []struct {
		field *int
		value int
	}{
		{&s.FrozenBound, DefaultFrozenBound},
		{&s.MaxIDs, DefaultMaxIDs},
		{&s.MaxSelected, DefaultMaxSelected},
		{&s.MaxPending, DefaultMaxPending},
		{&s.Batch, DefaultBatch},
	} {
		if *n.field == 0 {
			*n.field = n.value
		}
	}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&s.TokenLifetime, DefaultTokenLifetime}, {&s.ProposalLifetime, DefaultProposalLifetime}, {&s.Budget, DefaultBudget}, {&s.Lease, DefaultLease},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	return s
}

// Golden tells which golden questions (SPEC §12) lose an answer when articles leave the wiki.
type Golden interface {
	Affected(ctx context.Context, actor wiki.Actor, articles []uuid.UUID) ([]Question, error)
}

// Question is a golden question and the article of the set that answers it.
type Question struct {
	ID       string
	Question string
	Article  uuid.UUID
}

// Service is the door to set-based acts. It is safe for concurrent use.
type Service struct {
	db       *postgres.DB
	record   record.Service
	golden   Golden // nil: golden questions are not measured
	settings Settings
	secret   func(context.Context) ([]byte, error)
}

// New makes the service; golden may be nil.
func New(db *postgres.DB, writer record.Service, golden Golden, settings Settings) *Service {
	return &Service{db: db, record: writer, golden: golden, settings: settings.withDefaults(), secret: remembered(db)}
}

// secretName of the key of selectors' digests and confirm hashes.
const secretName = "proposals"

// remembered asks for the shared secret once.
func remembered(db *postgres.DB) func(context.Context) ([]byte, error) {
	var turn sync.Mutex
	var secret []byte
	return func(ctx context.Context) ([]byte, error) {
		turn.Lock()
		defer turn.Unlock()
		if secret != nil {
			return secret, nil
		}
		var err error
		secret, err = db.Secret(ctx, secretName)
		return secret, err
	}
}

func emit(ctx context.Context, tx postgres.Tx, p Proposal, kind string, payload map[string]any) error {
	if payload == nil {
		payload = map[string]any{}
	}
	payload["op"], payload["state"] = p.Act.Op, p.State
	return events.Emit(ctx, tx, events.Event{Tenant: p.tenant, Kind: kind, Subject: p.ID, Payload: payload})
}
