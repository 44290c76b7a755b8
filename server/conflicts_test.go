package server_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server/api"
)

// dispute makes two articles and an asserted conflict between them.
func (w *world) dispute() api.Conflict {
	w.tb.Helper()
	return w.disputeOf("The server listens on port 8080", "The logo is blue with a white stripe")
}

func (w *world) disputeOf(first, second string) api.Conflict {
	w.tb.Helper()
	a := w.propose(wiki.RoleOrchestrator, first, "On this page: "+first+".")
	b := w.propose(wiki.RoleOrchestrator, second, "On that page: "+second+".")
	c, err := w.as(wiki.RoleAgent).Assert(w.tb.Context(), api.NewAssertion{FirstID: a.ID, SecondID: b.ID, Evidence: "they disagree"}, "")
	require.NoError(w.tb, err)
	return c
}

func TestConflictIsJudgedOnceAndUndone(t *testing.T) {
	t.Parallel()
	w := start(t)
	ctx, user := t.Context(), w.as(wiki.RoleUser)
	c := w.dispute()
	queue, meta, err := user.Conflicts(ctx, api.ConflictQuery{})
	require.NoError(t, err)
	require.Len(t, queue, 1)
	require.Equal(t, 1, meta.Counts["open"])
	pair, err := user.Pair(ctx, c.ID)
	require.NoError(t, err)
	require.NotNil(t, pair.First.Body)

	verdict := api.NewVerdict{FirstID: pair.First.ID, SecondID: pair.Second.ID, Disposition: "dismiss", SeenFirst: 1, SeenSecond: 1}
	_, err = w.as(wiki.RoleAgent).Judge(ctx, verdict, "x")
	require.Equal(t, wiki.CodeSelfAsserted, wiki.ErrorCode(err))
	first, err := user.Judge(ctx, verdict, "key-1")
	require.NoError(t, err)
	again, err := user.Judge(ctx, verdict, "key-1")
	require.NoError(t, err)
	require.Equal(t, first.ID, again.ID)
	queue, _, err = user.Conflicts(ctx, api.ConflictQuery{})
	require.NoError(t, err)
	require.Empty(t, queue)

	log, _, err := user.Verdicts(ctx, api.VerdictQuery{Mine: true, State: "undoable"})
	require.NoError(t, err)
	require.Len(t, log, 1)
	require.Equal(t, "withdraw", log[0].Undo)
	_, err = user.Withdraw(ctx, first.ID, "key-2")
	require.NoError(t, err)
	queue, _, err = user.Conflicts(ctx, api.ConflictQuery{State: "open"})
	require.NoError(t, err)
	require.Len(t, queue, 1)
}

func TestSupersedeIsExecutedAndReverted(t *testing.T) {
	t.Parallel()
	w := start(t)
	ctx, user := t.Context(), w.as(wiki.RoleUser)
	c := w.dispute()
	keep := c.First.ID
	v, err := user.Judge(ctx, api.NewVerdict{
		FirstID: c.First.ID, SecondID: c.Second.ID, Disposition: "supersede", Confidence: "high",
		Authoritative: &keep, Evidence: "the first is newer",
	}, "k")
	require.NoError(t, err)
	require.True(t, v.Executable)
	done, err := user.Execute(ctx, "")
	require.NoError(t, err)
	require.Equal(t, 1, done.Executed, done)
	loser, err := user.Article(ctx, c.Second.ID)
	require.NoError(t, err)
	require.Equal(t, "superseded", loser.Status)
	_, err = user.Revert(ctx, v.ID, "")
	require.NoError(t, err)
	loser, err = user.Article(ctx, c.Second.ID)
	require.NoError(t, err)
	require.Equal(t, "published", loser.Status)
}

func TestClaims(t *testing.T) {
	t.Parallel()
	w := start(t)
	ctx := t.Context()
	c := w.dispute()
	claim, err := w.as(wiki.RoleUser).Claim(ctx, c.ID)
	require.NoError(t, err)
	require.True(t, claim.Mine)
	_, err = w.as(wiki.RoleOrchestrator).Claim(ctx, c.ID)
	require.Equal(t, wiki.CodeClaimed, wiki.ErrorCode(err))
	require.NoError(t, w.as(wiki.RoleUser).Release(ctx, c.ID))
	_, err = w.as(wiki.RoleOrchestrator).Claim(ctx, c.ID)
	require.NoError(t, err)
	for _, id := range []string{"x", "a.b", uuid.NewString(), uuid.NewString() + "." + uuid.NewString()} {
		require.Equal(t, http.StatusNotFound, w.send("GET /api/v1/knowledge/conflicts/"+id, w.keys[wiki.RoleUser], "").StatusCode, id)
	}
}

func TestQueueByAge(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.dispute()
	user := w.as(wiki.RoleUser)
	young, meta, err := user.Conflicts(t.Context(), api.ConflictQuery{MaxAgeHours: 1})
	require.NoError(t, err)
	require.Len(t, young, 1)
	require.Equal(t, 1, meta.Counts["open"])
	old, meta, err := user.Conflicts(t.Context(), api.ConflictQuery{MinAgeHours: 1})
	require.NoError(t, err)
	require.Empty(t, old)
	require.Zero(t, meta.Counts["open"])
	for _, q := range []api.ConflictQuery{{MinAgeHours: -1}, {MaxAgeHours: 87_601}} {
		_, _, err = user.Conflicts(t.Context(), q)
		require.Equal(t, wiki.CodeInvalidParameter, wiki.ErrorCode(err))
	}
}

// A place in the queue belongs to the filter that it was made for.
func TestACursorOfTheQueueKeepsItsAge(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.disputeOf("Gulls nest on the old pier", "Trains leave at noon")
	w.disputeOf("Bread is baked before dawn", "The tax form has nine pages")
	user := w.as(wiki.RoleUser)
	q := api.ConflictQuery{MaxAgeHours: 1, Limit: 1}
	first, meta, err := user.Conflicts(t.Context(), q)
	require.NoError(t, err)
	require.NotEmpty(t, meta.NextCursor)
	q.Cursor = meta.NextCursor
	second, _, err := user.Conflicts(t.Context(), q)
	require.NoError(t, err)
	require.Len(t, second, 1)
	require.NotEqual(t, first[0].ID, second[0].ID)
	q.MaxAgeHours = 2
	_, _, err = user.Conflicts(t.Context(), q)
	require.Equal(t, wiki.CodeInvalidParameter, wiki.ErrorCode(err))
}

// The numbers of case 85, as a dashboard reads them.
func TestCase85StatsSayHowTheQueueAges(t *testing.T) {
	t.Parallel()
	w := start(t)
	user := w.as(wiki.RoleUser)
	stats, err := user.Stats(t.Context())
	require.NoError(t, err)
	require.Equal(t, api.QueueAge{}, *stats.Conflicts)
	c := w.dispute()
	stats, err = user.Stats(t.Context())
	require.NoError(t, err)
	require.Equal(t, [2]int{1, 1}, [2]int{stats.Conflicts.Open, stats.Conflicts.Intake})
	require.Equal(t, c.FlaggedAt, *stats.Conflicts.Oldest)
	_, err = user.Judge(t.Context(), api.NewVerdict{FirstID: c.First.ID, SecondID: c.Second.ID, Disposition: "dismiss"}, "")
	require.NoError(t, err)
	stats, err = user.Stats(t.Context())
	require.NoError(t, err)
	require.Equal(t, api.QueueAge{Intake: 1}, *stats.Conflicts)
}

func TestSavedViewsOfTheQueue(t *testing.T) {
	t.Parallel()
	w := start(t)
	ctx, user := t.Context(), w.as(wiki.RoleUser)
	w.dispute()
	filter := api.ConflictQuery{
		State: "open", Kind: "asserted", Category: "reference", MaxSimilarity: 1, By: "acme-agent", MaxAgeHours: 24, Sort: "newest",
	}
	made, err := user.SaveConflictView(ctx, api.NewConflictView{Name: "Disputes of to-day", Filter: filter})
	require.NoError(t, err)
	require.Equal(t, filter, made.Filter)
	views, err := user.ConflictViews(ctx)
	require.NoError(t, err)
	require.Equal(t, []api.ConflictView{made}, views)
	queue, _, err := user.Conflicts(ctx, views[0].Filter)
	require.NoError(t, err)
	require.Len(t, queue, 1)

	others, err := w.as(wiki.RoleAgent).ConflictViews(ctx)
	require.NoError(t, err)
	require.Empty(t, others)
	require.Equal(t, wiki.CodeNotFound, wiki.ErrorCode(w.as(wiki.RoleAgent).DeleteConflictView(ctx, made.Name)))
	require.NoError(t, user.DeleteConflictView(ctx, made.Name))
	require.Equal(t, wiki.CodeNotFound, wiki.ErrorCode(user.DeleteConflictView(ctx, made.Name)))

	for body, field := range map[string]string{
		`{"name":"","filter":{}}`: "name", `{"name":"x","filter":{"kind":"x"}}`: "filter.kind", `{"name":"x","filter":{"limit":7}}`: "filter.limit",
		`{"name":"x","filter":{"min_age_hours":9999999999}}`: "filter.min_age_hours", `{"name":"x","filter":{"max_similarity":7}}`: "filter.max_similarity",
		`{"name":"x","filter":[]}`: "filter",
	} {
		e := w.send("PUT /api/v1/knowledge/conflicts/views", w.keys[wiki.RoleUser], body).failure(t)
		require.Equal(t, field, e.Field, body)
	}
}

func TestGroupsOfTheQueue(t *testing.T) {
	t.Parallel()
	w := start(t)
	ctx, user := t.Context(), w.as(wiki.RoleUser)
	c := w.dispute()
	other := w.propose(wiki.RoleOrchestrator, "Trains leave at noon", "On the third page: the trains of the north line leave at noon.")
	_, err := w.as(wiki.RoleAgent).Assert(ctx, api.NewAssertion{FirstID: c.First.ID, SecondID: other.ID, Evidence: "they disagree"}, "")
	require.NoError(t, err)
	groups, meta, err := user.ConflictGroups(ctx, api.ConflictQuery{Limit: 5})
	require.NoError(t, err)
	require.Empty(t, meta.NextCursor)
	require.Len(t, groups, 1)
	require.Equal(t, api.ArticleRef{ID: c.First.ID, Title: c.First.Title}, groups[0].Article)
	require.Equal(t, 2, groups[0].Pairs)
	pairs, _, err := user.Conflicts(ctx, api.ConflictQuery{ArticleID: &other.ID})
	require.NoError(t, err)
	require.Len(t, pairs, 1)
	view, err := user.SaveConflictView(ctx, api.NewConflictView{Name: "trains", Filter: api.ConflictQuery{ArticleID: &other.ID}})
	require.NoError(t, err)
	require.Equal(t, other.ID, *view.Filter.ArticleID)
	pairs, _, err = user.Conflicts(ctx, view.Filter)
	require.NoError(t, err)
	require.Len(t, pairs, 1)
	for _, query := range []string{"article_id=x", "sort=y&state=z", "cursor=" + "abc"} {
		r := w.send("GET /api/v1/knowledge/conflicts/groups?"+query, w.keys[wiki.RoleUser], "")
		require.Equal(t, string(wiki.CodeInvalidParameter), r.failure(t).Code, query)
	}
}
