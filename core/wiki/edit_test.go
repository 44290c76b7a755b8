package wiki_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
)

// What each kind of change does to the columns that no request writes.
func TestEdited(t *testing.T) {
	t.Parallel()
	then, now := time.Unix(1000, 0).UTC(), time.Unix(2000, 0).UTC()
	before := wiki.Article{
		Title: "Title", Body: "Body", Status: wiki.StatusPublished, Category: "idea", PreviousTitle: "Untitled",
		ContentHash: wiki.ContentHash("Title", "Body"), ContentChangedAt: then, CuratedAt: &then, CuratedBy: "cleo",
	}
	for name, c := range map[string]struct {
		change   func(*wiki.Article)
		moved    bool // content_changed_at
		previous string
		curated  bool
		staged   bool
	}{
		"title":    {func(a *wiki.Article) { a.Title = "Other" }, false, "", false, false},
		"body":     {func(a *wiki.Article) { a.Body = "Other" }, true, "Untitled", false, false},
		"to draft": {func(a *wiki.Article) { a.Status = wiki.StatusDraft }, false, "Untitled", false, true},
		"archived": {func(a *wiki.Article) { a.Status = wiki.StatusArchived }, false, "Untitled", false, false},
		"category": {func(a *wiki.Article) { a.Category = "finding" }, false, "Untitled", true, false},
		"tags":     {func(a *wiki.Article) { a.Tags = []string{"x"} }, false, "Untitled", true, false},
		"metadata": {func(a *wiki.Article) { a.Metadata = map[string]any{"a": 1} }, false, "Untitled", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := before
			c.change(&after)
			after = wiki.Edited(before, after, now)
			require.Equal(t, c.moved, after.ContentChangedAt.Equal(now))
			require.Equal(t, c.previous, after.PreviousTitle)
			require.Equal(t, c.curated, after.CuratedAt != nil && after.CuratedBy == "cleo")
			require.Equal(t, c.staged, after.StagedDraftAt != nil)
			require.Equal(t, wiki.ContentHash(after.Title, after.Body), after.ContentHash)
			require.Len(t, wiki.Changed(before, after), 1)
		})
	}
	require.Empty(t, wiki.Changed(before, wiki.Edited(before, before, now)))
	published := before
	published.Status, published.StagedDraftAt = wiki.StatusDraft, &then
	after := published
	after.Status = wiki.StatusPublished
	require.Nil(t, wiki.Edited(published, after, now).StagedDraftAt, "publishing ends the staging")
}

func TestCleanArticleNamesTheFieldAtFault(t *testing.T) {
	t.Parallel()
	good := wiki.Article{Title: " T ", Body: "B", Category: "idea", Tags: []string{"a", "a"}, SourceType: "manual", IdempotencyKey: "k", Slug: "a-slug"}
	clean, err := wiki.CleanArticle(good)
	require.NoError(t, err)
	require.Equal(t, "T", clean.Title)
	require.Equal(t, []string{"a"}, clean.Tags)
	for field, spoil := range map[string]func(*wiki.Article){
		"title":           func(a *wiki.Article) { a.Title = "" },
		"body":            func(a *wiki.Article) { a.Body = "\x00" },
		"category":        func(a *wiki.Article) { a.Category = "convention" },
		"tags":            func(a *wiki.Article) { a.Tags = []string{"a\n"} },
		"source_type":     func(a *wiki.Article) { a.SourceType = "x" },
		"idempotency_key": func(a *wiki.Article) { a.IdempotencyKey = "\xff" },
		"slug":            func(a *wiki.Article) { a.Slug = "A" },
		"metadata":        func(a *wiki.Article) { a.Metadata = map[string]any{"visibility": "public"} },
	} {
		bad := good
		spoil(&bad)
		_, err := wiki.CleanArticle(bad)
		requireFault(t, err, wiki.CodeInvalid, field)
	}
}

func TestTitleConflictNamesTheArticle(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	require.Equal(t, id, wiki.TitleConflict(id).Details["existing_article_id"])
}
