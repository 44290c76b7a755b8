package articles_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

func (b bench) drift(a wiki.Article, title, body string) (uuid.UUID, bool, error) {
	var id uuid.UUID
	var isNew bool
	err := b.in(b.ann, func(ctx context.Context, tx postgres.Tx) (err error) {
		id, isNew, err = articles.PutDrift(ctx, tx, b.ann.Tenant, articles.Drift{
			ID: tx.NewID(), Article: articles.Ref{ID: a.ID}, ArticleVersion: a.Version, Title: title, Body: &body,
			ContentDrift: true, SubmittedBy: b.ann.Stamp(),
		})
		return err
	})
	return id, isNew, err
}

// A harvest that sends the same changed text every night is one event, even at the same moment.
func TestOneDriftEventPerSubmission(t *testing.T) {
	b := newBench(t)
	a := b.add(b.ann, "Drifting", nil)
	ids := make([]uuid.UUID, 8)
	var group errgroup.Group
	for i := range ids {
		group.Go(func() (err error) {
			ids[i], _, err = b.drift(a, "Drifting", "new text\r\n")
			return err
		})
	}
	require.NoError(t, group.Wait())
	for _, id := range ids {
		require.Equal(t, ids[0], id)
	}
	same, isNew, err := b.drift(a, "Drifting ", "new text")
	require.NoError(t, err)
	require.False(t, isNew, "the same text written another way")
	require.Equal(t, ids[0], same)
	_, isNew, err = b.drift(a, "Drifting", "newer text")
	require.NoError(t, err)
	require.True(t, isNew)
	events, next, err := b.reader.Drifts(t.Context(), b.bo, articles.DriftFilter{Limit: 1})
	require.NoError(t, err)
	require.Equal(t, "newer text", *events[0].Body)
	require.Equal(t, "Drifting", events[0].Article.Title)
	events, next, err = b.reader.Drifts(t.Context(), b.bo, articles.DriftFilter{Limit: 1, Cursor: next})
	require.NoError(t, err)
	require.Equal(t, ids[0], events[0].ID)
	require.Empty(t, next)
}

func TestDismissedDriftStaysDismissedUntilTheArticleMoves(t *testing.T) {
	b := newBench(t)
	a := b.add(b.ann, "Drifting", nil)
	id, _, err := b.drift(a, "Drifting", "other")
	require.NoError(t, err)
	require.NoError(t, b.in(b.user, func(ctx context.Context, tx postgres.Tx) error {
		return articles.SettleDrift(ctx, tx, b.user.Tenant, id, articles.DriftDismissed, b.user.Stamp())
	}))
	again, isNew, err := b.drift(a, "Drifting", "other")
	require.NoError(t, err)
	require.False(t, isNew)
	require.Equal(t, id, again)
	a.Version = 2
	_, isNew, err = b.drift(a, "Drifting", "other")
	require.NoError(t, err)
	require.True(t, isNew)
	dismissed, _, err := b.reader.Drifts(t.Context(), b.user, articles.DriftFilter{State: articles.DriftDismissed})
	require.NoError(t, err)
	require.Equal(t, b.user.Stamp(), *dismissed[0].SettledBy)
}

func TestDriftOfAnUnseenArticleIsUnseen(t *testing.T) {
	b := newBench(t)
	a := b.add(b.ann, "Private", private)
	_, _, err := b.drift(a, "Private", "other")
	require.NoError(t, err)
	seen, _, err := b.reader.Drifts(t.Context(), b.bo, articles.DriftFilter{})
	require.NoError(t, err)
	require.Empty(t, seen)
	seen, _, err = b.reader.Drifts(t.Context(), b.ann, articles.DriftFilter{})
	require.NoError(t, err)
	require.Len(t, seen, 1)
	for _, bad := range []articles.DriftFilter{{State: "gone"}, {Limit: 5000}, {Cursor: "x"}} {
		_, _, err := b.reader.Drifts(t.Context(), b.user, bad)
		requireCode(t, err, wiki.CodeInvalid)
	}
}
