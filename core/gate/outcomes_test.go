package gate_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/embedding"
	"wiki/core/gate"
	"wiki/core/record"
	"wiki/core/wiki"
)

func TestNovelIsCreatedAndPublished(t *testing.T) {
	b := newBench(t)
	b.propose(b.ann, proposal("Baking bread", "Flour, water, salt and time."))
	o := b.propose(b.ann, deploy())
	require.Equal(t, gate.Novel, o.Verdict)
	require.True(t, o.Created)
	require.Equal(t, wiki.StatusPublished, o.Article.Status)
	require.Equal(t, *o.Article, b.get(o.Article.ID))
	require.Equal(t, "Baking bread", o.Neighbour.Title)
	require.InDelta(t, 1, *o.Novelty(), 0.3)
	require.Nil(t, o.ContentDrift)
	require.Empty(t, o.Flagged)
	require.Equal(t, 2, b.count("article_embeddings where section = 0"), "the vector is stored with the article")
	require.Equal(t, 1, b.count("audit_log where act = 'article.create' and subject = $1 and detail->>'verdict' = 'novel'", o.Article.ID))
}

func TestFirstArticleOfAllIsNovel(t *testing.T) {
	b := newBench(t)
	o := b.propose(b.ann, deploy())
	require.Equal(t, gate.Novel, o.Verdict)
	require.Nil(t, o.Neighbour)
	require.Nil(t, o.Novelty())
}

func TestDraftWhenAskedForIsStaged(t *testing.T) {
	b := newBench(t)
	p := deploy()
	p.Draft = true
	o := b.propose(b.ann, p)
	require.Equal(t, gate.Novel, o.Verdict)
	require.Equal(t, wiki.StatusDraft, o.Article.Status)
	require.NotNil(t, b.get(o.Article.ID).StagedDraftAt)
}

func TestLowNoveltyIsADraftThatSaysWhy(t *testing.T) {
	b := newBench(t)
	first := b.propose(b.ann, deploy())
	o := b.propose(b.bo, nearDeploy())
	require.Equal(t, gate.LowNovelty, o.Verdict)
	require.True(t, o.Created)
	stored := b.get(o.Article.ID)
	require.Equal(t, wiki.StatusDraft, stored.Status)
	require.Nil(t, stored.StagedDraftAt, "no caller asked for this draft")
	novelty := stored.Metadata[wiki.MetaProposalNovelty].(map[string]any)
	require.Equal(t, first.Article.ID.String(), novelty["neighbour_id"])
	cosine, err := novelty["cosine"].(json.Number).Float64()
	require.NoError(t, err)
	require.InDelta(t, 0.90, cosine, 0.02)
	require.Equal(t, first.Article.ID, o.Neighbour.ID)
}

func TestDuplicateAnswersWithTheNeighbour(t *testing.T) {
	b := newBench(t)
	first := b.propose(b.ann, deploy())
	o := b.propose(b.bo, sameDeploy())
	require.Equal(t, gate.Duplicate, o.Verdict)
	require.False(t, o.Created)
	require.Equal(t, first.Article.ID, o.Article.ID)
	require.Equal(t, 1, b.count("articles"))
	// The flags are what the comparison says, the note sends the caller to read and decide; no warning, no drift event:
	// the article was found by similarity and may be a stranger's.
	require.False(t, *o.ContentDrift)
	require.True(t, *o.TitleDrift)
	require.Contains(t, o.Note, "Read it, then decide")
	require.Contains(t, o.Note, "force: true")
	require.Nil(t, o.DriftEvent)
	require.Empty(t, b.drifts())
	require.Empty(t, b.log.String())
}

func TestUnknownWhenNothingWasCompared(t *testing.T) {
	for name, fail := range map[string]func(b *bench){
		"provider down":   func(b *bench) { b.model.answer = down },
		"wrong dimension": func(b *bench) { b.model.answer = vector([]float32{1, 0}) },
		"no direction":    func(b *bench) { b.model.answer = vector(make([]float32, 384)) },
		"no vector":       func(b *bench) { b.model.answer = func([]string) ([]embedding.Document, error) { return nil, nil } },
		"assessor fails":  func(b *bench) { b.gate.Assessor = fixed{err: wiki.Errorf(wiki.CodeOverloaded, "too busy")} },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.propose(b.ann, proposal("Baking bread", "Flour, water, salt and time."))
			fail(&b)
			o := b.propose(b.ann, deploy())
			require.Equal(t, gate.Unknown, o.Verdict, "never novel")
			require.True(t, o.Created)
			require.NotEmpty(t, o.Unavailable)
			require.Equal(t, wiki.StatusPublished, o.Article.Status)
			require.Equal(t, 1, b.count("embedding_pending where article_id = $1", o.Article.ID))

			p := proposal("Another", "Another text.")
			p.OnGateUnavailable = gate.OnGateUnavailableSkip
			e := b.refuse(b.ann, p, wiki.CodeGateUnavailable)
			require.Positive(t, e.RetryAfter)
		})
	}
}

func vector(v []float32) func([]string) ([]embedding.Document, error) {
	return func([]string) ([]embedding.Document, error) { return []embedding.Document{{Whole: v}}, nil }
}

func TestDeduplicatedByIdempotencyKey(t *testing.T) {
	b := newBench(t)
	p := deploy()
	p.IdempotencyKey = "harvest:1"
	first := b.propose(b.ann, p)
	again := b.propose(b.bo, p)
	require.Equal(t, gate.Deduplicated, again.Verdict)
	require.False(t, again.Created)
	require.Equal(t, first.Article.ID, again.Article.ID)
	require.False(t, *again.ContentDrift)
	require.False(t, *again.TitleDrift)
	require.Nil(t, again.DriftEvent)
	require.Empty(t, b.log.String())
	// The key answers whatever became of the article: a harvest must not bring back what was archived.
	b.exec("update articles set status = 'archived'")
	require.Equal(t, gate.Deduplicated, b.propose(b.ann, p).Verdict)
}

func TestDeduplicatedByTitleAndText(t *testing.T) {
	b := newBench(t)
	first := b.propose(b.ann, deploy())
	for _, body := range []string{deployBody, deployBody + " \r\n", "\n" + deployBody} {
		o := b.propose(b.bo, proposal(" "+deployTitle, body))
		require.Equal(t, gate.Deduplicated, o.Verdict)
		require.Equal(t, first.Article.ID, o.Article.ID)
		require.False(t, *o.ContentDrift || *o.TitleDrift)
	}
}

func TestTitleConflictNamesTheExistingArticle(t *testing.T) {
	b := newBench(t)
	first := b.propose(b.ann, deploy())
	p := proposal(deployTitle, "Something else altogether.")
	for _, p.Force = range []bool{false, true} { // force bypasses the gate, not the title
		e := b.refuse(b.bo, p, wiki.CodeTitleConflict)
		require.Equal(t, first.Article.ID, e.Details["existing_article_id"])
	}
}

func TestSkippedLowNoveltyCreatesNothing(t *testing.T) {
	b := newBench(t)
	first := b.propose(b.ann, deploy())
	p := nearDeploy()
	p.OnLowNovelty = gate.OnLowNoveltySkip
	o := b.propose(b.bo, p)
	require.Equal(t, gate.SkippedLowNovelty, o.Verdict)
	require.False(t, o.Created)
	require.Nil(t, o.Article)
	require.Equal(t, first.Article.ID, o.Neighbour.ID)
	require.Equal(t, 1, b.count("articles"))
}

// The skip is decided last: a bad project, a known key and a taken title are answered as ever.
func TestSkipIsDecidedLast(t *testing.T) {
	b := newBench(t)
	b.propose(b.ann, deploy())
	keyed := proposal("Keyed", "A text about geese and ganders.")
	keyed.IdempotencyKey = "k"
	b.propose(b.ann, keyed)
	skip := nearDeploy()
	skip.OnLowNovelty = gate.OnLowNoveltySkip

	project := uuid.New()
	p := skip
	p.Project = &project
	require.Equal(t, "project_id", b.refuse(b.ann, p, wiki.CodeInvalid).Field)
	p = skip
	p.IdempotencyKey = "k"
	require.Equal(t, gate.Deduplicated, b.propose(b.ann, p).Verdict)
	p = skip
	p.Title = deployTitle
	b.refuse(b.ann, p, wiki.CodeTitleConflict)
	// And one whose capture came to stand while it was compared.
	b.gate.Assessor = fixed{
		assessment: gate.Assessment{Near: []gate.Neighbour{{ID: b.propose(b.ann, deploy()).Article.ID, Cosine: 0.9}}, Thresholds: gateLines},
		before: func() {
			other := b.gate
			other.Assessor = fixed{assessment: gate.Assessment{Thresholds: gateLines}}
			_, err := other.Propose(t.Context(), b.bo, nearDeploy())
			require.NoError(t, err)
		},
	}
	require.Equal(t, gate.Deduplicated, b.propose(b.ann, skip).Verdict)
}

// The order of checks: the project, then the key, then validation, then the title.
func TestOrderOfChecks(t *testing.T) {
	b := newBench(t)
	p := deploy()
	p.IdempotencyKey = "k"
	b.propose(b.ann, p)
	project := uuid.New()

	invalid := gate.Proposal{IdempotencyKey: "k", Category: "nonsense", Project: &project}
	require.Equal(t, "project_id", b.refuse(b.ann, invalid, wiki.CodeInvalid).Field)
	invalid.Project = nil
	require.Equal(t, gate.Deduplicated, b.propose(b.ann, invalid).Verdict, "the key is looked up before validation")
	invalid.IdempotencyKey, invalid.Title = "", deployTitle
	require.Equal(t, "body", b.refuse(b.ann, invalid, wiki.CodeInvalid).Field)
	invalid.Body = text("Other.")
	require.Equal(t, "category", b.refuse(b.ann, invalid, wiki.CodeInvalid).Field, "validation comes before the title")
}

func TestForceCreatesANearDuplicateAndFlagsIt(t *testing.T) {
	b := newBench(t)
	first := b.propose(b.ann, deploy())
	p := sameDeploy()
	p.Force = true
	o := b.propose(b.bo, p)
	require.Equal(t, gate.Unknown, o.Verdict)
	require.True(t, o.Created)
	require.Equal(t, wiki.StatusPublished, o.Article.Status)
	require.Equal(t, []uuid.UUID{first.Article.ID}, o.Flagged, "two published articles at the conflict line")
	require.Equal(t, 1, b.count("conflict_flags where system and differing = '[]'"))
}

// A duplicate that vanished between assessing and answering is none: the proposal is created.
func TestVanishedNeighbourIsCreated(t *testing.T) {
	b := newBench(t)
	first := b.propose(b.ann, deploy())
	for name, vanish := range map[string]string{
		"unpublished": "update articles set status = 'draft' where id = $1",
		"suppressed":  "update articles set status = 'published', suppressed_at = now(), suppressed_by = 'x', suppression_reason = 'x' where id = $1",
		"deleted":     "delete from articles where id = $1",
	} {
		b.exec("update articles set status = 'published', suppressed_at = null, suppressed_by = null, suppression_reason = null where id = $1", first.Article.ID)
		if b.count("articles where id = $1", first.Article.ID) == 0 {
			first = b.propose(b.ann, deploy())
		}
		b.gate.Assessor = fixed{
			assessment: gate.Assessment{Near: []gate.Neighbour{{ID: first.Article.ID, Cosine: 0.99}}, Thresholds: gateLines},
			before:     func() { b.exec(vanish, first.Article.ID) },
		}
		o := b.propose(b.bo, proposal("Deploying, "+name, deployBody))
		require.Equal(t, gate.Novel, o.Verdict, name)
		require.True(t, o.Created, name)
		b.gate.Assessor = gate.Nearest{DB: b.db, Embedder: b.model}
	}
}

func TestInvalidProposalsNameTheField(t *testing.T) {
	b := newBench(t)
	for field, spoil := range map[string]func(p *gate.Proposal){
		"title":               func(p *gate.Proposal) { p.Title = "a\x00b" },
		"body":                func(p *gate.Proposal) { p.Body = wiki.SubmittedBody{Present: true} },
		"category":            func(p *gate.Proposal) { p.Category = "convention" },
		"tags":                func(p *gate.Proposal) { p.Tags = []string{"a\n"} },
		"source_type":         func(p *gate.Proposal) { p.SourceType = "x" },
		"idempotency_key":     func(p *gate.Proposal) { p.IdempotencyKey = "k\x00" },
		"metadata":            func(p *gate.Proposal) { p.Metadata = json.RawMessage(`[]`) },
		"on_low_novelty":      func(p *gate.Proposal) { p.OnLowNovelty = "x" },
		"on_gate_unavailable": func(p *gate.Proposal) { p.OnGateUnavailable = "x" },
	} {
		p := deploy()
		spoil(&p)
		require.Equal(t, field, b.refuse(b.ann, p, wiki.CodeInvalid).Field)
	}
	p := deploy()
	p.Tags = []string{"idem-url-XYZ"}
	require.NotEmpty(t, b.refuse(b.ann, p, wiki.CodeReservedTag).Remedy)
	require.Zero(t, b.model.calls.Load(), "nothing is embedded for a proposal that cannot stand")
}

// The vector is computed once; one that the caller made of the same text is used, one of another text is not.
func TestVectorIsComputedOnce(t *testing.T) {
	b := newBench(t)
	o := b.propose(b.ann, deploy())
	require.EqualValues(t, 1, b.model.calls.Load())
	require.Equal(t, 1, b.count("article_embeddings where article_id = $1 and content_hash = $2", o.Article.ID, o.Article.ContentHash))
	ready, err := record.Embed(t.Context(), b.model.Embedder, portTitle, portBody)
	require.NoError(t, err)
	p := proposal(portTitle, portBody)
	p.Vector = ready
	b.propose(b.ann, p)
	require.EqualValues(t, 1, b.model.calls.Load())
	p = proposal("Geese", "A text about geese.")
	p.Vector = ready
	require.Equal(t, gate.Novel, b.propose(b.ann, p).Verdict)
	require.EqualValues(t, 2, b.model.calls.Load())
}
