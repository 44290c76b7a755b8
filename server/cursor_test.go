package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
	"wiki/server/api"
)

// stock fills the tenant with articles, without asking the gate, and gives their ids.
func (w *world) stock(n int) []uuid.UUID {
	w.tb.Helper()
	ids := make([]uuid.UUID, n)
	by := wiki.Actor{Tenant: w.tenant, Key: uuid.New(), Role: wiki.RoleUser, Lineage: []uuid.UUID{uuid.New()}}
	for i := range ids {
		require.NoError(w.tb, w.core.DB.Tenant(w.tb.Context(), w.tenant, func(ctx context.Context, tx postgres.Tx) error {
			a := wiki.Article{Title: "Stock " + uuid.NewString(), Body: fmt.Sprint("Of the stock, ", i), Category: "finding", Status: wiki.StatusPublished, Tags: []string{"stock"}}
			a, err := w.core.Record.Create(ctx, tx, by, a, record.Embedded{}, record.CreateOptions{})
			ids[i] = a.ID
			return err
		}))
	}
	return ids
}

// walk reads a list to its end by cursors.
func (w *world) walk(limit int, between func()) (seen []uuid.UUID) {
	w.tb.Helper()
	q := api.ArticleQuery{Limit: limit}
	for range 1000 {
		page, meta, err := w.as(wiki.RoleUser).Articles(w.tb.Context(), q)
		require.NoError(w.tb, err)
		for _, a := range page {
			seen = append(seen, a.ID)
		}
		if q.Cursor = meta.NextCursor; q.Cursor == "" {
			return seen
		}
		between()
	}
	require.FailNow(w.tb, "the list has no end")
	return nil
}

// What stands throughout comes exactly once, whatever is created, edited, tagged and archived between the pages and at the
// same time as they are read. Paging by number has no such promise.
func TestAListByCursorIsDriftFreeUnderConcurrentWrites(t *testing.T) {
	t.Parallel()
	w := start(t)
	ids := w.stock(40)
	stay := map[uuid.UUID]bool{}
	for i, id := range ids {
		stay[id] = i%4 != 0
	}
	user := w.as(wiki.RoleUser)
	at := 0
	edit := func() { // of rows on pages that were read, that is being read and that are to come
		for range 5 {
			at++
			id := ids[(at*17)%len(ids)]
			body := fmt.Sprint("Edited, ", at)
			_, err := user.Update(t.Context(), id, 0, api.ArticlePatch{Body: &body}, "")
			require.True(t, err == nil || !stay[id], "%v", err)
			if gone := ids[(at*4)%len(ids)]; !stay[gone] {
				_, _ = user.Archive(t.Context(), gone, "") // once it succeeds, then it is refused
			}
		}
		w.stock(2)
	}
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	writers.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			tags := []string{"stock", fmt.Sprint("t", i)}
			_, _ = user.Update(ctx, ids[(i*7)%len(ids)], 0, api.ArticlePatch{Tags: &tags}, "")
		}
	})
	seen := w.walk(7, edit)
	stop()
	writers.Wait()
	times := map[uuid.UUID]int{}
	for _, id := range seen {
		times[id]++
		require.Equal(t, 1, times[id], "no row comes twice")
	}
	for id, stays := range stay {
		if stays {
			require.Equal(t, 1, times[id], "no row that stays is left out")
		}
	}
	require.Len(t, seen, 40, "what was written since the first page is on none of the later ones; what was archived keeps its place")
}

// A cursor that was changed, made up, or made for another question, route or tenant is refused with a code: 400, never
// a fault, never another page.
func TestACursorIsTakenBackOnlyAsItLeft(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.stock(5)
	user := w.as(wiki.RoleUser)
	_, meta, err := user.Articles(t.Context(), api.ArticleQuery{Limit: 2})
	require.NoError(t, err)
	ours := meta.NextCursor
	require.NotEmpty(t, ours)
	require.NotContains(t, ours, string(w.core.CursorKey))
	refused := func(path, key string) {
		t.Helper()
		r := w.send("GET /api/v1"+path, key, "")
		require.Equal(t, http.StatusBadRequest, r.StatusCode, "%s: %s", path, r.body)
		e := r.failure(t)
		require.Equal(t, string(wiki.CodeInvalidParameter), e.Code)
		require.Equal(t, "cursor", e.Field)
	}
	mine := w.keys[wiki.RoleUser]
	for i := range ours {
		for _, c := range []string{"A", "_"} {
			if changed := ours[:i] + c + ours[i+1:]; changed != ours && i%9 == 0 {
				refused("/articles?cursor="+url.QueryEscape(changed), mine)
			}
		}
	}
	refused("/articles?category=finding&cursor="+ours, mine)
	refused("/articles?cursor="+ours[:len(ours)-1], mine)
	_, other := w.newTenant("other")
	refused("/articles?cursor="+ours, other[wiki.RoleUser])
	for _, list := range []string{"/audit", "/knowledge/conflicts", "/knowledge/conflicts/verdicts", "/knowledge/drift"} {
		for _, forged := range []string{ours, "9223372036854775807", "MTIz.MTIz", "é", strings.Repeat("x", 2000)} {
			refused(list+"?cursor="+url.QueryEscape(forged), mine)
		}
	}
	page, meta, err := user.Articles(t.Context(), api.ArticleQuery{Limit: 3, Cursor: ours})
	require.NoError(t, err)
	require.Len(t, page, 3, "the length of the page may change")
	require.Empty(t, meta.NextCursor)
}

// Every server on a database knows the cursors of the others: the key is the database's.
func TestServersShareTheCursorKey(t *testing.T) {
	t.Parallel()
	w := start(t)
	again, err := w.core.DB.Secret(t.Context(), "page cursors")
	require.NoError(t, err)
	require.Equal(t, w.core.CursorKey, again)
	other, err := w.core.DB.Secret(t.Context(), "another")
	require.NoError(t, err)
	require.NotEqual(t, again, other)
	require.Error(t, w.core.DB.Tenant(t.Context(), w.tenant, func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `select secret from server_secrets`)
		return err
	}), "no request reads it")
}
