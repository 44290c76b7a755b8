package timing_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/timing"
)

func TestAWatchSumsSpansUpAndNothingIsMeasuredWithoutOne(t *testing.T) {
	t.Parallel()
	timing.Span(context.Background(), "nobody asked")()
	ctx, w := timing.Begin(context.Background())
	timing.Span(ctx, "a")()
	timing.Span(ctx, "a")()
	open := timing.Span(ctx, "open")
	spans := w.Milliseconds()
	require.Contains(t, spans, timing.Total)
	require.Contains(t, spans, "a")
	require.NotContains(t, spans, "open")
	require.GreaterOrEqual(t, spans[timing.Total], spans["a"])
	open()
	require.Contains(t, w.Milliseconds(), "open")
}
