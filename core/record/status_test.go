package record_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
)

type verb struct {
	name  string
	act   func(b bench, who wiki.Actor, id uuid.UUID) (wiki.Article, error)
	from  wiki.Status
	to    wiki.Status
	least wiki.Role
}

var verbs = []verb{
	{"publish", func(b bench, who wiki.Actor, id uuid.UUID) (wiki.Article, error) {
		return b.record.Publish(b.t.Context(), who, id, "")
	}, wiki.StatusDraft, wiki.StatusPublished, wiki.RoleOrchestrator},
	{"unpublish", func(b bench, who wiki.Actor, id uuid.UUID) (wiki.Article, error) {
		return b.record.Unpublish(b.t.Context(), who, id, "why", "")
	}, wiki.StatusPublished, wiki.StatusDraft, wiki.RoleUser},
	{"archive", func(b bench, who wiki.Actor, id uuid.UUID) (wiki.Article, error) {
		return b.record.Archive(b.t.Context(), who, id, "why", "")
	}, wiki.StatusPublished, wiki.StatusArchived, wiki.RoleAgent},
	{"delete", func(b bench, who wiki.Actor, id uuid.UUID) (wiki.Article, error) {
		return b.record.Delete(b.t.Context(), who, id, "why", "")
	}, wiki.StatusPublished, wiki.StatusArchived, wiki.RoleAgent},
	{"patch to archived", patchTo(wiki.StatusArchived), wiki.StatusDraft, wiki.StatusArchived, wiki.RoleAgent},
	{"patch to published", patchTo(wiki.StatusPublished), wiki.StatusDraft, wiki.StatusPublished, wiki.RoleOrchestrator},
	{"patch to draft", patchTo(wiki.StatusDraft), wiki.StatusPublished, wiki.StatusDraft, wiki.RoleUser},
	{"patch out of archived", patchTo(wiki.StatusPublished), wiki.StatusArchived, wiki.StatusPublished, wiki.RoleUser},
}

func patchTo(s wiki.Status) func(b bench, who wiki.Actor, id uuid.UUID) (wiki.Article, error) {
	return func(b bench, who wiki.Actor, id uuid.UUID) (wiki.Article, error) {
		return b.record.Update(b.t.Context(), who, id, 0, record.Patch{Status: &s}, "")
	}
}

// Each verb, by each role, on a shared article (SPEC §1's table).
func TestVerbsByRole(t *testing.T) {
	b := newBench(t)
	for _, v := range verbs {
		for _, who := range []wiki.Actor{b.agent, b.orch, b.user} {
			name := v.name + " as " + who.Role.String()
			a := b.add(b.agent, name, "Body of "+name, func(a *wiki.Article) { a.Status = v.from })
			got, err := v.act(b, who, a.ID)
			if who.Role < v.least {
				requireCode(t, err, wiki.CodeForbidden)
				require.Equal(t, a, b.get(a.ID), name)
				continue
			}
			require.NoError(t, err, name)
			require.Equal(t, v.to, got.Status, name)
			require.Equal(t, got, b.get(a.ID), name)
			require.Equal(t, [3]int{1, 2, 2}, b.traces(a.ID), name)
			require.Equal(t, v.to == wiki.StatusDraft, got.StagedDraftAt != nil, name)
		}
	}
}

// No verb leaves archived, whoever asks; nothing is destroyed by archiving.
func TestArchivedIsTerminal(t *testing.T) {
	b := newBench(t)
	a := b.add(b.agent, "Gone", "The text stays.", nil)
	_, err := b.record.Archive(t.Context(), b.agent, a.ID, "", "")
	require.NoError(t, err)
	for _, v := range verbs[:4] {
		_, err := v.act(b, b.user, a.ID)
		requireCode(t, err, wiki.CodeTransition)
	}
	require.Equal(t, "The text stays.", b.get(a.ID).Body)
	// Its title is free, so it cannot come back over the article that took it.
	taken := b.add(b.agent, "Gone", "Another.", nil)
	_, err = patchTo(wiki.StatusPublished)(b, b.user, a.ID)
	requireCode(t, err, wiki.CodeTitleConflict)
	_, err = b.record.Archive(t.Context(), b.agent, taken.ID, "", "")
	require.NoError(t, err)
	_, err = patchTo(wiki.StatusPublished)(b, b.user, a.ID)
	require.NoError(t, err)
}

func TestSuppressAndUnsuppress(t *testing.T) {
	b := newBench(t)
	a := b.add(b.agent, "Doubtful", "Body.", nil)
	_, err := b.record.Suppress(t.Context(), b.other, a.ID, " ", "")
	requireCode(t, err, wiki.CodeInvalid)
	got, err := b.record.Suppress(t.Context(), b.other, a.ID, "contradicts the runbook", "")
	require.NoError(t, err)
	require.Equal(t, "bo", got.SuppressedBy)
	require.Equal(t, "contradicts the runbook", got.SuppressionReason)
	require.Equal(t, a.Status, got.Status)
	require.Equal(t, a.Version, got.Version, "it is silent about the text and the status")
	require.Equal(t, got, b.get(a.ID), "still readable by id")
	require.Equal(t, 1, b.count("article_embeddings where article_id = $1", a.ID))
	_, err = b.record.Suppress(t.Context(), b.agent, a.ID, "again", "")
	requireCode(t, err, wiki.CodeTransition)
	got, err = b.record.Unsuppress(t.Context(), b.agent, a.ID, "checked", "")
	require.NoError(t, err)
	require.False(t, got.Suppressed())
	require.Empty(t, got.SuppressedBy+got.SuppressionReason)
	_, err = b.record.Unsuppress(t.Context(), b.agent, a.ID, "", "")
	requireCode(t, err, wiki.CodeTransition)
	require.Equal(t, 1, b.count("audit_log where subject = $1 and act = 'article.unsuppress' and detail->>'was' = 'contradicts the runbook'", a.ID))
}

// Every act on an article that the actor cannot see answers as if there were none.
func TestActsOnUnseenArticlesAreNotFound(t *testing.T) {
	b := newBench(t)
	hidden := b.add(b.agent, "Private", "Body.", func(a *wiki.Article) { a.Metadata = map[string]any{"visibility": "private"} })
	ctx := t.Context()
	for name, act := range map[string]func(id uuid.UUID) error{
		"update": func(id uuid.UUID) error {
			_, err := b.record.Update(ctx, b.other, id, 9, record.Patch{Body: ptr("x")}, "")
			return err
		},
		"archive":    func(id uuid.UUID) error { _, err := b.record.Archive(ctx, b.other, id, "", ""); return err },
		"delete":     func(id uuid.UUID) error { _, err := b.record.Delete(ctx, b.other, id, "", ""); return err },
		"publish":    func(id uuid.UUID) error { _, err := b.record.Publish(ctx, b.orch, id, ""); return err },
		"unpublish":  func(id uuid.UUID) error { _, err := b.record.Unpublish(ctx, b.other, id, "", ""); return err },
		"suppress":   func(id uuid.UUID) error { _, err := b.record.Suppress(ctx, b.other, id, "x", ""); return err },
		"unsuppress": func(id uuid.UUID) error { _, err := b.record.Unsuppress(ctx, b.other, id, "", ""); return err },
		"restore":    func(id uuid.UUID) error { _, err := b.record.Restore(ctx, b.other, id, 1, "", ""); return err },
		"link": func(id uuid.UUID) error {
			_, _, err := b.record.Link(ctx, b.other, record.NewLink{Source: id, Target: uuid.Nil, Relation: wiki.RelRelatesTo}, "")
			return err
		},
	} {
		unseen, none := act(hidden.ID), act(uuid.New())
		require.Error(t, unseen, name)
		require.Equal(t, none, unseen, name)
	}
	require.Equal(t, hidden, b.get(hidden.ID))
}

func TestRestoreAddsToTheHistory(t *testing.T) {
	b := newBench(t)
	a := b.add(b.agent, "Restored", "First text.", func(a *wiki.Article) { a.Tags = []string{"one"} })
	_, err := b.record.Update(t.Context(), b.agent, a.ID, 0, record.Patch{Title: ptr("Retitled"), Body: ptr("Second text."), Tags: ptr([]string{})}, "")
	require.NoError(t, err)
	_, err = b.record.Unpublish(t.Context(), b.user, a.ID, "", "")
	require.NoError(t, err)
	got, err := b.record.Restore(t.Context(), b.agent, a.ID, 1, "", "")
	require.NoError(t, err)
	require.Equal(t, 4, got.Version)
	require.Equal(t, []any{"Restored", "First text.", []string{"one"}}, []any{got.Title, got.Body, got.Tags})
	require.Equal(t, wiki.StatusDraft, got.Status, "the status has its own verbs")
	history, err := b.reader.Versions(t.Context(), b.agent, a.ID)
	require.NoError(t, err)
	require.Len(t, history, 4)
	require.Equal(t, "restored version 1", history[1].Reason)
	require.Equal(t, 1, b.count("article_embeddings where article_id = $1 and content_hash = $2", a.ID, a.ContentHash))
	_, err = b.record.Restore(t.Context(), b.agent, a.ID, 9, "", "")
	requireCode(t, err, wiki.CodeNotFound)
}

func TestSetStatusForVerdicts(t *testing.T) {
	b := newBench(t)
	a := b.add(b.agent, "Judged", "Body.", nil)
	set := func(to wiki.Status) (got wiki.Article, err error) {
		err = b.db.Tenant(t.Context(), b.user.Tenant, func(ctx context.Context, tx postgres.Tx) error {
			got, err = b.record.SetStatus(ctx, tx, b.user, a.ID, to, "a verdict")
			return err
		})
		return got, err
	}
	for _, to := range []wiki.Status{wiki.StatusSuperseded, wiki.StatusPublished, wiki.StatusSuperseded, wiki.StatusDraft, wiki.StatusPublished, wiki.StatusDraft} {
		got, err := set(to)
		require.NoError(t, err)
		require.Equal(t, to, got.Status)
	}
	_, err := set(wiki.StatusArchived)
	requireCode(t, err, wiki.CodeTransition)
	_, err = b.record.Archive(t.Context(), b.agent, a.ID, "", "")
	require.NoError(t, err)
	for _, to := range []wiki.Status{wiki.StatusSuperseded, wiki.StatusPublished, wiki.StatusDraft} {
		_, err := set(to)
		requireCode(t, err, wiki.CodeTransition)
	}
}

func TestLinks(t *testing.T) {
	b := newBench(t)
	one, two := b.add(b.agent, "One", "First.", nil), b.add(b.agent, "Two", "Second.", nil)
	link := record.NewLink{Source: one.ID, Target: two.ID, Relation: wiki.RelRelatesTo}
	edge, created, err := b.record.Link(t.Context(), b.other, link, "k")
	require.NoError(t, err)
	require.True(t, created)
	require.Equal(t, articles.Ref{ID: two.ID, Title: "Two"}, edge.To)
	for _, key := range []string{"k", ""} {
		again, created, err := b.record.Link(t.Context(), b.other, link, key)
		require.NoError(t, err)
		require.False(t, created)
		require.Equal(t, edge, again)
	}
	for name, bad := range map[string]record.NewLink{
		"to itself":   {Source: one.ID, Target: one.ID, Relation: wiki.RelRelatesTo},
		"a flag":      {Source: one.ID, Target: two.ID, Relation: wiki.RelPotentialConflict},
		"no relation": {Source: one.ID, Target: two.ID},
		"nowhere":     {Source: one.ID, Target: uuid.New(), Relation: wiki.RelRelatesTo},
		"metadata":    {Source: one.ID, Target: two.ID, Relation: wiki.RelContradicts, Metadata: []byte(`"x"`)},
	} {
		_, _, err := b.record.Link(t.Context(), b.other, bad, "")
		require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err), name)
	}
	requireCode(t, b.record.Unlink(t.Context(), b.orch, edge.ID, ""), wiki.CodeForbidden)
	require.NoError(t, b.record.Unlink(t.Context(), b.user, edge.ID, "gone"))
	require.NoError(t, b.record.Unlink(t.Context(), b.user, edge.ID, "gone"))
	requireCode(t, b.record.Unlink(t.Context(), b.user, edge.ID, ""), wiki.CodeNotFound)
}

// Superseded is entered only by a supersede (facts §1.4).
func TestSupersedesLinkRetiresItsTarget(t *testing.T) {
	b := newBench(t)
	old, young := b.add(b.agent, "Old", "First.", nil), b.add(b.agent, "New", "Second.", nil)
	link := record.NewLink{Source: young.ID, Target: old.ID, Relation: wiki.RelSupersedes}
	_, _, err := b.record.Link(t.Context(), b.user, link, "")
	require.NoError(t, err)
	got := b.get(old.ID)
	require.Equal(t, wiki.StatusSuperseded, got.Status)
	require.Equal(t, 2, got.Version)
	_, err = b.record.Archive(t.Context(), b.agent, young.ID, "", "")
	require.NoError(t, err)
	_, _, err = b.record.Link(t.Context(), b.user, record.NewLink{Source: old.ID, Target: young.ID, Relation: wiki.RelSupersedes}, "")
	requireCode(t, err, wiki.CodeTransition)
	require.Equal(t, 1, b.count("article_links"), "a link that cannot supersede is not made")
}

// A link is no way round the cap on an agent's verdict (seed, invariant 4): it is kept, and retires nothing.
func TestSupersedesLinkOfAnAgentRetiresNothing(t *testing.T) {
	b := newBench(t)
	old, young := b.add(b.agent, "Old", "First.", nil), b.add(b.agent, "New", "Second.", nil)
	link := record.NewLink{Source: young.ID, Target: old.ID, Relation: wiki.RelSupersedes, Metadata: []byte(`{"retires": true, "verdict": "x"}`)}
	for _, who := range []wiki.Actor{b.agent, b.orch} {
		edge, _, err := b.record.Link(t.Context(), who, link, "")
		require.NoError(t, err)
		require.False(t, edge.Retires)
		require.Equal(t, wiki.StatusPublished, b.get(old.ID).Status)
		require.Equal(t, 1, b.get(old.ID).Version)
	}
	edge, created, err := b.record.Link(t.Context(), b.user, link, "")
	require.NoError(t, err)
	require.False(t, created, "the opinion gets effect")
	require.True(t, edge.Retires)
	require.Equal(t, wiki.StatusSuperseded, b.get(old.ID).Status)
	again, _, err := b.record.Link(t.Context(), b.agent, link, "")
	require.NoError(t, err)
	require.Equal(t, edge, again)
}

func TestAdoptAndDismissDrift(t *testing.T) {
	b := newBench(t)
	a := b.add(b.agent, "Drifting", "Old text.", nil)
	drift := func(title string, body *string) (id uuid.UUID) {
		require.NoError(t, b.db.Tenant(t.Context(), b.agent.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
			id, _, err = articles.PutDrift(ctx, tx, b.agent.Tenant, articles.Drift{
				ID: tx.NewID(), Article: articles.Ref{ID: a.ID}, ArticleVersion: 1, Title: title, Body: body, ContentDrift: true, SubmittedBy: b.agent.Stamp(),
			})
			return err
		}))
		return id
	}
	adopted := drift("Drifting", ptr("New text."))
	got, err := b.record.AdoptDrift(t.Context(), b.other, adopted, "once")
	require.NoError(t, err)
	require.Equal(t, "New text.", got.Body)
	require.Equal(t, 2, got.Version)
	again, err := b.record.AdoptDrift(t.Context(), b.other, adopted, "once")
	require.NoError(t, err)
	require.Equal(t, got, again)
	_, err = b.record.AdoptDrift(t.Context(), b.other, adopted, "")
	requireCode(t, err, wiki.CodeTransition)

	dismissed := drift("Drifting", nil)
	_, err = b.record.AdoptDrift(t.Context(), b.user, dismissed, "")
	requireCode(t, err, wiki.CodeInvalid)
	got, err = b.record.DismissDrift(t.Context(), b.user, dismissed, "twice")
	require.NoError(t, err)
	require.Equal(t, 2, got.Version)
	_, err = b.record.DismissDrift(t.Context(), b.user, dismissed, "twice")
	require.NoError(t, err)
	_, err = b.record.DismissDrift(t.Context(), b.user, dismissed, "")
	requireCode(t, err, wiki.CodeTransition)
	_, err = b.record.DismissDrift(t.Context(), b.user, uuid.New(), "")
	requireCode(t, err, wiki.CodeNotFound)
	require.Zero(t, b.count("drift_events where state = 'open'"))
}
