package conflicts_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"wiki/core/conflicts"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
)

func (w *world) views(t *testing.T, who wiki.Actor) []conflicts.View {
	t.Helper()
	views, err := w.Views(t.Context(), who)
	require.NoError(t, err)
	return views
}

func TestAViewIsKeptAndAsksTheQueueAsItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Empty(t, w.views(t, w.user))
	a, b := w.flagged(t)
	w.clock.Pass(48 * time.Hour)
	w.flagged(t)
	filter := conflicts.Filter{
		Kind: "system", Category: "finding", MinSimilarity: 0.9, MaxSimilarity: 0.99, By: "scribe", MinAgeHours: 24, MaxAgeHours: 72,
		Sort: conflicts.SortOldest, State: wiki.ConflictOpen,
	}
	asked := filter
	asked.Limit, asked.Cursor = 7, "some page"
	saved, err := w.SaveView(t.Context(), w.user, "old ones", asked)
	require.NoError(t, err)
	require.Equal(t, filter, saved.Filter, "a view is of no one page")
	require.Equal(t, []conflicts.View{saved}, w.views(t, w.user))
	page, err := w.Queue(t.Context(), w.user, saved.Filter)
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	require.Equal(t, pairOf(a, b), page.Items[0].Pair)

	plain, err := w.SaveView(t.Context(), w.user, "All", conflicts.Filter{})
	require.NoError(t, err)
	require.Equal(t, conflicts.Filter{State: wiki.ConflictOpen, Sort: conflicts.SortImpact}, plain.Filter)
	again, err := w.SaveView(t.Context(), w.user, "old ones", conflicts.Filter{Sort: conflicts.SortNewest})
	require.NoError(t, err)
	require.Equal(t, []conflicts.View{plain, again}, w.views(t, w.user), "by name, the later text in place of the earlier")
	require.NoError(t, w.DeleteView(t.Context(), w.user, "old ones"))
	require.Equal(t, []conflicts.View{plain}, w.views(t, w.user))
	code(t, wiki.CodeNotFound, w.DeleteView(t.Context(), w.user, "old ones"))
}

func TestViewsAreEachPrincipalsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	elsewhere := pgtest.Actor(t, w.DB, pgtest.Tenant(t, w.DB).Tenant, wiki.RoleAgent, w.agent.Agent)
	own := map[string]wiki.Actor{"asserted": w.agent, "system": elsewhere, "": w.other}
	for kind, who := range own {
		_, err := w.SaveView(t.Context(), who, "mine", conflicts.Filter{Kind: kind})
		require.NoError(t, err)
	}
	require.Empty(t, w.views(t, w.user), "a user has none of an agent's")
	code(t, wiki.CodeNotFound, w.DeleteView(t.Context(), w.user, "mine"))
	for kind, who := range own {
		views := w.views(t, who)
		require.Len(t, views, 1)
		require.Equal(t, kind, views[0].Filter.Kind)
	}
	require.NoError(t, w.DeleteView(t.Context(), w.agent, "mine"))
	require.Len(t, w.views(t, elsewhere), 1, "one agent id in two tenants is two principals")
	require.Len(t, w.views(t, w.other), 1)
	nobody := wiki.Actor{Role: wiki.RoleSuperadmin, Agent: "root"}
	require.Empty(t, w.views(t, nobody))
	_, err := w.SaveView(t.Context(), nobody, "mine", conflicts.Filter{})
	code(t, wiki.CodeForbidden, err)
}

func TestViewNamesMeetInOneForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.SaveView(t.Context(), w.user, " Cafe\u0301 ", conflicts.Filter{By: "e\u0301"})
	require.NoError(t, err)
	views := w.views(t, w.user)
	require.Equal(t, "Caf\u00e9", views[0].Name)
	require.Equal(t, "\u00e9", views[0].Filter.By)
	_, err = w.SaveView(t.Context(), w.user, "Caf\u00e9", conflicts.Filter{})
	require.NoError(t, err)
	require.Len(t, w.views(t, w.user), 1)
	require.NoError(t, w.DeleteView(t.Context(), w.user, "Cafe\u0301"))
	_, err = w.SaveView(t.Context(), w.user, strings.Repeat("\u00e9", conflicts.MaxViewNameRunes), conflicts.Filter{})
	require.NoError(t, err)
}

func TestAViewThatTheQueueWouldRefuseIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, why := range map[string]string{
		"": "needs a name", strings.Repeat(" ", 3): "needs a name", "a\nb": "one line", "a\x00": "NUL", "\xff": "UTF-8",
		strings.Repeat("x", conflicts.MaxViewNameRunes+1): "101 characters",
	} {
		_, err := w.SaveView(t.Context(), w.user, name, conflicts.Filter{})
		code(t, wiki.CodeInvalid, err)
		require.ErrorContains(t, err, why, "%q", name)
		code(t, wiki.CodeInvalid, w.DeleteView(t.Context(), w.user, name))
	}
	for field, bad := range map[string]conflicts.Filter{
		"state": {State: "x"}, "sort": {Sort: "x"}, "kind": {Kind: "x"}, "min_similarity": {MinSimilarity: 1.1}, "max_similarity": {MaxSimilarity: -1},
		"min_age_hours": {MinAgeHours: -1}, "max_age_hours": {MaxAgeHours: conflicts.MaxAgeHours + 1}, "category": {Category: "a\x00"},
		"by": {By: strings.Repeat("x", 201)},
	} {
		_, queued := w.Queue(t.Context(), w.user, bad)
		code(t, wiki.CodeInvalidParameter, queued)
		_, err := w.SaveView(t.Context(), w.user, "v", bad)
		code(t, wiki.CodeInvalid, err)
		var e *wiki.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, "filter."+field, e.Field)
	}
	require.Empty(t, w.views(t, w.user))
}

// However many saves come at once, one principal keeps a bounded number.
func TestViewsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range conflicts.MaxViews - 1 {
		_, err := w.SaveView(t.Context(), w.user, fmt.Sprint(i), conflicts.Filter{})
		require.NoError(t, err)
	}
	var race errgroup.Group
	refused := make([]error, 8)
	for i := range refused {
		race.Go(func() error {
			_, refused[i] = w.SaveView(t.Context(), w.user, fmt.Sprint("late ", i), conflicts.Filter{})
			return nil
		})
	}
	require.NoError(t, race.Wait())
	kept := 0
	for _, err := range refused {
		if err == nil {
			kept++
			continue
		}
		code(t, wiki.CodeInvalid, err)
	}
	require.Equal(t, 1, kept)
	require.Len(t, w.views(t, w.user), conflicts.MaxViews)
	_, err := w.SaveView(t.Context(), w.user, "0", conflicts.Filter{Kind: "asserted"})
	require.NoError(t, err, "one that is there can be saved anew")
	_, err = w.SaveView(t.Context(), w.agent, "0", conflicts.Filter{})
	require.NoError(t, err, "the bound is each principal's own")
	require.NoError(t, w.DeleteView(t.Context(), w.user, "1"))
	_, err = w.SaveView(t.Context(), w.user, "again", conflicts.Filter{})
	require.NoError(t, err)
}
