package record_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
)

// walk is a random walk over the acts on a few articles, with every text that was ever accepted.
type walk struct {
	bench
	random   *rand.Rand
	articles []uuid.UUID
	accepted map[uuid.UUID][]string
	drafts   int
}

// steps are acts of the write door. One that the article's state forbids is refused, which is an outcome like another.
var steps = []func(*walk, uuid.UUID) error{
	func(w *walk, id uuid.UUID) error {
		w.drafts++
		body := fmt.Sprintf("Text %d of the walk.\n\nIt has lines.", w.drafts)
		_, err := w.record.Update(w.t.Context(), w.agent, id, 0, record.Patch{Body: &body, Title: ptr(fmt.Sprint("Title ", w.drafts))}, "")
		if err == nil {
			w.accepted[id] = append(w.accepted[id], body)
		}
		return err
	},
	func(w *walk, id uuid.UUID) error {
		_, err := w.record.Restore(w.t.Context(), w.agent, id, 1+w.random.IntN(w.get(id).Version), "", "")
		return err
	},
	func(w *walk, id uuid.UUID) error {
		_, err := w.record.Suppress(w.t.Context(), w.agent, id, "wrong", "")
		return err
	},
	func(w *walk, id uuid.UUID) error {
		_, err := w.record.Unsuppress(w.t.Context(), w.agent, id, "", "")
		return err
	},
	func(w *walk, id uuid.UUID) error {
		_, err := w.record.Unpublish(w.t.Context(), w.user, id, "", "")
		return err
	},
	func(w *walk, id uuid.UUID) error {
		_, err := w.record.Publish(w.t.Context(), w.orch, id, "")
		return err
	},
	func(w *walk, id uuid.UUID) error {
		_, err := w.record.Delete(w.t.Context(), w.agent, id, "", "")
		return err
	},
	func(w *walk, id uuid.UUID) error {
		_, err := w.record.Update(w.t.Context(), w.user, id, 0, record.Patch{Status: ptr(wiki.StatusPublished)}, "")
		return err
	},
	func(w *walk, id uuid.UUID) error {
		other := w.articles[w.random.IntN(len(w.articles))]
		_, _, err := w.record.Link(w.t.Context(), w.user, record.NewLink{Source: other, Target: id, Relation: wiki.RelSupersedes}, "")
		return err
	},
	func(w *walk, id uuid.UUID) error {
		w.drafts++
		body := fmt.Sprintf("Submission %d.", w.drafts)
		drift := w.drift(id, body)
		_, err := w.record.AdoptDrift(w.t.Context(), w.user, drift, "")
		if err == nil {
			w.accepted[id] = append(w.accepted[id], body)
		}
		return err
	},
}

func (b bench) drift(id uuid.UUID, body string) (event uuid.UUID) {
	b.t.Helper()
	require.NoError(b.t, b.db.Tenant(b.t.Context(), b.user.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		d := articles.Drift{ID: tx.NewID(), Article: articles.Ref{ID: id}, ArticleVersion: 1, Title: "T", Body: &body, ContentDrift: true, SubmittedBy: b.agent.Stamp()}
		event, _, err = articles.PutDrift(ctx, tx, b.user.Tenant, d)
		return err
	}))
	return event
}

// Nothing that a curator or an agent does destroys text: whatever was ever accepted can be read in some version (SPEC §2).
func TestEveryTextEverAcceptedCanBeRead(t *testing.T) {
	w := &walk{bench: newBench(t), random: rand.New(rand.NewPCG(3, 5)), accepted: map[uuid.UUID][]string{}} //nolint:gosec // a walk that can be repeated
	w.record.Embedder = down{w.record.Embedder}
	for i := range 3 {
		body := fmt.Sprintf("The first text of %d.", i)
		w.articles = append(w.articles, w.plain(fmt.Sprint("Start ", i), body))
		w.accepted[w.articles[i]] = []string{body}
	}
	done := 0
	for range 120 {
		id := w.articles[w.random.IntN(len(w.articles))]
		if err := steps[w.random.IntN(len(steps))](w, id); err == nil {
			done++
		} else {
			require.NotEqual(t, wiki.CodeInternal, wiki.ErrorCode(err), "%v", err)
		}
	}
	require.Greater(t, done, 40)
	for id, texts := range w.accepted {
		require.Greater(t, len(texts), 3)
		w.requireReadable(id, texts)
	}
}

// plain stores an article that waits for its vector.
func (b bench) plain(title, body string) (id uuid.UUID) {
	b.t.Helper()
	require.NoError(b.t, b.db.Tenant(b.t.Context(), b.agent.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		a := wiki.Article{Title: title, Body: body, Category: "finding", Status: wiki.StatusPublished}
		a, err := b.record.Create(ctx, tx, b.agent, a, record.Embedded{}, record.CreateOptions{})
		id = a.ID
		return err
	}))
	return id
}

func (b bench) requireReadable(id uuid.UUID, texts []string) {
	b.t.Helper()
	versions, err := b.reader.Versions(b.t.Context(), b.user, id)
	require.NoError(b.t, err)
	readable := map[string]bool{}
	for i, v := range versions {
		require.Equal(b.t, len(versions)-i, v.Number, "no version is missing")
		whole, err := b.reader.Version(b.t.Context(), b.user, id, v.Number)
		require.NoError(b.t, err)
		readable[whole.Body] = true
	}
	for _, text := range texts {
		require.True(b.t, readable[text], "%q was accepted and is in no version of %s", text, id)
	}
}

// A fault that comes when the act is done, at its commit, leaves neither the act nor the record of it.
func TestFaultAfterAnyActLeavesNeither(t *testing.T) {
	b := newBench(t)
	b.record.Embedder = down{b.record.Embedder}
	live, other := b.plain("Live", "A live text."), b.plain("Other", "Another text.")
	draft, hidden := b.plain("Draft", "A draft text."), b.plain("Hidden", "A hidden text.")
	_, err := b.record.Update(t.Context(), b.agent, live, 0, record.Patch{Body: ptr("A newer text."), Tags: &[]string{"url-0123456789ab"}}, "")
	require.NoError(t, err)
	_, err = b.record.Unpublish(t.Context(), b.user, draft, "", "")
	require.NoError(t, err)
	_, err = b.record.Suppress(t.Context(), b.user, hidden, "wrong", "")
	require.NoError(t, err)
	drift := b.drift(live, "A submission.")
	b.exec(`create function fault() returns trigger language plpgsql as $$ begin raise exception 'injected'; end $$`)

	ctx := t.Context()
	within := func(fn func(context.Context, postgres.Tx) error) error { return b.db.Tenant(ctx, b.user.Tenant, fn) }
	acts := map[string]func() error{
		"update": func() error {
			return second(b.record.Update(ctx, b.agent, live, 0, record.Patch{Body: ptr("Newest.")}, "k"))
		},
		"restore":   func() error { return second(b.record.Restore(ctx, b.agent, live, 1, "", "")) },
		"publish":   func() error { return second(b.record.Publish(ctx, b.orch, draft, "")) },
		"unpublish": func() error { return second(b.record.Unpublish(ctx, b.user, live, "", "")) },
		"archive":   func() error { return second(b.record.Archive(ctx, b.agent, live, "", "")) },
		"delete":    func() error { return second(b.record.Delete(ctx, b.agent, live, "", "")) },
		"suppress":  func() error { return second(b.record.Suppress(ctx, b.agent, live, "wrong", "")) },
		"lift":      func() error { return second(b.record.Unsuppress(ctx, b.agent, hidden, "", "")) },
		"adopt":     func() error { return second(b.record.AdoptDrift(ctx, b.user, drift, "")) },
		"dismiss":   func() error { return second(b.record.DismissDrift(ctx, b.user, drift, "")) },
		"tags":      func() error { return second(b.record.ReserveTags(ctx, b.user, live, false)) },
		"supersede": func() error {
			_, _, err := b.record.Link(ctx, b.user, record.NewLink{Source: other, Target: live, Relation: wiki.RelSupersedes}, "")
			return err
		},
		"create": func() error {
			return within(func(ctx context.Context, tx postgres.Tx) error {
				return second(b.record.Create(ctx, tx, b.agent, wiki.Article{Title: "New", Body: "New.", Category: "idea", Status: wiki.StatusDraft}, record.Embedded{}, record.CreateOptions{}))
			})
		},
		"step back": func() error {
			return within(func(ctx context.Context, tx postgres.Tx) error {
				return second(b.record.StepBack(ctx, tx, b.agent, live, map[string]any{}, "near"))
			})
		},
	}
	for _, table := range []string{"audit_log", "events"} {
		b.exec(`create constraint trigger fault after insert on ` + table + ` deferrable initially deferred for each row execute function fault()`)
		before := b.state()
		for name, act := range acts {
			require.ErrorContains(t, act(), "injected", name)
			require.Equal(t, before, b.state(), "%s left something behind", name)
		}
		b.exec(`drop trigger fault on ` + table)
	}
	before := b.state()
	require.NoError(t, acts["update"](), "without the fault")
	require.NotEqual(t, before, b.state())
}

func second[T any](_ T, err error) error { return err }

// state digests all that an act may touch.
func (b bench) state() map[string]string {
	b.t.Helper()
	digests := map[string]string{}
	for _, table := range []string{
		"articles", "article_versions", "article_links", "article_embeddings", "embedding_pending", "keyword_docs", "drift_events", "audit_log", "events",
	} {
		require.NoError(b.t, b.db.System(b.t.Context(), func(ctx context.Context, tx postgres.Tx) error {
			var digest string
			err := tx.QueryRow(ctx, `select coalesce(md5(string_agg(t::text, ',' order by t::text)), '') from `+table+` t`).Scan(&digest)
			digests[table] = digest
			return err
		}))
	}
	return digests
}
