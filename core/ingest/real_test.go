package ingest_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/ingest"
	"wiki/core/shareddata"
)

// requireAllAnswered asserts that every page of a folder has one answer, and that the articles are those of the report.
func requireAllAnswered(t *testing.T, h house, r ingest.Report, pages, leftOut int) {
	t.Helper()
	require.True(t, r.Finished)
	require.Len(t, r.Files, pages+leftOut)
	require.Equal(t, leftOut, r.Counts[ingest.LeftOut])
	require.Zero(t, r.Counts[ingest.Failed])
	require.Zero(t, r.Counts["unknown"])
	articles := map[string]bool{}
	for _, f := range r.Files {
		if f.Outcome != ingest.LeftOut {
			require.NotNil(t, f.Article, f.Path)
			articles[f.Article.String()] = true
		}
	}
	require.Len(t, h.stored(t), len(articles), "nothing beside the answers, nothing lost")
}

// The whole folder of real notes, stopped at five random moments.
func TestRealNotesStoppedAtRandomMoments(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("imports 541 real notes")
	}
	h := newHouse(t)
	dir := shareddata.Dir(t, "til-simonw")
	random := rand.New(rand.NewPCG(5, 41))
	for range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		left := 1 + random.IntN(80)
		_, err := h.Run(ctx, h.actor, open(t, dir), ingest.Options{Publish: true}, func(p ingest.Progress) {
			if p.Rate > 0 { // something was answered in this call
				if left--; left <= 0 {
					cancel()
				}
			}
		})
		require.ErrorIs(t, err, context.Canceled)
		cancel()
	}
	r, _ := h.run(t, dir, ingest.Options{Publish: true})
	t.Logf("%d of 541 answered before the last call; %v, %s for the rest", r.Resumed, r.Counts, r.Elapsed.Round(1e8))
	require.Greater(t, r.Resumed, 20)
	requireAllAnswered(t, h, r, 541, 1)
}
