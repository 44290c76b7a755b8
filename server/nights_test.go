package server_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/nightly"
	"wiki/core/wiki"
	"wiki/server/api"
)

func TestNightsTellWhatEachConsumerDid(t *testing.T) {
	t.Parallel()
	w := start(t)
	ctx, c := t.Context(), w.as(orchestrator)
	nights, err := c.Nights(ctx, 0)
	require.NoError(t, err)
	require.Empty(t, nights)

	d := w.dispute()
	pair, err := w.as(user).Pair(ctx, d.ID)
	require.NoError(t, err)
	_, err = w.as(user).Judge(ctx, api.NewVerdict{
		FirstID: pair.First.ID, SecondID: pair.Second.ID, Disposition: "supersede", Confidence: "high", Authoritative: &pair.First.ID, Evidence: "the newer one", SeenFirst: 1, SeenSecond: 1,
	}, "k")
	require.NoError(t, err)
	for range 2 {
		_, err = w.core.Nightly.Run(ctx, w.tenant, nightly.Options{})
		require.NoError(t, err)
	}
	nights, err = c.Nights(ctx, 0)
	require.NoError(t, err)
	require.Len(t, nights, 2)
	require.NotNil(t, nights[0].FinishedAt)
	var applied []int
	for _, n := range nights {
		require.NotEmpty(t, n.Steps)
		for _, step := range n.Steps {
			if step.Consumer == "verdicts" {
				applied = append(applied, step.Applied)
				require.Equal(t, string(wiki.GateOpen), step.Gate)
			}
		}
	}
	require.Equal(t, []int{0, 1}, applied, "newest first: the first pass had executed it")

	nights, err = c.Nights(ctx, 1)
	require.NoError(t, err)
	require.Len(t, nights, 1)
	_, err = w.as(agent).Nights(ctx, 0)
	require.Equal(t, wiki.CodeForbidden, wiki.ErrorCode(err))
	require.Equal(t, "limit", w.send("GET /api/v1/knowledge/nights?limit=91", w.keys[orchestrator], "").failure(t).Field)
	require.Equal(t, http.StatusOK, w.send("GET /api/v1/knowledge/nights", w.keys[user], "").StatusCode)
	_, others := w.newTenant("other")
	nights, err = w.client(others[wiki.RoleUser]).Nights(ctx, 0)
	require.NoError(t, err)
	require.Empty(t, nights, "another tenant's are its own")
}
