package articles_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
)

// bench is a tenant with a user, and two agents that do not see each other's private articles.
type bench struct {
	t             *testing.T
	db            *postgres.DB
	user, ann, bo wiki.Actor
	reader        articles.Reader
}

func newBench(t *testing.T) bench {
	t.Parallel()
	db := pgtest.New(t)
	user := pgtest.Tenant(t, db)
	return bench{
		t: t, db: db, user: user, reader: articles.Reader{DB: db},
		ann: pgtest.Actor(t, db, user.Tenant, wiki.RoleAgent, "ann"),
		bo:  pgtest.Actor(t, db, user.Tenant, wiki.RoleAgent, "bo"),
	}
}

func (b bench) in(actor wiki.Actor, fn func(ctx context.Context, tx postgres.Tx) error) error {
	return b.db.Tenant(b.t.Context(), actor.Tenant, fn)
}

// add inserts a published article, changed by alter, and gives it as stored.
func (b bench) add(actor wiki.Actor, title string, alter func(*wiki.Article)) wiki.Article {
	b.t.Helper()
	a := wiki.Article{
		ID: uuid.Must(uuid.NewV7()), Tenant: actor.Tenant, Title: title, Body: "The body of " + title + ".", Category: "finding",
		Status: wiki.StatusPublished, Scope: wiki.ScopeTenant, Tags: []string{}, Metadata: map[string]any{}, Version: 1, CreatedBy: actor.Stamp(),
	}
	a.Slug = wiki.MakeSlug(title, uuid.New())
	if alter != nil {
		alter(&a)
	}
	a.ContentHash = wiki.ContentHash(a.Title, a.Body)
	require.NoError(b.t, b.in(actor, func(ctx context.Context, tx postgres.Tx) error {
		inserted, err := articles.Insert(ctx, tx, a)
		require.True(b.t, inserted || err != nil)
		if err == nil {
			a, err = articles.Get(ctx, tx, b.user, a.ID)
		}
		return err
	}))
	return a
}

func private(a *wiki.Article) { a.Metadata = map[string]any{"visibility": "private"} }

func status(s wiki.Status) func(*wiki.Article) { return func(a *wiki.Article) { a.Status = s } }

func requireCode(t *testing.T, err error, code wiki.Code) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, code, wiki.ErrorCode(err), "%v", err)
}

func TestInsertAndGet(t *testing.T) {
	b := newBench(t)
	source := uuid.New()
	want := b.add(b.ann, "Ports", func(a *wiki.Article) {
		a.Body = "line\r\nline\u200b\u202e \U0001F468\u200d\U0001F469 'quoted' $1 %s \\ \t"
		a.Tags, a.SourceType, a.SourceID, a.IdempotencyKey = []string{"b", "a"}, "manual", &source, "k1"
		a.Metadata = map[string]any{"big": json.Number("12345678901234567"), "deep": []any{map[string]any{"x": nil}}}
	})
	got, err := b.reader.Get(t.Context(), b.bo, want.ID)
	require.NoError(t, err)
	require.Equal(t, want, got.Article)
	require.Equal(t, []string{"b", "a"}, got.Tags)
	require.Equal(t, json.Number("12345678901234567"), got.Metadata["big"], "a long id is not rounded")
	require.Equal(t, "ann", got.CreatedBy.Principal)
	require.Equal(t, got.InsertedAt, got.ContentChangedAt)
}

// What an actor cannot see and what does not exist are one answer (SPEC §1).
func TestUnseenIsNonexistent(t *testing.T) {
	b := newBench(t)
	hidden := b.add(b.ann, "Secret", private)
	other := pgtest.Tenant(t, b.db)
	_, nothing := b.reader.Get(t.Context(), b.bo, uuid.New())
	for name, who := range map[string]wiki.Actor{"another agent": b.bo, "another tenant": other} {
		_, err := b.reader.Get(t.Context(), who, hidden.ID)
		require.Equal(t, nothing, err, name)
		_, err = b.reader.Versions(t.Context(), who, hidden.ID)
		require.Equal(t, nothing, err, name)
		_, err = b.reader.Version(t.Context(), who, hidden.ID, 1)
		require.Equal(t, nothing, err, name)
		page, err := b.reader.List(t.Context(), who, articles.Filter{})
		require.NoError(t, err)
		require.Zero(t, page.Total, name)
		require.NoError(t, b.in(who, func(ctx context.Context, tx postgres.Tx) error {
			_, err := articles.Lock(ctx, tx, who, hidden.ID)
			require.Equal(t, nothing, err, name)
			return nil
		}))
	}
	for _, who := range []wiki.Actor{b.ann, b.user} {
		_, err := b.reader.Get(t.Context(), who, hidden.ID)
		require.NoError(t, err)
	}
}

// A title, key or slug that only a private article holds is free to everybody else: a collision would tell that it exists.
func TestUniquenessTellsNothingOfHiddenArticles(t *testing.T) {
	b := newBench(t)
	same := func(a *wiki.Article) { a.IdempotencyKey, a.Slug = "key", "the-slug" }
	hide := func(a *wiki.Article) { same(a); private(a) }
	b.add(b.ann, "Same", hide)
	b.add(b.bo, "Same", hide)
	b.add(b.bo, "Same", same)
	require.NoError(t, b.in(b.bo, func(ctx context.Context, tx postgres.Tx) error {
		shared, err := articles.ByTitle(ctx, tx, b.ann, "Same", "")
		require.NoError(t, err)
		require.Equal(t, "bo", shared.CreatedBy.Principal)
		own, err := articles.ByIdempotencyKey(ctx, tx, b.ann, "key", "ann")
		require.NoError(t, err)
		require.Equal(t, "ann", own.CreatedBy.Principal)
		inserted, err := articles.Insert(ctx, tx, wiki.Article{
			ID: tx.NewID(), Tenant: b.bo.Tenant, Title: "Same", Body: "x", Category: "idea", Status: "draft", Scope: "tenant",
			Slug: "another-slug", Tags: []string{}, Metadata: map[string]any{}, Version: 1, CreatedBy: b.bo.Stamp(), ContentHash: "h",
		})
		require.NoError(t, err)
		require.False(t, inserted, "one active article per title among the shared ones")
		return nil
	}))
}

func TestTitleIsFreeAgainOnceRetired(t *testing.T) {
	b := newBench(t)
	b.add(b.ann, "Once", status(wiki.StatusArchived))
	b.add(b.ann, "Once", status(wiki.StatusSuperseded))
	b.add(b.ann, "Once", status(wiki.StatusDraft))
}

func TestUpdateKeepsEveryVersion(t *testing.T) {
	b := newBench(t)
	a := b.add(b.ann, "History", nil)
	bodies := []string{a.Body, "second\nline\n", "third\nline\n"}
	for _, body := range bodies[1:] {
		require.NoError(t, b.in(b.bo, func(ctx context.Context, tx postgres.Tx) error {
			locked, err := articles.Lock(ctx, tx, b.bo, a.ID)
			require.NoError(t, err)
			locked.Body = body
			_, err = articles.Update(ctx, tx, locked, "because", b.bo.Stamp())
			return err
		}))
	}
	history, err := b.reader.Versions(t.Context(), b.ann, a.ID)
	require.NoError(t, err)
	require.Len(t, history, 3)
	for i, v := range history {
		require.Equal(t, 3-i, v.Number)
		require.Empty(t, v.Body)
		if i > 0 {
			require.Equal(t, "because", v.Reason)
			require.Equal(t, "bo", v.ChangedBy.Principal)
			require.Equal(t, history[i-1].ValidFrom, *v.ValidTo, "no gap between two versions")
		}
		whole, err := b.reader.Version(t.Context(), b.ann, a.ID, v.Number)
		require.NoError(t, err)
		require.Equal(t, bodies[v.Number-1], whole.Body)
		require.Equal(t, v.ValidFrom, whole.ValidFrom)
	}
	require.Nil(t, history[0].ValidTo)
	for _, number := range []int{0, -1, 4} {
		_, err := b.reader.Version(t.Context(), b.ann, a.ID, number)
		requireCode(t, err, wiki.CodeNotFound)
	}
	diff, err := b.reader.Diff(t.Context(), b.ann, a.ID, 2, 3)
	require.NoError(t, err)
	require.Equal(t, []string{"body"}, diff.Fields)
	require.Contains(t, diff.Body, "-second\n+third\n line\n")
}

func TestUpdateOfAnotherVersionFails(t *testing.T) {
	b := newBench(t)
	a := b.add(b.ann, "Raced", nil)
	a.Version = 7
	err := b.in(b.ann, func(ctx context.Context, tx postgres.Tx) error {
		_, err := articles.Update(ctx, tx, a, "", b.ann.Stamp())
		return err
	})
	require.ErrorContains(t, err, "lock the row first")
	history, err := b.reader.Versions(t.Context(), b.ann, a.ID)
	require.NoError(t, err)
	require.Len(t, history, 1, "a failed change leaves no version")
}

func TestHistoryIsAppendOnly(t *testing.T) {
	b := newBench(t)
	err := b.in(b.user, func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `update article_versions set body = ''`)
		return err
	})
	require.ErrorContains(t, err, "permission denied")
}

func TestLinksShowOnlyWhatBothEndsAllow(t *testing.T) {
	b := newBench(t)
	one, two, hidden := b.add(b.ann, "One", nil), b.add(b.ann, "Two", nil), b.add(b.ann, "Hidden", private)
	require.NoError(t, b.in(b.ann, func(ctx context.Context, tx postgres.Tx) error {
		for _, l := range []wiki.Link{
			{Source: one.ID, Target: two.ID, Relation: wiki.RelRelatesTo},
			{Source: two.ID, Target: one.ID, Relation: wiki.RelContradicts, Metadata: map[string]any{"why": "ports"}},
			{Source: one.ID, Target: hidden.ID, Relation: wiki.RelRelatesTo},
		} {
			l.ID = tx.NewID()
			inserted, err := articles.InsertLink(ctx, tx, b.ann.Tenant, l)
			require.NoError(t, err)
			require.True(t, inserted)
		}
		inserted, err := articles.InsertLink(ctx, tx, b.ann.Tenant, wiki.Link{ID: tx.NewID(), Source: one.ID, Target: two.ID, Relation: wiki.RelRelatesTo})
		require.False(t, inserted)
		return err
	}))
	seen, err := b.reader.Get(t.Context(), b.bo, one.ID)
	require.NoError(t, err)
	require.Len(t, seen.Outgoing, 1)
	require.Equal(t, articles.Ref{ID: two.ID, Title: "Two"}, seen.Outgoing[0].To)
	require.Len(t, seen.Incoming, 1)
	require.Equal(t, map[string]any{"why": "ports"}, seen.Incoming[0].Metadata)
	own, err := b.reader.Get(t.Context(), b.ann, one.ID)
	require.NoError(t, err)
	require.Len(t, own.Outgoing, 2)
}

func TestCheckProject(t *testing.T) {
	b := newBench(t)
	project := uuid.New()
	require.NoError(t, b.in(b.user, func(ctx context.Context, tx postgres.Tx) error {
		require.NoError(t, articles.CheckProject(ctx, tx, b.user.Tenant, nil))
		requireCode(t, articles.CheckProject(ctx, tx, b.user.Tenant, &project), wiki.CodeInvalid)
		_, err := tx.Exec(ctx, `insert into projects (id, tenant_id, slug, name, inserted_at) values ($1, $2, 'p', 'P', $3)`, project, b.user.Tenant, tx.Now)
		require.NoError(t, err)
		return articles.CheckProject(ctx, tx, b.user.Tenant, &project)
	}))
	other := pgtest.Tenant(t, b.db)
	require.NoError(t, b.in(other, func(ctx context.Context, tx postgres.Tx) error {
		requireCode(t, articles.CheckProject(ctx, tx, other.Tenant, &project), wiki.CodeInvalid)
		return nil
	}))
}
