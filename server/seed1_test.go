package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/gate"
	"wiki/core/postgres"
	"wiki/core/wiki"
	"wiki/server/api"
)

// Texts whose cosines the built-in model measures as noted.
const (
	deployTitle = "How we deploy"
	deployBody  = "We deploy the service on Tuesdays after the review. The pipeline builds the image, runs the tests and asks a person to approve."
	nearTitle   = "Deploying the service" // 0.90 to the above: low novelty
	nearBody    = "After the review, the service is deployed every Tuesday. An image is built by the pipeline, tests run, and a person approves."
	sameTitle   = "How we deploy it" // with deployBody 0.99: a duplicate
)

type fields map[string]any

// seed1 is one world for one sentence of the seed's invariant 1, with what the gate logs.
type seed1 struct {
	*world
	t   *testing.T
	log *lines
}

func newSeed1(t *testing.T) seed1 {
	t.Helper()
	s := seed1{start(t), t, &lines{}}
	s.core.Gate.Log = slog.New(slog.NewTextHandler(s.log, nil))
	return s
}

type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) warnings() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.b.String(), "level=WARN")
}

// assess is an assessor made of a function.
type assess func(context.Context, wiki.Actor, gate.Candidate) (gate.Assessment, error)

func (f assess) Assess(ctx context.Context, actor wiki.Actor, c gate.Candidate) (gate.Assessment, error) {
	return f(ctx, actor, c)
}

// down makes nothing comparable.
func (s seed1) down() {
	s.core.Gate.Assessor = assess(func(context.Context, wiki.Actor, gate.Candidate) (gate.Assessment, error) {
		return gate.Assessment{}, wiki.Errorf(wiki.CodeSemanticDown, "the provider does not answer")
	})
}

// send proposes over HTTP, which has to answer with the status.
func (s seed1) send(status int, f fields) api.Proposed {
	s.t.Helper()
	if _, given := f["category"]; !given {
		f["category"] = "playbook"
	}
	r := s.raw(f)
	require.Equal(s.t, status, r.StatusCode, r.body)
	var e api.Envelope[api.Proposed]
	require.NoError(s.t, json.Unmarshal([]byte(r.body), &e))
	require.NotEmpty(s.t, e.Data.Note)
	require.Equal(s.t, status == http.StatusCreated, e.Data.Created)
	if e.Data.Deduplicated {
		require.NotNil(s.t, e.Data.ContentDrift, "every deduplicated answer carries the flags")
		require.NotNil(s.t, e.Data.TitleDrift)
		require.Nil(s.t, e.Data.Article.Body, "what stands is named, not sent again")
	}
	return e.Data
}

func (s seed1) raw(f fields) reply {
	s.t.Helper()
	body, err := json.Marshal(f)
	require.NoError(s.t, err)
	return s.world.send("POST /api/v1/articles", s.keys[wiki.RoleAgent], string(body))
}

func (s seed1) first() api.Proposed {
	s.t.Helper()
	return s.send(http.StatusCreated, fields{"title": deployTitle, "body": deployBody, "idempotency_key": "k"})
}

func (s seed1) show(id uuid.UUID) api.Article {
	s.t.Helper()
	a, err := s.as(wiki.RoleUser).Article(s.t.Context(), id)
	require.NoError(s.t, err)
	return a
}

func (s seed1) articles() int {
	s.t.Helper()
	stats, err := s.as(wiki.RoleUser).Stats(s.t.Context())
	require.NoError(s.t, err)
	return stats.Total
}

func (s seed1) drifts() []api.Drift {
	s.t.Helper()
	list, _, err := s.as(wiki.RoleUser).Drift(s.t.Context(), api.DriftQuery{})
	require.NoError(s.t, err)
	return list
}

// sql changes what no request can.
func (w *world) sql(statement string, args ...any) {
	w.tb.Helper()
	require.NoError(w.tb, w.core.DB.System(w.tb.Context(), func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, statement, args...)
		return err
	}))
}

// Each sentence of the seed's first invariant, over HTTP. The names quote it.
func TestSeed1(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(seed1){
		"six outcomes, not four": seed1SixOutcomes,
		"a key match is resolved from the existing row: a 200 no-op, not a 409":          seed1KeyIsNoOp,
		"every deduplicated render emits content_drift and title_drift":                  seed1EveryRenderHasFlags,
		"on the same trim normalization":                                                 seed1Trim,
		"an absent body key is not drift but a present non-string one is":                seed1Body,
		"the key path short-circuits before validation":                                  seed1BeforeValidation,
		"title_drift is suppressed when the submitted title equals previous_title":       seed1PreviousTitle,
		"castable from nowhere, cleared by any ordinary title edit, deaf to metadata":    seed1PreviousTitleEnds,
		"the note says read before it says update":                                       seed1Note,
		"the neighbour note says read then decide, and force under a different title":    seed1NeighbourNote,
		"the neighbour branch emits neither the warning nor a drift event":               seed1NeighbourIsSilent,
		"no self-exclusion: the neighbour may be the caller's own earlier capture":       seed1NoSelfExclusion,
		"it reports only: nothing in the create path branches on it":                     seed1ReportsOnly,
		"the durable trace of a drifted discard is the warning, and here an event too":   seed1Trace,
		"duplicate returns the canonical neighbour without creating":                     seed1Duplicate,
		"low_novelty is created but forced to a draft, with proposal_novelty":            seed1LowNovelty,
		"on_low_novelty skip creates nothing and returns the near neighbour":             seed1Skip,
		"that skip is decided last":                                                      seed1SkipLast,
		"duplicate falls through to create if the neighbour vanished":                    seed1Vanished,
		"unknown creates only by default":                                                seed1Unknown,
		"on_gate_unavailable skip gives gate_unavailable and nothing is created":         seed1Unavailable,
		"the assessor is injected":                                                       seed1Injected,
		"the same title answers 409 title_conflict, force or not":                        seed1TitleConflict,
		"skipped_low_novelty and deduplicated are reachable for who knows only the four": seed1LastTwo,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newSeed1(t))
		})
	}
}

func seed1SixOutcomes(s seed1) {
	near := fields{"title": nearTitle, "body": nearBody, "on_low_novelty": "skip"}
	require.Equal(s.t, "novel", s.first().Verdict)
	require.Equal(s.t, "deduplicated", s.send(http.StatusOK, fields{"title": deployTitle, "body": deployBody}).Verdict)
	require.Equal(s.t, "duplicate", s.send(http.StatusOK, fields{"title": sameTitle, "body": deployBody}).Verdict)
	require.Equal(s.t, "skipped_low_novelty", s.send(http.StatusOK, near).Verdict)
	delete(near, "on_low_novelty")
	require.Equal(s.t, "low_novelty", s.send(http.StatusCreated, near).Verdict)
	s.down()
	require.Equal(s.t, "unknown", s.send(http.StatusCreated, fields{"title": "Geese", "body": "A text about geese."}).Verdict)
	require.Equal(s.t, 3, s.articles())
}

func seed1KeyIsNoOp(s seed1) {
	first := s.first()
	again := s.send(http.StatusOK, fields{"title": "Another title", "body": "Another text.", "idempotency_key": "k"})
	require.Equal(s.t, "deduplicated", again.Verdict)
	require.Equal(s.t, first.Article.ID, again.Article.ID)
	require.Equal(s.t, deployBody, *s.show(first.Article.ID).Body)
	require.Equal(s.t, 1, s.articles())
}

func seed1EveryRenderHasFlags(s seed1) {
	s.first()
	for name, f := range map[string]fields{
		"key":       {"title": deployTitle, "body": deployBody, "idempotency_key": "k"},
		"title":     {"title": deployTitle, "body": deployBody},
		"duplicate": {"title": sameTitle, "body": deployBody},
	} {
		p := s.send(http.StatusOK, f)
		require.True(s.t, p.Deduplicated, name)
		require.NotNil(s.t, p.ContentDrift, name)
		require.NotNil(s.t, p.TitleDrift, name)
	}
}

func seed1Trim(s seed1) {
	s.first()
	for _, same := range []string{" " + deployBody + "\n\n", deployBody + "\r\n", "\t" + deployBody} {
		p := s.send(http.StatusOK, fields{"title": "  " + deployTitle + " ", "body": same, "idempotency_key": "k"})
		require.False(s.t, *p.ContentDrift || *p.TitleDrift)
	}
	require.Empty(s.t, s.drifts())
}

func seed1Body(s seed1) {
	s.first()
	absent := s.send(http.StatusOK, fields{"title": deployTitle, "idempotency_key": "k"})
	require.False(s.t, *absent.ContentDrift)
	for _, broken := range []any{7, true, []any{"x"}, map[string]any{"text": deployBody}, nil, ""} {
		p := s.send(http.StatusOK, fields{"title": deployTitle, "body": broken, "idempotency_key": "k"})
		require.True(s.t, *p.ContentDrift, "%v", broken)
		require.False(s.t, *p.TitleDrift)
	}
}

func seed1BeforeValidation(s seed1) {
	s.first()
	p := s.send(http.StatusOK, fields{"title": "", "body": map[string]any{}, "category": "nonsense", "tags": []string{"idem-x"}, "idempotency_key": "k"})
	require.Equal(s.t, "deduplicated", p.Verdict)
	require.True(s.t, *p.ContentDrift, "a broken extraction is not answered in sync")
	r := s.raw(fields{"title": "Another", "body": map[string]any{}, "category": "playbook", "idempotency_key": "new"})
	require.Equal(s.t, "body", r.failure(s.t).Field, "without a row under its key it is validated")
}

// retitled is what the nightly :generic_title retitle leaves.
func (s seed1) retitled() uuid.UUID {
	s.t.Helper()
	first := s.send(http.StatusCreated, fields{"title": "Untitled", "body": deployBody, "idempotency_key": "k"})
	s.sql("update articles set title = $2, previous_title = title where id = $1", first.Article.ID, deployTitle)
	return first.Article.ID
}

func (s seed1) resent() api.Proposed {
	s.t.Helper()
	return s.send(http.StatusOK, fields{"title": "Untitled", "body": deployBody, "idempotency_key": "k"})
}

func seed1PreviousTitle(s seed1) {
	s.retitled()
	require.False(s.t, *s.resent().TitleDrift)
	require.Empty(s.t, s.drifts())
	require.True(s.t, *s.send(http.StatusOK, fields{"title": "Third", "body": deployBody, "idempotency_key": "k"}).TitleDrift)
}

func seed1PreviousTitleEnds(s seed1) {
	id := s.retitled().String()
	agent := s.keys[wiki.RoleAgent]
	for _, patch := range []string{
		`{"metadata":{"consolidation_title_generated":false,"previous_title":"x"}}`, `{"body":"` + deployBody + ` More."}`, `{"tags":["a"]}`,
	} {
		require.Equal(s.t, http.StatusOK, s.world.send("PATCH /api/v1/articles/"+id, agent, patch).StatusCode, patch)
		require.False(s.t, *s.resent().TitleDrift, patch)
	}
	r := s.world.send("PATCH /api/v1/articles/"+id, agent, `{"previous_title":"Third"}`)
	require.Equal(s.t, "previous_title", r.failure(s.t).Field)
	require.Equal(s.t, http.StatusOK, s.world.send("PATCH /api/v1/articles/"+id, agent, `{"title":"A curated title"}`).StatusCode)
	require.True(s.t, *s.resent().TitleDrift, "a curator's title ends it")
	r = s.world.send("PATCH /api/v1/articles/"+id, agent, `{"metadata":{"previous_title":"Untitled","consolidation_title_generated":true}}`)
	require.Equal(s.t, http.StatusOK, r.StatusCode)
	require.True(s.t, *s.resent().TitleDrift, "and nothing re-arms it")
}

func seed1Note(s seed1) {
	s.first()
	in := s.send(http.StatusOK, fields{"title": deployTitle, "body": deployBody, "idempotency_key": "k"}).Note
	drift := s.send(http.StatusOK, fields{"title": deployTitle, "body": "Another text.", "idempotency_key": "k"}).Note
	require.NotEqual(s.t, in, drift)
	read, update := strings.Index(strings.ToLower(drift), "read"), strings.Index(strings.ToLower(drift), "update")
	require.True(s.t, 0 <= read && read < update, drift)
	require.NotContains(s.t, strings.ToLower(in), "update")
}

func seed1NeighbourNote(s seed1) {
	s.first()
	note := s.send(http.StatusOK, fields{"title": sameTitle, "body": deployBody}).Note
	for _, part := range []string{"similarity", "Read it, then decide", "only if it is your own earlier capture", "different title", "force: true", "409 title_conflict"} {
		require.Contains(s.t, note, part)
	}
	require.Equal(s.t, "unknown", s.send(http.StatusCreated, fields{"title": sameTitle, "body": deployBody, "force": true}).Verdict, "as the note says")
}

func seed1NeighbourIsSilent(s seed1) {
	s.first()
	p := s.send(http.StatusOK, fields{"title": sameTitle, "body": deployBody + " A person signs."})
	require.Equal(s.t, "duplicate", p.Verdict)
	require.True(s.t, *p.ContentDrift && *p.TitleDrift, "the flags are true by construction")
	require.Nil(s.t, p.DriftEventID)
	require.Zero(s.t, s.log.warnings())
	require.Empty(s.t, s.drifts())
	s.send(http.StatusOK, fields{"title": deployTitle, "body": "Other.", "idempotency_key": "k"})
	require.Equal(s.t, 1, s.log.warnings(), "the key's branch does log")
}

func seed1NoSelfExclusion(s seed1) {
	first := s.first()
	own := s.send(http.StatusOK, fields{"title": sameTitle, "body": deployBody})
	require.Equal(s.t, first.Article.ID, own.Article.ID)
	require.Equal(s.t, "acme-agent", own.Article.CreatedBy)
	stranger, err := s.as(wiki.RoleOrchestrator).Propose(s.t.Context(), api.Proposal{Title: sameTitle, Body: text(deployBody), Category: "playbook"})
	require.NoError(s.t, err)
	require.Equal(s.t, first.Article.ID, stranger.Article.ID)
}

func seed1ReportsOnly(s seed1) {
	first := s.first()
	for range 3 {
		s.send(http.StatusOK, fields{"title": "Else", "body": "Something else.", "idempotency_key": "k"})
	}
	require.Equal(s.t, 1, s.articles())
	stands := s.show(first.Article.ID)
	require.Equal(s.t, 1, stands.Version)
	require.Equal(s.t, first.Article.UpdatedAt, stands.UpdatedAt)
	require.Equal(s.t, "published", stands.Status)
}

func seed1Trace(s seed1) {
	first := s.first()
	p := s.send(http.StatusOK, fields{"title": "Else", "body": "Something else.", "idempotency_key": "k"})
	require.Equal(s.t, 1, s.log.warnings())
	require.Contains(s.t, s.log.b.String(), first.Article.ID.String())
	require.NotContains(s.t, s.log.b.String(), "Something else", "no text in the log")
	drifts := s.drifts()
	require.Len(s.t, drifts, 1)
	require.Equal(s.t, *p.DriftEventID, drifts[0].ID)
	require.Equal(s.t, "Something else.", *drifts[0].Body)
}

func seed1Duplicate(s seed1) {
	first := s.first()
	p := s.send(http.StatusOK, fields{"title": sameTitle, "body": deployBody})
	require.Equal(s.t, "duplicate", p.Verdict)
	require.Equal(s.t, first.Article.ID, p.Article.ID)
	require.Equal(s.t, first.Article.ID, p.Neighbour.Article.ID)
	require.GreaterOrEqual(s.t, p.Neighbour.Cosine, 0.97)
	require.Equal(s.t, 1, s.articles())
}

func seed1LowNovelty(s seed1) {
	first := s.first()
	p := s.send(http.StatusCreated, fields{"title": nearTitle, "body": nearBody, "status": "published"})
	require.Equal(s.t, "low_novelty", p.Verdict)
	stored := s.show(p.Article.ID)
	require.Equal(s.t, "draft", stored.Status)
	require.Equal(s.t, first.Article.ID.String(), stored.Metadata["proposal_novelty"].(map[string]any)["neighbour_id"])
}

func seed1Skip(s seed1) {
	first := s.first()
	p := s.send(http.StatusOK, fields{"title": nearTitle, "body": nearBody, "on_low_novelty": "skip"})
	require.Equal(s.t, "skipped_low_novelty", p.Verdict)
	require.Nil(s.t, p.Article)
	require.Equal(s.t, first.Article.ID, p.Neighbour.Article.ID)
	require.Equal(s.t, 1, s.articles())
}

func seed1SkipLast(s seed1) {
	s.first()
	skip := func(more fields) fields {
		f := fields{"title": nearTitle, "body": nearBody, "category": "playbook", "on_low_novelty": "skip"}
		for k, v := range more {
			f[k] = v
		}
		return f
	}
	require.Equal(s.t, "project_id", s.raw(skip(fields{"project_id": uuid.NewString()})).failure(s.t).Field)
	require.Equal(s.t, "deduplicated", s.send(http.StatusOK, skip(fields{"idempotency_key": "k"})).Verdict)
	require.Equal(s.t, "title_conflict", s.raw(skip(fields{"title": deployTitle})).failure(s.t).Code)
	require.Equal(s.t, "category", s.raw(skip(fields{"category": "nonsense"})).failure(s.t).Field)
	require.Equal(s.t, "skipped_low_novelty", s.send(http.StatusOK, skip(nil)).Verdict)
}

func seed1Vanished(s seed1) {
	first := s.first()
	assessor := s.core.Gate.Assessor
	s.core.Gate.Assessor = assess(func(ctx context.Context, actor wiki.Actor, c gate.Candidate) (gate.Assessment, error) {
		found, err := assessor.Assess(ctx, actor, c)
		s.sql("update articles set status = 'draft' where id = $1", first.Article.ID)
		return found, err
	})
	p := s.send(http.StatusCreated, fields{"title": sameTitle, "body": deployBody})
	require.Equal(s.t, "novel", p.Verdict)
}

func seed1Unknown(s seed1) {
	s.first()
	s.down()
	p := s.send(http.StatusCreated, fields{"title": sameTitle, "body": deployBody})
	require.Equal(s.t, "unknown", p.Verdict, "never novel")
	require.Equal(s.t, "published", p.Article.Status)
	require.Nil(s.t, p.Novelty)
}

func seed1Unavailable(s seed1) {
	s.down()
	r := s.raw(fields{"title": deployTitle, "body": deployBody, "category": "playbook", "on_gate_unavailable": "skip"})
	require.Equal(s.t, http.StatusServiceUnavailable, r.StatusCode)
	require.Equal(s.t, "gate_unavailable", r.failure(s.t).Code)
	require.NotEmpty(s.t, r.Header.Get("Retry-After"))
	require.Zero(s.t, s.articles())
}

func seed1Injected(s seed1) {
	first := s.first()
	asked := 0
	s.core.Gate.Assessor = assess(func(_ context.Context, _ wiki.Actor, c gate.Candidate) (gate.Assessment, error) {
		asked++
		near := []gate.Neighbour{{ID: first.Article.ID, Cosine: 0.99}}
		return gate.Assessment{Near: near, Thresholds: wiki.Thresholds{DuplicateAt: 0.97, LowNoveltyAt: 0.88, ConflictAt: 0.93}}, nil
	})
	require.Equal(s.t, "duplicate", s.send(http.StatusOK, fields{"title": "Geese", "body": "Geese fly on Tuesdays."}).Verdict)
	require.Equal(s.t, 1, asked)
}

func seed1TitleConflict(s seed1) {
	first := s.first()
	for _, force := range []bool{false, true} {
		r := s.raw(fields{"title": deployTitle, "body": "Other.", "category": "playbook", "force": force})
		require.Equal(s.t, http.StatusConflict, r.StatusCode)
		require.Equal(s.t, first.Article.ID.String(), r.failure(s.t).Details["existing_article_id"])
	}
}

func seed1LastTwo(s seed1) {
	s.first()
	known := map[string]bool{"duplicate": true, "low_novelty": true, "unknown": true, "novel": true}
	for _, f := range []fields{
		{"title": deployTitle, "body": deployBody, "idempotency_key": "k"},
		{"title": nearTitle, "body": nearBody, "on_low_novelty": "skip"},
	} {
		p := s.send(http.StatusOK, f)
		require.False(s.t, known[p.Verdict], p.Verdict)
		require.False(s.t, p.Created, "what to branch on is created")
	}
}
