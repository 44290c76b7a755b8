package nightly_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/articles"
	"wiki/core/nightly"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
)

// hub gives the hub of a tag.
func (w *world) hub(t testing.TB, tag string) (found []wiki.Article) {
	t.Helper()
	require.NoError(t, w.DB.TenantRead(t.Context(), w.user.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		a, err := articles.ByIdempotencyKey(ctx, tx, w.user, wiki.HubKeyPrefix+tag, "")
		if wiki.ErrorCode(err) == wiki.CodeNotFound {
			return nil
		}
		found = append(found, a)
		return err
	}))
	return found
}

func TestHubsAreWrittenOnceAWeekAndFollowTheirTag(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var members []wiki.Article
	for i := range wiki.HubLeast {
		a := wiki.Article{Title: fmt.Sprintf("Page %02d", i), Body: fmt.Sprintf("Text %d.", i), Tags: []string{"go", "url-0123456789ab"}}
		members = append(members, w.write(t, a, false))
	}
	private := w.write(t, wiki.Article{Title: "Secret", Body: "Mine.", Tags: []string{"go"}, Metadata: map[string]any{"visibility": "private", "agent_id": "x"}}, false)
	w.write(t, wiki.Article{Title: "Rare", Body: "Rare.", Tags: []string{"rare"}}, false)
	s := w.service(t, nightly.Hubs(w.Record))

	require.Equal(t, 1, w.run(t, s, nightly.Options{DryRun: true}).Steps[0].Applied)
	require.Empty(t, w.hub(t, "go"))
	r := w.run(t, s, nightly.Options{})
	require.Equal(t, wiki.Tally{Offered: 1, Applied: 1, Gate: wiki.GateOpen}, r.Steps[0].Tally)
	made := w.hub(t, "go")
	require.Len(t, made, 1)
	require.Equal(t, wiki.StatusPublished, made[0].Status)
	require.Contains(t, made[0].Body, "[[Page 00]]")
	require.NotContains(t, made[0].Body, private.Title, "what only some may read is on no index")
	require.Len(t, w.links(t, made[0].ID), wiki.HubLeast)
	require.Empty(t, w.hub(t, "url-0123456789ab"))
	require.Empty(t, w.hub(t, "rare"))

	w.clock.pass(day)
	require.Equal(t, wiki.Tally{Gate: wiki.GateNotDue}, w.run(t, s, nightly.Options{}).Steps[0].Tally)
	tags := []string{}
	_, err := w.Record.Update(t.Context(), w.user, members[0].ID, 0, record.Patch{Tags: &tags}, "")
	require.NoError(t, err)
	w.write(t, wiki.Article{Title: "Page 99", Body: "New.", Tags: []string{"go"}}, false)
	w.clock.pass(7 * day)
	require.Equal(t, 1, w.run(t, s, nightly.Options{}).Steps[0].Applied)
	now := w.hub(t, "go")[0]
	require.Equal(t, made[0].ID, now.ID)
	require.NotContains(t, now.Body, "[[Page 00]]")
	require.Contains(t, now.Body, "[[Page 99]]")
	require.Len(t, w.links(t, now.ID), wiki.HubLeast, "one came, one went")
	w.clock.pass(7 * day)
	require.Equal(t, wiki.Tally{Gate: wiki.GateOpen}, w.run(t, s, nightly.Options{}).Steps[0].Tally, "nothing has changed")
}

// A hub that a person vouched for or took away is that person's.
func TestHubsLeaveWhatAPersonDecided(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tag := range []string{"one", "two"} {
		for i := range wiki.HubLeast {
			w.write(t, wiki.Article{Title: fmt.Sprint(tag, " ", i), Body: fmt.Sprint(tag, " text ", i), Tags: []string{tag}}, false)
		}
	}
	s := w.service(t, nightly.Hubs(w.Record))
	require.Equal(t, 2, w.run(t, s, nightly.Options{}).Steps[0].Applied)
	_, err := w.Record.Curate(t.Context(), w.user, w.hub(t, "one")[0].ID, "", "")
	require.NoError(t, err)
	_, err = w.Record.Archive(t.Context(), w.user, w.hub(t, "two")[0].ID, "not wanted", "")
	require.NoError(t, err)
	for _, tag := range []string{"one", "two"} {
		w.write(t, wiki.Article{Title: tag + " more", Body: tag + " more text", Tags: []string{tag}}, false)
	}
	w.clock.pass(8 * day)
	require.Equal(t, wiki.Tally{Offered: 2, Withheld: 2, Gate: wiki.GateOpen}, w.run(t, s, nightly.Options{}).Steps[0].Tally)
	require.Equal(t, wiki.StatusArchived, w.hub(t, "two")[0].Status)
}
