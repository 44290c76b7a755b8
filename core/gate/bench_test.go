package gate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/articles"
	"wiki/core/embedding"
	"wiki/core/gate"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/record"
	"wiki/core/wiki"
)

// bench is a tenant with two agents and the gate with the real model.
type bench struct {
	t             *testing.T
	db            *postgres.DB
	gate          gate.Service
	model         *counting
	log           *safeBuffer
	ann, bo, user wiki.Actor
}

func newBench(t *testing.T) bench {
	t.Parallel()
	db := pgtest.New(t)
	builtIn, err := embedding.BuiltIn()
	require.NoError(t, err)
	model, log := &counting{Embedder: builtIn}, &safeBuffer{}
	user := pgtest.Tenant(t, db)
	return bench{
		t: t, db: db, model: model, log: log, user: user,
		gate: gate.Service{
			DB: db, Record: record.Service{DB: db, Embedder: model}, Assessor: gate.Nearest{DB: db, Embedder: model},
			Log: slog.New(slog.NewTextHandler(log, nil)),
		},
		ann: pgtest.Actor(t, db, user.Tenant, wiki.RoleAgent, "ann"),
		bo:  pgtest.Actor(t, db, user.Tenant, wiki.RoleAgent, "bo"),
	}
}

// counting is the real model; it counts its calls and can be made to fail.
type counting struct {
	embedding.Embedder
	calls  atomic.Int32
	answer func([]string) ([]embedding.Document, error)
}

func (c *counting) Embed(ctx context.Context, texts []string) ([]embedding.Document, error) {
	c.calls.Add(1)
	if c.answer != nil {
		return c.answer(texts)
	}
	return c.Embedder.Embed(ctx, texts)
}

func down([]string) ([]embedding.Document, error) {
	return nil, wiki.Errorf(wiki.CodeSemanticDown, "the provider does not answer")
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// fixed is an assessor that says what it is told.
type fixed struct {
	assessment gate.Assessment
	err        error
	before     func() // runs when the assessment has been made
}

func (f fixed) Assess(context.Context, wiki.Actor, gate.Candidate) (gate.Assessment, error) {
	if f.before != nil {
		f.before()
	}
	return f.assessment, f.err
}

var gateLines = wiki.Thresholds{DuplicateAt: 0.97, LowNoveltyAt: 0.88, ConflictAt: 0.93}

func text(s string) wiki.SubmittedBody {
	return wiki.SubmittedBody{Present: true, IsText: true, Text: s}
}

// Texts whose cosines the built-in model measures as noted.
const (
	deployTitle = "How we deploy"
	deployBody  = "We deploy the service on Tuesdays after the review. The pipeline builds the image, runs the tests and asks a person to approve."
	nearTitle   = "Deploying the service" // 0.90 to the above
	nearBody    = "After the review, the service is deployed every Tuesday. An image is built by the pipeline, tests run, and a person approves."
	portTitle   = "Proxy port"
	portBody    = "The proxy of the staging cluster listens on port 8080 and forwards to the api."
)

func proposal(title, body string) gate.Proposal {
	return gate.Proposal{Title: title, Body: text(body), Category: "finding"}
}

func deploy() gate.Proposal { return proposal(deployTitle, deployBody) }

// sameDeploy is a near-identical text under another title (cosine 0.989).
func sameDeploy() gate.Proposal { return proposal("How we deploy it", deployBody) }

func nearDeploy() gate.Proposal { return proposal(nearTitle, nearBody) }

func (b bench) propose(who wiki.Actor, p gate.Proposal) gate.Outcome {
	b.t.Helper()
	o, err := b.gate.Propose(b.t.Context(), who, p)
	require.NoError(b.t, err)
	if o.Created || o.Verdict == gate.Duplicate || o.Verdict == gate.Deduplicated {
		require.NotNil(b.t, o.Article)
	}
	require.NotEmpty(b.t, o.Note)
	return o
}

// refuse proposes and gives the error, having checked that nothing was created.
func (b bench) refuse(who wiki.Actor, p gate.Proposal, code wiki.Code) *wiki.Error {
	b.t.Helper()
	before := b.count("articles")
	_, err := b.gate.Propose(b.t.Context(), who, p)
	require.Error(b.t, err)
	require.Equal(b.t, code, wiki.ErrorCode(err), "%v", err)
	require.Equal(b.t, before, b.count("articles"))
	var e *wiki.Error
	require.ErrorAs(b.t, err, &e)
	return e
}

func (b bench) count(from string, args ...any) (n int) {
	b.t.Helper()
	require.NoError(b.t, b.db.System(b.t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		return tx.QueryRow(ctx, "select count(*) from "+from, args...).Scan(&n)
	}))
	return n
}

func (b bench) exec(sql string, args ...any) {
	b.t.Helper()
	require.NoError(b.t, b.db.System(b.t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	}))
}

func (b bench) drifts() []articles.Drift {
	b.t.Helper()
	events, _, err := articles.Reader{DB: b.db}.Drifts(b.t.Context(), b.user, articles.DriftFilter{})
	require.NoError(b.t, err)
	return events
}

func (b bench) get(id uuid.UUID) wiki.Article {
	b.t.Helper()
	a, err := articles.Reader{DB: b.db}.Get(b.t.Context(), b.user, id)
	require.NoError(b.t, err)
	return a.Article
}

func metadata(m map[string]any) json.RawMessage {
	raw, _ := json.Marshal(m) // a map of strings always encodes
	return raw
}
