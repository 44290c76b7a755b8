package gate_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"wiki/core/articles"
	"wiki/core/gate"
	"wiki/core/record"
	"wiki/core/wiki"
)

// Acceptance cases from public bug reports; the number is the report's, the expected value the right behaviour.

func TestCase01_IdenticalTextIsAnsweredWithTheFirstId(t *testing.T) {
	b := newBench(t)
	first := b.propose(b.ann, deploy())
	b.gate.Assessor = fixed{err: wiki.Errorf(wiki.CodeSemanticDown, "down")} // the hash hits before anything else
	require.Equal(t, first.Article.ID, b.propose(b.bo, deploy()).Article.ID)
	require.Equal(t, 1, b.count("articles"))
}

func TestCase02_ReplayLoopMakesNoCopiesAndIsCounted(t *testing.T) {
	b := newBench(t)
	for range 20 {
		for i := range 3 {
			p := proposal(fmt.Sprint("Memory ", i), fmt.Sprintf("Memory number %d of the loop.", i))
			if p.Force = true; i == 0 {
				p.IdempotencyKey = "loop"
			}
			b.propose(b.ann, p)
		}
	}
	require.Equal(t, 3, b.count("articles"))
	require.Equal(t, 57, b.counted("deduplicated"))
}

func (b bench) counted(outcome string) (n int) {
	b.t.Helper()
	counts, _, err := articles.Reader{DB: b.db}.WriteCounts(b.t.Context(), b.user, 1)
	require.NoError(b.t, err)
	for _, c := range counts {
		if c.Outcome == outcome {
			n += c.Writes
		}
	}
	return n
}

func TestCase04_OldDuplicatesDoNotStopTheGate(t *testing.T) {
	b := newBench(t)
	var oldest gate.Outcome
	for i, title := range []string{"One", "Two"} {
		p := proposal(title, deployBody)
		p.Force = true
		if o := b.propose(b.ann, p); i == 0 {
			oldest = o
		}
	}
	b.exec("update articles set content_hash = $1", wiki.ContentHash("Three", deployBody))
	o := b.propose(b.ann, proposal("Three", deployBody))
	require.Equal(t, gate.Duplicate, o.Verdict)
	require.Equal(t, oldest.Article.ID, o.Article.ID)
}

func TestCase07_SameTitleIsFoundWithoutVectors(t *testing.T) {
	b := newBench(t)
	b.gate.Assessor = fixed{assessment: gate.Assessment{Thresholds: gateLines}} // nothing is near
	first := b.propose(b.ann, proposal("Café WAL", "The write-ahead log."))
	for _, title := range []string{"Café WAL", " Café WAL\n", norm.NFD.String("Café WAL")} {
		e := b.refuse(b.bo, proposal(title, "An acronym that no vector understands."), wiki.CodeTitleConflict)
		require.Equal(t, first.Article.ID, e.Details["existing_article_id"])
	}
}

func TestCase08_OneFactInTwoFormatsMakesOnePublishedArticle(t *testing.T) {
	b := newBench(t)
	p := deploy()
	p.IdempotencyKey = "session:1"
	first := b.propose(b.ann, p)
	hook := nearDeploy()
	require.Equal(t, gate.LowNovelty, b.propose(b.bo, hook).Verdict, "the near lane sees it")
	hook.Title, hook.IdempotencyKey = "Yet another", "session:1"
	require.Equal(t, first.Article.ID, b.propose(b.bo, hook).Article.ID, "the capture key does too")
	require.Equal(t, 1, b.count("articles where status = 'published'"))
}

func TestCase10_TheOutcomeSaysWhatHappened(t *testing.T) {
	b := newBench(t)
	skip := nearDeploy()
	skip.OnLowNovelty = gate.OnLowNoveltySkip
	for i, p := range []gate.Proposal{deploy(), deploy(), sameDeploy(), skip, nearDeploy()} {
		before := b.count("articles")
		o := b.propose(b.ann, p)
		require.Equal(t, o.Created, b.count("articles") == before+1, "%d: %s", i, o.Verdict)
		require.Equal(t, !o.Created, strings.HasPrefix(o.Note, "Nothing was created"), o.Note)
	}
}

func TestCase11_NoveltyIsMeasuredBeforeAcceptance(t *testing.T) {
	b := newBench(t)
	for i := range 12 {
		b.propose(b.ann, proposal(fmt.Sprintf("How we deploy, take %c", 'a'+i), deployBody+strings.Repeat(" So it is.", i%4)))
	}
	require.Equal(t, 1, b.count("articles where status = 'published'"))
}

func TestCase13_NearTextsAboutDifferentThingsAreKeptAndQueued(t *testing.T) {
	b := newBench(t)
	const pattern = "Pull request #%d of the payments service was merged after two reviews; it retries failed calls."
	first := b.propose(b.ann, proposal("PR 1841", fmt.Sprintf(pattern, 1841)))
	o := b.propose(b.bo, proposal("PR 1842", fmt.Sprintf(pattern, 1842)))
	require.Equal(t, gate.LowNovelty, o.Verdict)
	require.Contains(t, o.Flagged, first.Article.ID)
	plan := b.propose(b.bo, proposal("PR 1841 plan", strings.Replace(fmt.Sprintf(pattern, 1841), "was merged", "was not merged", 1)))
	require.True(t, plan.Created)
}

func TestCase14_DecisionsOfOnePatternAreBothKept(t *testing.T) {
	b := newBench(t)
	first := b.propose(b.ann, proposal("Decision on the queue", "We decided to use PostgreSQL 15 for the queue because the team knows it."))
	o := b.propose(b.bo, proposal("Decision on the cache", "We decided to use Redis 7 for the cache because the team knows it."))
	require.True(t, o.Created)
	require.Equal(t, first.Article.Body, b.get(first.Article.ID).Body, "and neither is overwritten")
}

// noQueries is a model that is never asked for a query's vector.
type noQueries struct{ *counting }

func (noQueries) EmbedQuery(context.Context, string) ([]float32, error) {
	panic("the gate compares texts with texts")
}

func TestCase16_BothSidesAreEncodedInOneRole(t *testing.T) {
	b := newBench(t)
	model := noQueries{b.model}
	b.gate.Assessor, b.gate.Record.Embedder = gate.Nearest{DB: b.db, Embedder: model}, model
	b.propose(b.ann, deploy())
	b.exec("update articles set title = 'Moved', content_hash = 'x'") // neither title nor hash tells now
	o := b.propose(b.bo, deploy())
	require.Equal(t, gate.Duplicate, o.Verdict)
	require.InDelta(t, 1, float64(o.Neighbour.Cosine), 0.001)
}

func TestCase17_AContradictionOverwritesNothing(t *testing.T) {
	b := newBench(t)
	first := b.propose(b.ann, deploy())
	o := b.propose(b.bo, proposal("Deploys", strings.Replace(deployBody, "We deploy", "We do not deploy", 1)))
	require.True(t, o.Created)
	stands := b.get(first.Article.ID)
	require.Equal(t, deployBody, stands.Body)
	require.Equal(t, 1, stands.Version)
	require.Equal(t, wiki.StatusPublished, stands.Status)
}

// The gate can read a cosine and nothing else: a fused score is another type and does not compile (case 23).
func TestCase23_TheGateReadsCosines(t *testing.T) {
	t.Parallel()
	require.Equal(t, reflect.TypeFor[wiki.Cosine](), reflect.TypeFor[gate.Neighbour]().Field(1).Type)
	require.False(t, reflect.TypeFor[wiki.Scored]().Field(1).Type.AssignableTo(reflect.TypeFor[wiki.Cosine]()), "a fused score")
}

func TestCase25_BothSidesOfAContradictionStayAndGoToTheQueue(t *testing.T) {
	b := newBench(t)
	first := b.propose(b.ann, proposal(portTitle, portBody))
	o := b.propose(b.bo, proposal("Proxy port, new", strings.Replace(portBody, "8080", "8081", 1)))
	require.True(t, o.Created)
	require.Equal(t, 2, b.count("articles where status in ('published', 'draft')"))
	require.Contains(t, o.Flagged, first.Article.ID)
	require.Equal(t, 1, b.count("conflict_flags where system"))
}

func TestCase28_ACorrectionIsInPlace(t *testing.T) {
	b := newBench(t)
	first := b.propose(b.ann, deploy())
	body := strings.Replace(deployBody, "Tuesdays", "Fridays", 1)
	changed, err := b.gate.Record.Update(t.Context(), b.bo, first.Article.ID, 0, record.Patch{Body: &body}, "")
	require.NoError(t, err)
	require.Equal(t, first.Article.ID, changed.ID)
	require.Equal(t, 1, b.count("articles"), "the old memory is not active beside it")
	require.Equal(t, 1, b.count("article_versions where body = $1", deployBody), "and not lost")
}

func TestCase29_WhoWroteItIsTheServersWord(t *testing.T) {
	b := newBench(t)
	p := deploy()
	p.SourceType = "manual"
	p.Metadata = metadata(map[string]any{"created_by": "the user", "trust": "user said", "curated_by": "x"})
	stored := b.get(b.propose(b.ann, p).Article.ID)
	require.Equal(t, "ann", stored.CreatedBy.Principal)
	require.Equal(t, "agent", stored.CreatedBy.Role)
	require.Nil(t, stored.CuratedAt)
}

func TestCase73_LineEndsMakeNoSecondArticleAndStayAsGiven(t *testing.T) {
	b := newBench(t)
	crlf := "# Head\r\n\r\nOne line.\r\n"
	first := b.propose(b.ann, proposal("Lines", crlf))
	require.Equal(t, crlf, b.get(first.Article.ID).Body)
	o := b.propose(b.ann, proposal("Lines", strings.ReplaceAll(crlf, "\r\n", "\n")))
	require.Equal(t, gate.Deduplicated, o.Verdict)
	require.False(t, *o.ContentDrift)
}

func TestCase76_ATakenSlugIsAnErrorAndOverwritesNothing(t *testing.T) {
	b := newBench(t)
	first := b.propose(b.ann, deploy())
	p := proposal("Geese", "Geese fly south.")
	p.Slug = b.get(first.Article.ID).Slug
	require.Equal(t, "slug", b.refuse(b.bo, p, wiki.CodeInvalid).Field)
	require.Equal(t, deployTitle, b.get(first.Article.ID).Title)
	require.Equal(t, 1, b.get(first.Article.ID).Version)
}

func TestCase77_ALongTextIsSplitAndNotRefused(t *testing.T) {
	b := newBench(t)
	long := strings.Repeat("A sentence without a break goes on and on", 200)
	o := b.propose(b.ann, proposal("Long", long))
	require.True(t, o.Created)
	require.Greater(t, b.count("article_embeddings where article_id = $1", o.Article.ID), 2)
}
