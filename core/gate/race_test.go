package gate_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"wiki/core/gate"
	"wiki/core/wiki"
)

const racers = 100

type answer struct {
	outcome gate.Outcome
	err     error
}

// race sends proposals at once and gives the answers.
func (b bench) race(propose func(i int) gate.Proposal) []answer {
	answers := make([]answer, racers)
	start := make(chan struct{})
	var group errgroup.Group
	for i := range answers {
		group.Go(func() error {
			<-start
			answers[i].outcome, answers[i].err = b.gate.Propose(b.t.Context(), b.ann, propose(i))
			return nil
		})
	}
	close(start)
	require.NoError(b.t, group.Wait())
	return answers
}

// Identical proposals at once make one article; everyone else hears that it stands (cases 1, 4, 5).
func TestCase05_IdenticalProposalsAtOnceMakeOneArticle(t *testing.T) {
	b := newBench(t)
	created := map[uuid.UUID]int{}
	named := map[uuid.UUID]int{}
	for _, a := range b.race(func(int) gate.Proposal { return deploy() }) {
		require.NoError(t, a.err)
		named[a.outcome.Article.ID]++
		if a.outcome.Created {
			created[a.outcome.Article.ID]++
			continue
		}
		require.Equal(t, gate.Deduplicated, a.outcome.Verdict)
		require.False(t, *a.outcome.ContentDrift || *a.outcome.TitleDrift)
	}
	require.Len(t, created, 1)
	require.Equal(t, map[uuid.UUID]int{one(named): 1}, created)
	require.Equal(t, 1, b.count("articles"))
	require.Equal(t, 1, b.count("audit_log"))
	require.Equal(t, 1, b.count("article_embeddings"))
}

func one(set map[uuid.UUID]int) (id uuid.UUID) {
	for id = range set {
	}
	return id
}

// One capture key, other texts: one article, and what the others said is kept as drift.
func TestOneKeyAtOnceMakesOneArticle(t *testing.T) {
	b := newBench(t)
	created := 0
	for _, a := range b.race(func(i int) gate.Proposal {
		return keyed(fmt.Sprintf("Title %d", i), text(fmt.Sprintf("Text number %d.", i)))
	}) {
		require.NoError(t, a.err)
		if a.outcome.Created {
			created++
			continue
		}
		require.Equal(t, gate.Deduplicated, a.outcome.Verdict)
		require.True(t, *a.outcome.ContentDrift && *a.outcome.TitleDrift)
		require.NotNil(t, a.outcome.DriftEvent)
	}
	require.Equal(t, 1, created)
	require.Equal(t, 1, b.count("articles"))
	require.Equal(t, racers-1, b.count("drift_events"))
}

// One title, other texts: one article, and everyone else is told which one holds the title.
func TestOneTitleAtOnceMakesOneArticle(t *testing.T) {
	b := newBench(t)
	created, conflicts := uuid.Nil, map[any]int{}
	for _, a := range b.race(func(i int) gate.Proposal { return proposal(deployTitle, fmt.Sprintf("Text number %d.", i)) }) {
		if a.err == nil {
			require.True(t, a.outcome.Created)
			require.Equal(t, uuid.Nil, created)
			created = a.outcome.Article.ID
			continue
		}
		var e *wiki.Error
		require.ErrorAs(t, a.err, &e)
		require.Equal(t, wiki.CodeTitleConflict, e.Code)
		conflicts[e.Details["existing_article_id"]]++
	}
	require.Equal(t, map[any]int{created: racers - 1}, conflicts)
}
