package flags_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
)

// article inserts a row as its owner.
func article(t *testing.T, db *postgres.DB, tenant uuid.UUID, title string) uuid.UUID {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	require.NoError(t, db.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `insert into articles (id, tenant_id, title, body, category, status, scope, slug, created_by, content_hash, content_changed_at, inserted_at, updated_at)
			values ($1, $2, $3, 'text', 'finding', 'published', 'tenant', $4, '{"principal": "p"}', 'h', $5, $5, $5)`,
			id, tenant, title, "a-"+id.String(), tx.Now)
		return err
	}))
	return id
}

func exec(t *testing.T, db *postgres.DB, sql string, args ...any) {
	t.Helper()
	require.NoError(t, db.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	}))
}

func raise(ctx context.Context, db *postgres.DB, who wiki.Actor, n flags.New) (flag wiki.Flag, entered bool, err error) {
	err = db.Tenant(ctx, who.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		flag, entered, err = flags.Raise(ctx, tx, who, n)
		return err
	})
	return flag, entered, err
}

func read(t *testing.T, db *postgres.DB, who wiki.Actor, flag wiki.Flag) wiki.Conflict {
	t.Helper()
	var c wiki.Conflict
	require.NoError(t, db.TenantRead(t.Context(), who.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		c, err = flags.Read(ctx, tx, who.Tenant, wiki.Pair{First: flag.First, Second: flag.Second})
		return err
	}))
	return c
}

// dismiss writes the verdict's row as core/conflicts does.
func dismiss(t *testing.T, db *postgres.DB, who wiki.Actor, flag wiki.Flag) {
	t.Helper()
	require.NoError(t, db.Tenant(t.Context(), who.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `insert into conflict_verdicts (id, tenant_id, first_id, second_id, classification, disposition, confidence, requested_confidence, judged_by, judged_at, executed_at)
			values ($1, $2, $3, $4, 'redundant', 'dismiss', 'medium', 'medium', $5, $6, $6)`, tx.NewID(), who.Tenant, flag.First, flag.Second, who.Stamp(), tx.Now)
		if err != nil {
			return err
		}
		_, err = flags.Save(ctx, tx, who.Tenant, wiki.Pair{First: flag.First, Second: flag.Second})
		return err
	}))
}

func TestSystemFlagIsRaisedOnceAndMeasuredAgain(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	user := pgtest.Tenant(t, db)
	a, b := article(t, db, user.Tenant, "a"), article(t, db, user.Tenant, "b")
	var wg sync.WaitGroup
	var entered atomic.Int32
	for range 6 {
		wg.Go(func() {
			_, in, err := raise(t.Context(), db, user, flags.New{
				A: b, B: a, System: true, Similarity: 0.94,
				Differing: []wiki.Difference{{Kind: wiki.KindNumber, First: "of b", Second: "of a"}},
			})
			if err != nil {
				t.Error(err)
			}
			if in {
				entered.Add(1)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 1, entered.Load())
	flag, in, err := raise(t.Context(), db, user, flags.New{A: a, B: b, System: true, Similarity: 0.97})
	require.NoError(t, err)
	require.False(t, in)
	c := read(t, db, user, flag)
	require.Len(t, c.Flags, 1)
	require.Equal(t, 0.97, c.Flags[0].Similarity)
	require.Equal(t, wiki.ConflictOpen, c.State())
	var n int
	require.NoError(t, db.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		return tx.QueryRow(ctx, `select count(*) from events where kind = 'conflict.flagged'`).Scan(&n)
	}))
	require.Equal(t, 1, n)
}

func TestDifferencesFollowTheSortedPair(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	user := pgtest.Tenant(t, db)
	a, b := article(t, db, user.Tenant, "a"), article(t, db, user.Tenant, "b")
	flag, _, err := raise(t.Context(), db, user, flags.New{A: b, B: a, System: true, Differing: []wiki.Difference{{Kind: wiki.KindNumber, First: "of b", Second: "of a"}}})
	require.NoError(t, err)
	require.Equal(t, a, flag.First)
	require.Equal(t, []wiki.Difference{{Kind: wiki.KindNumber, First: "of a", Second: "of b"}}, read(t, db, user, flag).Flags[0].Differing)
}

func TestSecondAsserterDoesNotWipeOutTheFirst(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	user := pgtest.Tenant(t, db)
	first := pgtest.Actor(t, db, user.Tenant, wiki.RoleAgent, "first")
	second := pgtest.Actor(t, db, user.Tenant, wiki.RoleAgent, "second")
	a, b := article(t, db, user.Tenant, "a"), article(t, db, user.Tenant, "b")
	_, _, err := raise(t.Context(), db, first, flags.New{A: a, B: b, Evidence: " "})
	require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err))
	_, _, err = raise(t.Context(), db, first, flags.New{A: a, B: a, Evidence: "x"})
	require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err))
	flag, _, err := raise(t.Context(), db, first, flags.New{A: a, B: b, Evidence: "8080 or 8081"})
	require.NoError(t, err)
	_, _, err = raise(t.Context(), db, second, flags.New{A: a, B: b, Evidence: "I agree"})
	require.NoError(t, err)
	c := read(t, db, user, flag)
	require.Len(t, c.Flags, 2)
	require.Equal(t, wiki.CodeSelfAsserted, wiki.ErrorCode(c.CheckSeparation(first.Stamp())))
	require.Equal(t, wiki.CodeSelfAsserted, wiki.ErrorCode(c.CheckSeparation(second.Stamp())))
	require.NoError(t, c.CheckSeparation(user.Stamp()))

	_, _, err = raise(t.Context(), db, user, flags.New{A: a, B: b, System: true, Similarity: 0.95})
	require.NoError(t, err)
	c = read(t, db, user, flag)
	require.True(t, c.Flag().System, "the system flag wins the tie")
	require.NoError(t, c.CheckSeparation(first.Stamp()))
}

func TestDismissalStandsUntilATextChanges(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	user := pgtest.Tenant(t, db)
	agent := pgtest.Actor(t, db, user.Tenant, wiki.RoleAgent, "scribe")
	a, b := article(t, db, user.Tenant, "a"), article(t, db, user.Tenant, "b")
	system := flags.New{A: a, B: b, System: true, Similarity: 0.95}
	flag, _, err := raise(t.Context(), db, agent, system)
	require.NoError(t, err)
	dismiss(t, db, user, flag)
	require.Equal(t, wiki.ConflictSettled, read(t, db, user, flag).State())

	_, entered, err := raise(t.Context(), db, agent, system)
	require.NoError(t, err)
	require.False(t, entered)
	_, _, err = raise(t.Context(), db, agent, flags.New{A: a, B: b, Evidence: "I insist"})
	require.Equal(t, wiki.CodeTransition, wiki.ErrorCode(err))
	require.Equal(t, wiki.ConflictSettled, read(t, db, user, flag).State())

	exec(t, db, `update articles set content_changed_at = now() + interval '1 hour' where id = $1`, b)
	again, entered, err := raise(t.Context(), db, agent, system)
	require.NoError(t, err)
	require.True(t, entered)
	require.True(t, strings.HasPrefix(again.Evidence, "flagged again"))
	require.Equal(t, wiki.ConflictOpen, read(t, db, user, flag).State())
}

func TestAssertionAfterAnAgentsDismissalOpensThePairButNotForItsAsserter(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	user := pgtest.Tenant(t, db)
	agent := pgtest.Actor(t, db, user.Tenant, wiki.RoleAgent, "scribe")
	other := pgtest.Actor(t, db, user.Tenant, wiki.RoleAgent, "other")
	a, b := article(t, db, user.Tenant, "a"), article(t, db, user.Tenant, "b")
	flag, _, err := raise(t.Context(), db, user, flags.New{A: a, B: b, System: true, Similarity: 0.95})
	require.NoError(t, err)
	dismiss(t, db, other, flag)
	time.Sleep(time.Millisecond) // the next flag must be later than the verdict, on any clock
	_, entered, err := raise(t.Context(), db, agent, flags.New{A: a, B: b, Evidence: "look again"})
	require.NoError(t, err)
	require.True(t, entered)
	c := read(t, db, user, flag)
	require.Equal(t, wiki.ConflictOpen, c.State())
	require.False(t, c.Flag().System, "the system's flag was dismissed: the pair is here for the assertion")
	require.Equal(t, wiki.CodeSelfAsserted, wiki.ErrorCode(c.CheckSeparation(agent.Stamp())))
}

func TestPairClosesWithItsArticle(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	user := pgtest.Tenant(t, db)
	a, b := article(t, db, user.Tenant, "a"), article(t, db, user.Tenant, "b")
	flag, _, err := raise(t.Context(), db, user, flags.New{A: a, B: b, System: true, Similarity: 0.95})
	require.NoError(t, err)
	for status, closed := range map[string]string{"archived": "an article was archived", "superseded": "an article was superseded"} {
		exec(t, db, `update articles set status = $2 where id = $1`, b, status)
		require.Equal(t, closed, read(t, db, user, flag).Closed)
	}
	exec(t, db, `update articles set status = 'draft' where id = $1`, b)
	require.Empty(t, read(t, db, user, flag).Closed)

	stranger := pgtest.Tenant(t, db)
	_, _, err = raise(t.Context(), db, stranger, flags.New{A: a, B: b, Evidence: "not mine"})
	require.Equal(t, wiki.CodeNotFound, wiki.ErrorCode(err))
}
