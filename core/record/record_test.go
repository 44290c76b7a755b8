package record_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/articles"
	"wiki/core/embedding"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/record"
	"wiki/core/wiki"
)

// bench is a tenant with one actor of each role and the write door with the real model.
type bench struct {
	t                        *testing.T
	db                       *postgres.DB
	record                   record.Service
	reader                   articles.Reader
	agent, other, orch, user wiki.Actor
}

func newBench(t *testing.T) bench {
	t.Parallel()
	db := pgtest.New(t)
	model, err := embedding.BuiltIn()
	require.NoError(t, err)
	user := pgtest.Tenant(t, db)
	return bench{
		t: t, db: db, user: user, record: record.Service{DB: db, Embedder: model}, reader: articles.Reader{DB: db},
		agent: pgtest.Actor(t, db, user.Tenant, wiki.RoleAgent, "ann"),
		other: pgtest.Actor(t, db, user.Tenant, wiki.RoleAgent, "bo"),
		orch:  pgtest.Actor(t, db, user.Tenant, wiki.RoleOrchestrator, "olga"),
	}
}

// down is a provider that does not answer.
type down struct{ embedding.Embedder }

func (down) Embed(context.Context, []string) ([]embedding.Document, error) {
	return nil, wiki.Errorf(wiki.CodeSemanticDown, "the provider does not answer")
}

func (b bench) add(actor wiki.Actor, title, body string, alter func(*wiki.Article)) wiki.Article {
	b.t.Helper()
	a := wiki.Article{Title: title, Body: body, Category: "finding", Status: wiki.StatusPublished}
	if alter != nil {
		alter(&a)
	}
	doc, err := record.Embed(b.t.Context(), b.record.Embedder, a.Title, a.Body)
	require.NoError(b.t, err)
	require.NoError(b.t, b.db.Tenant(b.t.Context(), actor.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		a, err = b.record.Create(ctx, tx, actor, a, doc, record.CreateOptions{})
		return err
	}))
	return a
}

func (b bench) get(id uuid.UUID) wiki.Article {
	b.t.Helper()
	a, err := b.reader.Get(b.t.Context(), b.user, id)
	require.NoError(b.t, err)
	return a.Article
}

// count runs a counting query as the owner.
func (b bench) count(sql string, args ...any) (n int) {
	b.t.Helper()
	require.NoError(b.t, b.db.System(b.t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		return tx.QueryRow(ctx, "select count(*) from "+sql, args...).Scan(&n)
	}))
	return n
}

func (b bench) exec(sql string, args ...any) {
	b.t.Helper()
	require.NoError(b.t, b.db.System(b.t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	}))
}

// traces counts all that an act leaves behind for an article.
func (b bench) traces(id uuid.UUID) [3]int {
	return [3]int{
		b.count("article_versions where article_id = $1", id),
		b.count("audit_log where subject = $1", id),
		b.count("events where subject = $1", id),
	}
}

func requireCode(t *testing.T, err error, code wiki.Code) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, code, wiki.ErrorCode(err), "%v", err)
}

func ptr[T any](v T) *T { return &v }

func TestCreateStoresAllOfItAtOnce(t *testing.T) {
	b := newBench(t)
	a := b.add(b.agent, " How we deploy ", "On Tuesdays, with `deploy_all`.", func(a *wiki.Article) { a.Tags = []string{"ops", "ops"} })
	require.Equal(t, "How we deploy", a.Title)
	require.Equal(t, a, b.get(a.ID))
	require.Equal(t, 1, a.Version)
	require.Equal(t, []string{"ops"}, a.Tags)
	require.Equal(t, b.agent.Stamp(), a.CreatedBy)
	require.Regexp(t, `^how-we-deploy-[0-9a-f]{6}$`, a.Slug)
	require.Equal(t, 1, b.count("article_embeddings where article_id = $1 and section = 0 and content_hash = $2", a.ID, a.ContentHash))
	require.Equal(t, 1, b.count("keyword_docs where article_id = $1", a.ID))
	require.Equal(t, [3]int{0, 1, 1}, b.traces(a.ID))
	require.Zero(t, b.count("embedding_pending"))
}

// A fault after the act leaves neither the act nor its record.
func TestFaultAfterTheActLeavesNothing(t *testing.T) {
	b := newBench(t)
	fault := wiki.Errorf(wiki.CodeUnavailable, "injected")
	err := b.db.Tenant(t.Context(), b.agent.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		a := wiki.Article{Title: "T", Body: "B", Category: "idea", Status: wiki.StatusDraft}
		if _, err := b.record.Create(ctx, tx, b.agent, a, record.Embedded{}, record.CreateOptions{}); err != nil {
			return err
		}
		return fault
	})
	require.ErrorIs(t, err, fault)
	for _, table := range []string{"articles", "article_embeddings", "embedding_pending", "keyword_docs", "audit_log", "events"} {
		require.Zero(t, b.count(table), table)
	}
}

func TestCreateRefusesWhatStands(t *testing.T) {
	b := newBench(t)
	first := b.add(b.agent, "Standing", "Body.", func(a *wiki.Article) { a.IdempotencyKey, a.Slug = "key", "standing-slug" })
	for code, again := range map[wiki.Code]wiki.Article{
		wiki.CodeTitleConflict: {Title: "Standing", Body: "Other."},
		wiki.CodeKeyReused:     {Title: "Another", Body: "Other.", IdempotencyKey: "key"},
		wiki.CodeInvalid:       {Title: "Another", Body: "Other.", Slug: "standing-slug"},
		wiki.CodeReservedTag:   {Title: "Another", Body: "Other.", Tags: []string{"idem-x"}},
	} {
		again.Category, again.Status = "idea", wiki.StatusDraft
		err := b.db.Tenant(t.Context(), b.other.Tenant, func(ctx context.Context, tx postgres.Tx) error {
			_, err := b.record.Create(ctx, tx, b.other, again, record.Embedded{}, record.CreateOptions{})
			requireCode(t, err, code)
			if code == wiki.CodeTitleConflict {
				require.ErrorAs(t, err, new(*wiki.Error))
				var e *wiki.Error
				require.ErrorAs(t, err, &e)
				require.Equal(t, first.ID, e.Details["existing_article_id"])
			}
			_, err = articles.Get(ctx, tx, b.other, first.ID)
			return err // the transaction is still usable
		})
		require.NoError(t, err)
	}
	require.Equal(t, 1, b.count("articles"))
}

func TestUpdateKeepsTheEarlierVersionAndItsReason(t *testing.T) {
	b := newBench(t)
	a := b.add(b.agent, "Port", "It listens on port 8080.", nil)
	got, err := b.record.Update(t.Context(), b.other, a.ID, 1, record.Patch{
		Title: ptr("The port"), Body: ptr("It listens on port 9090."), Category: ptr(wiki.Category("decision")), Tags: ptr([]string{"net"}),
		Metadata: json.RawMessage(`{"n": 1}`), Slug: ptr("the-port"), Reason: " moved ",
	}, "")
	require.NoError(t, err)
	require.Equal(t, got, b.get(a.ID))
	require.Equal(t, 2, got.Version)
	require.Equal(t, a.ID, got.ID)
	require.True(t, got.ContentChangedAt.After(a.ContentChangedAt))
	require.Equal(t, a.CreatedBy, got.CreatedBy)
	history, err := b.reader.Versions(t.Context(), b.agent, a.ID)
	require.NoError(t, err)
	require.Equal(t, "Port", history[1].Title)
	require.Equal(t, "moved", history[1].Reason)
	require.Equal(t, "bo", history[1].ChangedBy.Principal)
	require.Equal(t, [3]int{1, 2, 2}, b.traces(a.ID))
	require.Equal(t, 1, b.count("article_embeddings where article_id = $1 and content_hash = $2", a.ID, got.ContentHash))
}

// Of two writers that read one version, the second is told and changes nothing.
func TestStaleIfMatchChangesNothing(t *testing.T) {
	b := newBench(t)
	a := b.add(b.agent, "Raced", "Body.", nil)
	_, err := b.record.Update(t.Context(), b.agent, a.ID, 1, record.Patch{Metadata: json.RawMessage(`{"by": "ann"}`)}, "")
	require.NoError(t, err)
	before, traces := b.get(a.ID), b.traces(a.ID)
	_, err = b.record.Update(t.Context(), b.other, a.ID, 1, record.Patch{Body: ptr("Mine.")}, "")
	requireCode(t, err, wiki.CodeVersionMismatch)
	require.Equal(t, before, b.get(a.ID))
	require.Equal(t, traces, b.traces(a.ID))
}

func TestUpdateThatChangesNothingLeavesNoTrace(t *testing.T) {
	b := newBench(t)
	a := b.add(b.agent, "Same", "Body.", func(a *wiki.Article) { a.Metadata = map[string]any{"kept": true} })
	got, err := b.record.Update(t.Context(), b.agent, a.ID, 0, record.Patch{
		Title: ptr("Same "), Body: ptr("Body."), Status: ptr(wiki.StatusPublished), Metadata: json.RawMessage("null"),
	}, "")
	require.NoError(t, err)
	require.Equal(t, a, got)
	require.Equal(t, [3]int{0, 1, 1}, b.traces(a.ID))
}

func TestUpdateRefusesBadFieldsByName(t *testing.T) {
	b := newBench(t)
	a := b.add(b.agent, "Good", "Body.", nil)
	b.add(b.agent, "Taken", "Other body.", func(a *wiki.Article) { a.Slug = "taken-slug" })
	project := uuid.New()
	for name, c := range map[string]struct {
		patch record.Patch
		code  wiki.Code
		field string
	}{
		"title":       {record.Patch{Title: ptr("")}, wiki.CodeInvalid, "title"},
		"taken title": {record.Patch{Title: ptr("Taken")}, wiki.CodeTitleConflict, "title"},
		"body":        {record.Patch{Body: ptr("\x00")}, wiki.CodeInvalid, "body"},
		"category":    {record.Patch{Category: ptr(wiki.Category("x"))}, wiki.CodeInvalid, "category"},
		"status":      {record.Patch{Status: ptr(wiki.Status("x"))}, wiki.CodeInvalid, "status"},
		"superseded":  {record.Patch{Status: ptr(wiki.StatusSuperseded)}, wiki.CodeTransition, "status"},
		"slug":        {record.Patch{Slug: ptr("")}, wiki.CodeInvalid, "slug"},
		"taken slug":  {record.Patch{Slug: ptr("taken-slug")}, wiki.CodeInvalid, "slug"},
		"tags":        {record.Patch{Tags: ptr([]string{"idem-1"})}, wiki.CodeReservedTag, "tags"},
		"metadata":    {record.Patch{Metadata: json.RawMessage(`[]`)}, wiki.CodeInvalid, "metadata"},
		"project":     {record.Patch{Project: &project}, wiki.CodeInvalid, "project_id"},
		"reason":      {record.Patch{Reason: "\xff"}, wiki.CodeInvalid, "reason"},
	} {
		_, err := b.record.Update(t.Context(), b.user, a.ID, 0, c.patch, "")
		requireCode(t, err, c.code)
		var e *wiki.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, c.field, e.Field, name)
	}
	require.Equal(t, a, b.get(a.ID))
}

func TestOrdinaryEditsEndACuration(t *testing.T) {
	b := newBench(t)
	a := b.add(b.agent, "Curated", "Body.", nil)
	curate := func() {
		b.exec("update articles set curated_at = now(), curated_by = 'cleo', previous_title = 'Untitled' where id = $1", a.ID)
	}
	curate()
	got, err := b.record.Update(t.Context(), b.agent, a.ID, 0, record.Patch{Tags: ptr([]string{"x"})}, "")
	require.NoError(t, err)
	require.NotNil(t, got.CuratedAt)
	require.Equal(t, a.ContentChangedAt, got.ContentChangedAt)
	got, err = b.record.Update(t.Context(), b.agent, a.ID, 0, record.Patch{Body: ptr("New body.")}, "")
	require.NoError(t, err)
	require.Nil(t, got.CuratedAt)
	require.Equal(t, "Untitled", got.PreviousTitle, "a body edit is no title edit")
	curate()
	got, err = b.record.Update(t.Context(), b.agent, a.ID, 0, record.Patch{Title: ptr("Curated by hand")}, "")
	require.NoError(t, err)
	require.Empty(t, got.CuratedBy)
	require.Empty(t, got.PreviousTitle)
	require.Equal(t, got, b.get(a.ID))
}

// A provider that is down never loses a write, and an old vector never finds an article by what it no longer says.
func TestUpdateWithoutAProviderIsSavedAndWaits(t *testing.T) {
	b := newBench(t)
	a := b.add(b.agent, "Waiting", "Body.", nil)
	faulty := b.record
	faulty.Embedder = down{b.record.Embedder}
	got, err := faulty.Update(t.Context(), b.agent, a.ID, 0, record.Patch{Body: ptr("New body.")}, "")
	require.NoError(t, err)
	require.Equal(t, "New body.", got.Body)
	require.Equal(t, 1, b.count("embedding_pending where article_id = $1", a.ID))
	require.Zero(t, b.count("article_embeddings where article_id = $1", a.ID))
	_, err = b.record.Update(t.Context(), b.agent, a.ID, 0, record.Patch{Body: ptr("Newest body.")}, "")
	require.NoError(t, err)
	require.Zero(t, b.count("embedding_pending"))
	require.Equal(t, 1, b.count("article_embeddings where article_id = $1", a.ID))
	_, err = b.record.Update(t.Context(), b.agent, a.ID, 0, record.Patch{Title: ptr("\u200b"), Body: ptr("\u200b")}, "")
	require.NoError(t, err)
	require.Zero(t, b.count("embedding_pending"), "a text without words waits for nothing")
	require.Zero(t, b.count("article_embeddings where article_id = $1", a.ID))
}

func TestMakingPrivate(t *testing.T) {
	b := newBench(t)
	hide := record.Patch{Metadata: json.RawMessage(`{"visibility": "private"}`)}
	a := b.add(b.agent, "Shared", "Body.", nil)
	_, err := b.record.Update(t.Context(), b.other, a.ID, 0, hide, "")
	requireCode(t, err, wiki.CodeForbidden)
	_, err = b.record.Update(t.Context(), b.agent, a.ID, 0, hide, "")
	require.NoError(t, err)
	_, err = b.reader.Get(t.Context(), b.other, a.ID)
	requireCode(t, err, wiki.CodeNotFound)
	_, err = b.record.Update(t.Context(), b.agent, a.ID, 0, record.Patch{Metadata: json.RawMessage(`{"visibility": "private", "agent_id": "bo"}`)}, "")
	requireCode(t, err, wiki.CodeInvalid)
	require.Equal(t, 1, b.count("events where subject = $1 and payload->>'private' = 'true'", a.ID))
}

// A change of the same key is done once, and answered with what stands.
func TestRepeatedActIsDoneOnce(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	a := b.add(b.agent, "Repeated", "Body.", nil)
	other := b.add(b.agent, "Other", "Another body.", nil)
	for name, act := range map[string]func(id uuid.UUID, key string) (wiki.Article, error){
		"update": func(id uuid.UUID, key string) (wiki.Article, error) {
			current := b.get(id)
			return b.record.Update(ctx, b.user, id, 0, record.Patch{Body: ptr(current.Body + " More.")}, key)
		},
		"suppress": func(id uuid.UUID, key string) (wiki.Article, error) {
			return b.record.Suppress(ctx, b.user, id, "wrong", key)
		},
		"unpublish": func(id uuid.UUID, key string) (wiki.Article, error) {
			return b.record.Unpublish(ctx, b.user, id, "", key)
		},
		"archive": func(id uuid.UUID, key string) (wiki.Article, error) {
			return b.record.Archive(ctx, b.user, id, "", key)
		},
		"restore": func(id uuid.UUID, key string) (wiki.Article, error) {
			return b.record.Restore(ctx, b.user, id, 1, "", key)
		},
	} {
		a := b.add(b.agent, "Repeated "+name, "Body of "+name, nil)
		if name == "restore" {
			var err error
			a, err = b.record.Update(ctx, b.user, a.ID, 0, record.Patch{Body: ptr("Edited.")}, "")
			require.NoError(t, err)
		}
		first, err := act(a.ID, name)
		require.NoError(t, err, name)
		traces := b.traces(a.ID)
		again, err := act(a.ID, name)
		require.NoError(t, err, name)
		require.Equal(t, first, again, name)
		require.Equal(t, traces, b.traces(a.ID), name)
		_, err = act(other.ID, name)
		requireCode(t, err, wiki.CodeKeyReused)
	}
	_, err := b.record.Suppress(ctx, b.user, a.ID, "wrong", "update")
	requireCode(t, err, wiki.CodeKeyReused)
	// A stale version does not stand in the way of a repeat: the first answer may have been lost.
	first, err := b.record.Update(ctx, b.agent, a.ID, 1, record.Patch{Body: ptr("Changed.")}, "stale")
	require.NoError(t, err)
	again, err := b.record.Update(ctx, b.agent, a.ID, 1, record.Patch{Body: ptr("Changed.")}, "stale")
	require.NoError(t, err)
	require.Equal(t, first, again)
}
