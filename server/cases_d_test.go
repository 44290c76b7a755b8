package server_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core"
	"wiki/core/embedding"
	"wiki/core/postgres/pgtest"
	"wiki/server/api"
)

// superseding records a verdict that one article replaces another, by a user who is believed, and gives the answer.
func (w *world) superseding(winner, loser uuid.UUID) reply {
	w.tb.Helper()
	_, err := w.as(agent).Assert(w.tb.Context(), api.NewAssertion{FirstID: winner, SecondID: loser, Evidence: "they disagree"}, "")
	require.NoError(w.tb, err)
	raw, err := json.Marshal(api.NewVerdict{
		FirstID: winner, SecondID: loser, Disposition: "supersede", Confidence: "high", Authoritative: &winner, Evidence: "it was measured again",
	})
	require.NoError(w.tb, err)
	r := w.send("POST /api/v1/knowledge/conflicts/resolve", w.keys[user], string(raw))
	require.Equal(w.tb, http.StatusOK, r.StatusCode, r.body)
	return r
}

func (w *world) executed(verdicts int) {
	w.tb.Helper()
	done, err := w.as(user).Execute(w.tb.Context(), "")
	require.NoError(w.tb, err)
	require.Equal(w.tb, verdicts, done.Executed, done)
}

// Case 31: a verdict lived in four records and its refutation reached one: who supersedes an article is shown the others that
// make its claim and live on.
func TestCase31SupersedingShowsTheNearDuplicatesThatLiveOn(t *testing.T) {
	t.Parallel()
	w := start(t)
	const claim = "The turnstile at the north gate opens for visitors with a paper ticket. The guard checks the date on it."
	loser := w.page(agent, "Turnstile", claim)
	copies := []uuid.UUID{w.page(agent, "Turnstile of the north gate", claim+" Once."), w.page(agent, "The north turnstile", claim+" Twice.")}
	winner := w.page(user, "North gate", "Paper tickets are not taken any more; visitors show a code on their phone.")
	retired := w.page(agent, "Turnstiles", claim)
	_, err := w.as(agent).Archive(t.Context(), retired, "")
	require.NoError(t, err)
	var answer struct {
		Meta struct {
			StillLive []api.NearArticle `json:"still_live"`
		} `json:"meta"`
	}
	r := w.superseding(winner, loser)
	require.NoError(t, json.Unmarshal([]byte(r.body), &answer))
	var live []uuid.UUID
	for _, near := range answer.Meta.StillLive {
		live = append(live, near.ID)
	}
	require.ElementsMatch(t, copies, live, "not what replaces it, not what is archived, and not itself: %s", r.body)
}

// Cases 32 and 37: a reworded contradiction left the superseded value in a lane, and a flag that excludes superseded ones was
// ignored by some reads: no read that chooses what to show offers one, with the embedder and without it.
func TestCase32And37NoReadOffersWhatIsSuperseded(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	p.Close() // nothing answers there
	dead, err := embedding.NewEndpoint(embedding.EndpointConfig{BaseURL: p.URL, Model: "test", Dims: faultyDims, Attempts: 1})
	require.NoError(t, err)
	for name, config := range map[string]core.Config{"both lanes": {}, "words alone": {Embedder: dead}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startWith(t, pgtest.New(t), config)
			loser := w.page(agent, "Turnstile", "The turnstile opens for a paper ticket.")
			winner := w.page(user, "Gate", "At the turnstile only a code on the phone counts; nobody takes paper.")
			beside := w.page(user, "Guards", "Guards at the turnstile work in pairs.")
			w.linked(beside, loser, "relates_to")
			require.NotEmpty(t, w.offered(agent, "turnstile", loser))
			w.superseding(winner, loser)
			w.executed(1)
			require.Empty(t, w.offered(user, "turnstile", loser))
			require.NotEmpty(t, w.offered(user, "turnstile", winner))
			list, _, err := w.as(user).Articles(t.Context(), api.ArticleQuery{Status: "superseded"})
			require.NoError(t, err)
			require.Len(t, list, 1, "who asks for superseded ones gets them")
			require.Equal(t, loser, list[0].ID)
		})
	}
}

// Case 33: a gate turned the contradicting statement away as a duplicate before the conflict was looked for: it is kept, and a
// curator sees both values.
func TestCase33AContradictingStatementIsAConflictAndNoDuplicate(t *testing.T) {
	t.Parallel()
	w := start(t)
	ctx := t.Context()
	const old, renewed = "The router of the office in Vik answers at 192.168.7.1.", "The router of the office in Vik answers at 192.168.9.1."
	first := w.propose(agent, "Router in Vik", old)
	p, err := w.as(orchestrator).Propose(ctx, api.Proposal{Title: "Router of Vik", Body: text(renewed), Category: "finding"})
	require.NoError(t, err)
	require.Equal(t, "low_novelty", p.Verdict, p.Note)
	require.True(t, p.Created)
	queue, _, err := w.as(user).Conflicts(ctx, api.ConflictQuery{})
	require.NoError(t, err)
	require.Len(t, queue, 1)
	require.ElementsMatch(t, []uuid.UUID{first.ID, p.Article.ID}, []uuid.UUID{queue[0].First.ID, queue[0].Second.ID})
	require.Len(t, queue[0].Differing, 1)
	require.ElementsMatch(t, []string{"192.168.7.1", "192.168.9.1"}, []string{queue[0].Differing[0].First, queue[0].Differing[0].Second})
	kept, err := w.as(user).Article(ctx, p.Article.ID)
	require.NoError(t, err)
	require.Equal(t, renewed, *kept.Body)
}

// Case 35: three or four contradictory facts stood side by side and nothing said so: every pair of them is counted.
func TestCase35ContradictionsThatStandSideBySideAreCounted(t *testing.T) {
	t.Parallel()
	w := start(t)
	ctx := t.Context()
	var facts []uuid.UUID
	for _, hours := range []string{"two", "three", "four", "five"} {
		facts = append(facts, w.page(agent, "Luggage, "+hours, "Luggage may stay in the lockers of the terminal in Vik for "+hours+" hours."))
	}
	open := func() int {
		_, meta, err := w.as(user).Conflicts(ctx, api.ConflictQuery{})
		require.NoError(t, err)
		return meta.Counts["open"]
	}
	require.Equal(t, 6, open(), "each with each")
	_, err := w.as(user).Judge(ctx, api.NewVerdict{FirstID: facts[0], SecondID: facts[1], Disposition: "dismiss"}, "")
	require.NoError(t, err)
	require.Equal(t, 5, open())
}

// Case 34: a contradiction that was too weak to settle itself froze writing for ever, and no person or job could release it.
// Here a pair in the queue stops no write, a verdict of which too much was asked leaves it there, and every verdict that a
// person can give leads out.
func TestCase34AContradictionFreezesNothingAndHasAnExit(t *testing.T) {
	t.Parallel()
	for _, disposition := range []string{"dismiss", "supersede", "merge"} {
		t.Run(disposition, func(t *testing.T) {
			t.Parallel()
			w := start(t)
			ctx := t.Context()
			first := w.page(agent, "Turnstile", "The turnstile opens for a paper ticket.")
			second := w.page(agent, "Gate", "At the gate only a code on the phone counts.")
			_, err := w.as(agent).Assert(ctx, api.NewAssertion{FirstID: first, SecondID: second, Evidence: "they disagree"}, "")
			require.NoError(t, err)
			open := func() []api.Conflict {
				queue, _, err := w.as(user).Conflicts(ctx, api.ConflictQuery{State: "open"})
				require.NoError(t, err)
				return queue
			}
			verdict := api.NewVerdict{FirstID: first, SecondID: second, Disposition: "supersede", Confidence: "high", Authoritative: &second, Evidence: "seen there"}
			capped, err := w.as(orchestrator).Judge(ctx, verdict, "")
			require.NoError(t, err)
			require.Equal(t, []string{"medium", "high"}, []string{capped.Confidence, capped.Requested})
			require.Len(t, open(), 1)
			w.executed(0)

			body := "The turnstile opens for a paper ticket or a code."
			_, err = w.as(agent).Update(ctx, first, 0, api.ArticlePatch{Body: &body}, "")
			require.NoError(t, err)
			require.NotEmpty(t, w.page(agent, "Guards", "Guards at the turnstile work in pairs."))

			verdict.Disposition = disposition
			if disposition == "dismiss" {
				verdict.Authoritative = nil
			}
			_, err = w.as(user).Judge(ctx, verdict, "")
			require.NoError(t, err)
			require.Empty(t, open())
			done, err := w.as(user).Execute(ctx, "")
			require.NoError(t, err)
			require.Empty(t, open())
			require.Zero(t, done.Failed, done)
		})
	}
}
