package nightly_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/nightly"
	"wiki/core/record"
	"wiki/core/wiki"
)

func TestLintFindsWhatACuratorMayWantToSee(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := w.article(t)
	w.clock.pass(wiki.LintStaleAfter + time.Hour)
	a, b, c := w.article(t), w.article(t), w.article(t)
	for _, other := range []wiki.Article{b, c} {
		_, _, err := w.Record.Link(t.Context(), w.user, record.NewLink{Source: a.ID, Target: other.ID, Relation: wiki.RelContradicts}, "")
		require.NoError(t, err)
	}
	r := w.run(t, w.service(t, nightly.Lint(w.DB)), nightly.Options{})
	found := map[wiki.Code][]string{}
	for _, item := range r.Steps[0].Items {
		found[item.Code] = append(found[item.Code], item.Subject)
	}
	require.Equal(t, []string{old.ID.String()}, found[wiki.LintStale])
	require.Equal(t, []string{old.ID.String()}, found[wiki.LintOrphan])
	require.Equal(t, []string{a.ID.String()}, found[wiki.LintContradiction], "one cluster of three")
	require.Len(t, found[wiki.LintCoverageGap], len(wiki.Categories)-1, "all but findings")
	require.Equal(t, wiki.Tally{Offered: len(r.Steps[0].Items), Withheld: len(r.Steps[0].Items), Gate: wiki.GateOpen}, r.Steps[0].Tally)
}

// What is listed is bounded, and what is counted is not.
func TestLintCountsWhatItDoesNotList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const lone = wiki.LintListed + 5
	for range lone {
		w.article(t)
	}
	r := w.run(t, w.service(t, nightly.Lint(w.DB)), nightly.Options{})
	require.Equal(t, lone+len(wiki.Categories)-1, r.Steps[0].Offered)
	require.Len(t, r.Steps[0].Items, nightly.MaxItems)
}
