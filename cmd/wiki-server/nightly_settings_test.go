package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
)

func TestNightlyBudgetsAreRead(t *testing.T) {
	t.Parallel()
	budgets, err := parseBudgets(" verdicts=500/2m, conflicts=0/0s ")
	require.NoError(t, err)
	require.Equal(t, map[string]wiki.NightBudget{"verdicts": {Count: 500, Time: 2 * time.Minute}, "conflicts": {}}, budgets)
	for _, wrong := range []string{"verdicts", "verdicts=5", "verdicts=5/soon", "verdicts=-1/1m", "verdicts=1/-1m", "=1"} {
		_, err := parseBudgets(wrong)
		require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err), wrong)
		require.ErrorContains(t, err, "verdicts=500/2m", "%s: the answer shows how", wrong)
	}
}

func TestNightlySettingsAreChecked(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	for _, wrong := range [][]string{
		{"--nightly-hour", "24"}, {"--nightly-hour", "-2"}, {"--nightly-time", "1m"}, {"--nightly-tenants", "0"}, {"--nightly-budgets", "nobody=1/1m"},
	} {
		code, _, _ := s.run(append([]string{"tenant", "list"}, wrong...)...)
		require.Equal(t, exitUsage, code, wrong)
	}
}
