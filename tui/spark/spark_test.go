package spark_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/tui/spark"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for want, values := range map[string][]int{
		"": nil, "▁▁": {0, 0}, "▁█": {0, 1}, "▁▂▄▆█": {0, 1, 2, 3, 4}, "▂█": {1, 1000}, "███": {7, 7, 7},
	} {
		require.Equal(t, want, spark.Line(values), values)
	}
}
