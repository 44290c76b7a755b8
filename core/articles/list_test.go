package articles_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

func titles(page articles.Page) []string {
	list := []string{}
	for _, a := range page.Articles {
		list = append(list, a.Title)
	}
	return list
}

func TestListFilters(t *testing.T) {
	b := newBench(t)
	source := uuid.New()
	b.add(b.ann, "Plain", nil)
	b.add(b.ann, "Tagged", func(a *wiki.Article) { a.Tags, a.Category, a.IdempotencyKey = []string{"go", "sql"}, "pattern", "k" })
	b.add(b.ann, "Sourced", func(a *wiki.Article) { a.SourceType, a.SourceID = "manual", &source })
	b.add(b.ann, "Draft of Ann", status(wiki.StatusDraft))
	hidden := b.add(b.ann, "Suppressed", nil)
	require.NoError(t, b.in(b.ann, func(ctx context.Context, tx postgres.Tx) error {
		hidden.SuppressedAt, hidden.SuppressedBy, hidden.SuppressionReason = &tx.Now, "ann", "wrong"
		_, err := articles.SetMarks(ctx, tx, hidden)
		return err
	}))
	yes := true
	for name, c := range map[string]struct {
		who    wiki.Actor
		filter articles.Filter
		want   []string
	}{
		"everything, as a user":          {b.user, articles.Filter{}, []string{"Draft of Ann", "Sourced", "Tagged", "Plain"}},
		"an agent sees no draft":         {b.bo, articles.Filter{}, []string{"Sourced", "Tagged", "Plain"}},
		"but its own":                    {b.ann, articles.Filter{}, []string{"Draft of Ann", "Sourced", "Tagged", "Plain"}},
		"drafts":                         {b.user, articles.Filter{Status: "draft"}, []string{"Draft of Ann"}},
		"category":                       {b.bo, articles.Filter{Category: "pattern"}, []string{"Tagged"}},
		"any tag":                        {b.bo, articles.Filter{Tags: []string{"none", "sql"}}, []string{"Tagged"}},
		"key":                            {b.bo, articles.Filter{IdempotencyKey: "k"}, []string{"Tagged"}},
		"source":                         {b.bo, articles.Filter{SourceType: "manual", SourceID: &source}, []string{"Sourced"}},
		"title":                          {b.bo, articles.Filter{Title: "Plain"}, []string{"Plain"}},
		"suppressed":                     {b.bo, articles.Filter{Suppressed: &yes}, []string{"Suppressed"}},
		"nothing":                        {b.bo, articles.Filter{Status: "archived"}, []string{}},
		"input is data, never a pattern": {b.bo, articles.Filter{Title: "' or true --"}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			page, err := b.reader.List(t.Context(), c.who, c.filter)
			require.NoError(t, err)
			require.Equal(t, c.want, titles(page))
			require.Equal(t, len(c.want), page.Total)
			for _, a := range page.Articles {
				require.Empty(t, a.Body)
			}
		})
	}
	_, err := b.reader.List(t.Context(), b.ann, articles.Filter{Status: "draft"})
	requireCode(t, err, wiki.CodeForbidden)
	for _, bad := range []articles.Filter{{Limit: -1}, {Limit: 1001}, {Offset: -1}, {Cursor: "?"}, {Title: "\x00"}, {Tags: []string{"\xff"}}} {
		_, err := b.reader.List(t.Context(), b.ann, bad)
		requireCode(t, err, wiki.CodeInvalid)
	}
}

// Paging by cursor gives every article once, in order, though one is written on the way.
func TestListPagesByCursor(t *testing.T) {
	b := newBench(t)
	for i := range 7 {
		b.add(b.ann, fmt.Sprintf("Article %d", i), nil)
	}
	var seen []string
	cursor := ""
	for {
		page, err := b.reader.List(t.Context(), b.bo, articles.Filter{Limit: 3, Cursor: cursor})
		require.NoError(t, err)
		seen = append(seen, titles(page)...)
		if cursor = page.Next; cursor == "" {
			break
		}
		b.add(b.ann, "New "+cursor, nil)
	}
	require.Equal(t, []string{"Article 6", "Article 5", "Article 4", "Article 3", "Article 2", "Article 1", "Article 0"}, seen)
	page, err := b.reader.List(t.Context(), b.bo, articles.Filter{Limit: 2, Offset: 8})
	require.NoError(t, err)
	require.Equal(t, []string{"Article 0"}, titles(page))
}

// A page with bodies ends early rather than growing without bound.
func TestListBoundsThePageBytes(t *testing.T) {
	b := newBench(t)
	for i := range 12 {
		b.add(b.ann, fmt.Sprintf("Big %d", i), func(a *wiki.Article) { a.Body = strings.Repeat("x", wiki.MaxBodyBytes) })
	}
	page, err := b.reader.List(t.Context(), b.bo, articles.Filter{IncludeBody: true, Limit: 100})
	require.NoError(t, err)
	require.Len(t, page.Articles, 11)
	require.Equal(t, 12, page.Total)
	rest, err := b.reader.List(t.Context(), b.bo, articles.Filter{IncludeBody: true, Limit: 100, Cursor: page.Next})
	require.NoError(t, err)
	require.Equal(t, []string{"Big 0"}, titles(rest))
	require.Empty(t, rest.Next)
}
