package record_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/record"
	"wiki/core/wiki"
)

// The mark is a user's to give and to take; a repeat of the act is answered, and any ordinary edit takes it away (facts §1.1).
func TestTheCuratedMarkIsAUsersAndEndsWithAnEdit(t *testing.T) {
	b := newBench(t)
	a := b.add(b.agent, "Marked", "Body.", func(a *wiki.Article) { a.Status = wiki.StatusPublished })
	for _, who := range []wiki.Actor{b.agent, b.orch} {
		_, err := b.record.Curate(t.Context(), who, a.ID, "", "")
		requireCode(t, err, wiki.CodeForbidden)
		_, err = b.record.Uncurate(t.Context(), who, a.ID, "", "")
		requireCode(t, err, wiki.CodeForbidden)
	}
	_, err := b.record.Uncurate(t.Context(), b.user, a.ID, "", "")
	requireCode(t, err, wiki.CodeTransition)
	got, err := b.record.Curate(t.Context(), b.user, a.ID, "checked", "act-1")
	require.NoError(t, err)
	require.Equal(t, b.user.Principal(), got.CuratedBy)
	require.Equal(t, a.Version, got.Version, "it says nothing about the text")
	require.Equal(t, a.ContentChangedAt, got.ContentChangedAt)
	require.Equal(t, got, b.get(a.ID))
	again, err := b.record.Curate(t.Context(), b.user, a.ID, "checked", "act-1")
	require.NoError(t, err)
	require.Equal(t, got, again)
	_, err = b.record.Curate(t.Context(), b.user, a.ID, "", "act-2")
	requireCode(t, err, wiki.CodeTransition)
	got, err = b.record.Uncurate(t.Context(), b.user, a.ID, "", "")
	require.NoError(t, err)
	require.Nil(t, got.CuratedAt)
	require.Equal(t, got, b.get(a.ID))

	title, body, draft := "Renamed", "Another body.", wiki.StatusDraft
	for name, patch := range map[string]record.Patch{"title": {Title: &title}, "body": {Body: &body}, "status": {Status: &draft}} {
		_, err = b.record.Curate(t.Context(), b.user, a.ID, "", "")
		require.NoError(t, err, name)
		got, err = b.record.Update(t.Context(), b.user, a.ID, 0, patch, "")
		require.NoError(t, err, name)
		require.Nil(t, got.CuratedAt, name)
		require.Empty(t, b.get(a.ID).CuratedBy, name)
		if got.Status == draft {
			_, err = b.record.Curate(t.Context(), b.user, a.ID, "", "")
			requireCode(t, err, wiki.CodeTransition)
			_, err = b.record.Publish(t.Context(), b.user, a.ID, "")
			require.NoError(t, err)
		}
	}
	tags := []string{"x"}
	_, err = b.record.Curate(t.Context(), b.user, a.ID, "", "")
	require.NoError(t, err)
	got, err = b.record.Update(t.Context(), b.user, a.ID, 0, record.Patch{Tags: &tags}, "")
	require.NoError(t, err)
	require.NotNil(t, got.CuratedAt, "tags do not change what was vouched for")
	got, err = b.record.Suppress(t.Context(), b.user, a.ID, "wrong", "")
	require.NoError(t, err)
	require.NotNil(t, got.CuratedAt)
	_, err = b.record.Uncurate(t.Context(), b.user, a.ID, "", "")
	require.NoError(t, err)
	_, err = b.record.Curate(t.Context(), b.user, a.ID, "", "")
	requireCode(t, err, wiki.CodeTransition)
}
