package ingest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/ingest"
)

// notes is a folder of n pages that link to each other.
func notes(t testing.TB, n int) string {
	files := map[string]string{}
	topics := []string{"whales", "bread", "trains", "paint", "clouds", "chess", "rivers", "glass"}
	for i := range n {
		topic := topics[i%len(topics)]
		files[fmt.Sprintf("p%02d.md", i)] = fmt.Sprintf("# Page %d about %s\n\nNotes on %s of number %d. See [next](p%02d.md).\n", i, topic, topic, i*37, (i+1)%n)
	}
	return write(t, t.TempDir(), files)
}

// A run that is stopped after any file goes on without loss and without doubles.
func TestStoppedRunGoesOn(t *testing.T) {
	t.Parallel()
	const pages = 24
	h := newHouse(t)
	dir := notes(t, pages)
	random := rand.New(rand.NewPCG(7, 7))
	answered, calls := 0, 0
	var report ingest.Report
	for !report.Finished {
		calls++
		require.LessOrEqual(t, calls, pages+2)
		ctx, cancel := context.WithCancel(t.Context())
		left := 1 + random.IntN(4)
		var err error
		report, err = h.Run(ctx, h.actor, open(t, dir), ingest.Options{}, func(p ingest.Progress) {
			require.Equal(t, pages, p.Total)
			if p.Done > answered {
				answered = p.Done
				if left--; left == 0 {
					cancel()
				}
			}
		})
		cancel()
		if !report.Finished {
			require.ErrorIs(t, err, context.Canceled)
		}
	}
	require.Greater(t, calls, 3)
	require.Len(t, report.Files, pages)
	require.Positive(t, report.Resumed)
	require.Len(t, h.stored(t), pages)
	require.Equal(t, pages, linkCount(t, h))
	for path, f := range byPath(report) {
		require.NotNil(t, f.Article, path)
	}
}

// The gate's answer may be lost in a crash after it has stored the article: the next call finds the article again.
func TestCrashBetweenTheGateAndTheAnswer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	dir := notes(t, 4)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := h.Run(ctx, h.actor, open(t, dir), ingest.Options{}, func(p ingest.Progress) {
		if p.Done == 2 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	before := h.stored(t)
	h.exec(t, `delete from import_files where path = 'p01.md'`)
	report, files := h.run(t, dir, ingest.Options{})
	require.Equal(t, ingest.Outcome("deduplicated"), files["p01.md"].Outcome)
	require.Equal(t, before["Page 1 about bread"].ID, *files["p01.md"].Article)
	require.False(t, files["p01.md"].Drift)
	require.Len(t, h.stored(t), 4)
	require.Equal(t, 4, report.Links, "its links are made too")
}

func TestChangedWhileStopped(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	dir := notes(t, 3)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stopped, err := h.Run(ctx, h.actor, open(t, dir), ingest.Options{}, func(ingest.Progress) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
	write(t, dir, map[string]string{"p00.md": "# Page 0 about whales\n\nRewritten."})
	report, files := h.run(t, dir, ingest.Options{})
	require.Equal(t, stopped.Run, report.Run)
	require.Equal(t, ingest.Outcome("deduplicated"), files["p00.md"].Outcome)
	require.True(t, files["p00.md"].Drift, "a changed file is answered again")
}

// Other options are another run: what waits as a draft is not what was asked now.
func TestOtherOptionsBeginAnotherRun(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	dir := notes(t, 3)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stopped, err := h.Run(ctx, h.actor, open(t, dir), ingest.Options{}, func(ingest.Progress) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
	report, _ := h.run(t, dir, ingest.Options{Publish: true})
	require.NotEqual(t, stopped.Run, report.Run)
	require.Zero(t, report.Resumed)
}
