package audit_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/audit"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
)

// act does a replayable act and says whether it was the first.
func act(ctx context.Context, db *postgres.DB, actor wiki.Actor, name, key string, subject uuid.UUID) (first bool, got string, err error) {
	err = db.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		result, found, err := audit.Replay(ctx, tx, actor, key, name, subject)
		if err != nil {
			return err
		}
		if found {
			return json.Unmarshal(result, &got)
		}
		first, got = true, tx.NewID().String()
		return audit.Write(ctx, tx, actor, audit.Entry{Act: name, Subject: subject, ActKey: key, Result: got})
	})
	return first, got, err
}

func TestRepeatedActIsAnsweredWithTheFirstResult(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	user := pgtest.Tenant(t, db)
	subject := uuid.New()
	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		firsts  int
		answers = map[string]bool{}
	)
	for range 8 {
		wg.Go(func() {
			first, got, err := act(t.Context(), db, user, "article.update", "k1", subject)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			if first {
				firsts++
			}
			answers[got] = true
		})
	}
	wg.Wait()
	require.Equal(t, 1, firsts)
	require.Len(t, answers, 1)
}

func TestKeyOfAnotherActIsRefused(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	user := pgtest.Tenant(t, db)
	subject := uuid.New()
	_, _, err := act(t.Context(), db, user, "article.update", "k1", subject)
	require.NoError(t, err)
	_, _, err = act(t.Context(), db, user, "article.archive", "k1", subject)
	require.Equal(t, wiki.CodeKeyReused, wiki.ErrorCode(err))
	_, _, err = act(t.Context(), db, user, "article.update", "k1", uuid.New())
	require.Equal(t, wiki.CodeKeyReused, wiki.ErrorCode(err))
	first, _, err := act(t.Context(), db, user, "article.update", "k1", uuid.Nil)
	require.NoError(t, err)
	require.False(t, first, "an act that makes its own subject is known by its key")
	_, _, err = act(t.Context(), db, user, "article.update", strings.Repeat("k", 256), subject)
	require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err))

	other := pgtest.Actor(t, db, user.Tenant, wiki.RoleUser, "")
	first, _, err = act(t.Context(), db, other, "article.archive", "k1", subject)
	require.NoError(t, err)
	require.True(t, first, "a key is its principal's own")
}

func TestListShowsAnAgentItsOwnActsOnly(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	user := pgtest.Tenant(t, db)
	agent := pgtest.Actor(t, db, user.Tenant, wiki.RoleAgent, "scribe")
	stranger := pgtest.Tenant(t, db)
	for _, who := range []wiki.Actor{user, agent, stranger} {
		require.NoError(t, db.Tenant(t.Context(), who.Tenant, func(ctx context.Context, tx postgres.Tx) error {
			for _, name := range []string{"article.update", "article.archive"} {
				if err := audit.Write(ctx, tx, who, audit.Entry{Act: name, Subject: uuid.New(), Detail: map[string]any{"n": 1}}); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	list := func(who wiki.Actor, f audit.Filter) []audit.Record {
		var got []audit.Record
		require.NoError(t, db.TenantRead(t.Context(), who.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
			got, err = audit.List(ctx, tx, who, f)
			return err
		}))
		return got
	}
	require.Len(t, list(user, audit.Filter{}), 4)
	require.Len(t, list(agent, audit.Filter{}), 2)
	require.Empty(t, list(agent, audit.Filter{Principal: user.Principal()}))
	require.Len(t, list(user, audit.Filter{Principal: "scribe", Act: "article.archive"}), 1)
	page := list(user, audit.Filter{Limit: 3})
	require.Len(t, page, 3)
	rest := list(user, audit.Filter{Before: page[2].ID})
	require.Len(t, rest, 1)
	require.Len(t, list(user, audit.Filter{Subject: *rest[0].Subject}), 1)
}

func TestLogIsAppendOnly(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	user := pgtest.Tenant(t, db)
	for _, sql := range []string{"update audit_log set act = 'x'", "delete from audit_log"} {
		require.Error(t, db.Tenant(t.Context(), user.Tenant, func(ctx context.Context, tx postgres.Tx) error {
			_, err := tx.Exec(ctx, sql)
			return err
		}))
	}
}
