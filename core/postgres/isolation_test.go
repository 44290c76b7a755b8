package postgres_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
)

const insertArticle = `insert into articles (id, tenant_id, title, body, category, status, scope, slug, visibility, owner_agent,
	suppressed_at, suppressed_by, suppression_reason, created_by, content_hash, content_changed_at, inserted_at, updated_at)
	values (@id, @tenant, @title, 'body', 'finding', @status, @scope, @slug, @visibility, nullif(@owner, ''),
	case when @suppressed then @now::timestamptz end, case when @suppressed then 'someone' end, case when @suppressed then 'wrong' end,
	'{}', 'hash', @now, @now, @now)`

// row is one article to insert; the zero value is a published, shared one of the actor's tenant.
type row struct {
	title, status, visibility, owner string
	suppressed, canon                bool
}

func put(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, r row) error {
	args := pgx.NamedArgs{
		"id": tx.NewID(), "tenant": &tenant, "title": r.title, "status": or(r.status, "published"), "scope": "tenant",
		"slug": "slug-" + uuid.NewString(), "visibility": or(r.visibility, "shared"), "owner": r.owner, "suppressed": r.suppressed, "now": tx.Now,
	}
	if r.canon {
		args["tenant"], args["scope"] = nil, "system"
	}
	_, err := tx.Exec(ctx, insertArticle, args)
	return err
}

func or(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}

func titles(ctx context.Context, tx postgres.Tx, where string, args pgx.NamedArgs) ([]string, error) {
	rows, err := tx.Query(ctx, "select title from articles a where "+where+" order by title", args)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func requireState(t *testing.T, err error, state string) {
	t.Helper()
	var pgErr *pgconn.PgError
	require.ErrorAs(t, err, &pgErr)
	require.Equal(t, state, pgErr.Code, pgErr.Message)
}

// SPEC §1: a query that forgets its tenant predicate returns nothing of another tenant, and writes nothing to it.
func TestRowLevelSecurityIsASecondWall(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	mine, theirs := pgtest.Tenant(t, db), pgtest.Tenant(t, db)
	require.NoError(t, db.Tenant(t.Context(), mine.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		return put(ctx, tx, mine.Tenant, row{title: "Mine"})
	}))

	for name, run := range map[string]func(context.Context, uuid.UUID, func(context.Context, postgres.Tx) error) error{
		"Tenant": db.Tenant, "TenantRead": db.TenantRead, "HeavyRead": db.HeavyRead,
	} {
		var seen, own []string
		require.NoError(t, run(t.Context(), theirs.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
			seen, err = titles(ctx, tx, "true", nil)
			return err
		}), name)
		require.Empty(t, seen, name)
		require.NoError(t, run(t.Context(), mine.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
			own, err = titles(ctx, tx, "true", nil)
			return err
		}), name)
		require.Equal(t, []string{"Mine"}, own, name)
	}

	err := db.Tenant(t.Context(), theirs.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		return put(ctx, tx, mine.Tenant, row{title: "Smuggled in"})
	})
	requireState(t, err, "42501")
	require.NoError(t, db.Tenant(t.Context(), theirs.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		for _, statement := range []string{"update articles set title = 'Taken'", "delete from articles"} {
			tag, err := tx.Exec(ctx, statement)
			require.NoError(t, err)
			require.Zero(t, tag.RowsAffected(), statement)
		}
		return nil
	}))
}

// Every table that a tenant transaction may read has the wall; a new table without one fails here.
func TestEveryTableIsWalled(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	require.NoError(t, db.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		rows, err := tx.Query(ctx, `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
			and has_table_privilege('wiki_app', oid, 'select, insert, update, delete') and not relrowsecurity`)
		require.NoError(t, err)
		open, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		require.Empty(t, open)
		return nil
	}))
}

func TestNoTenantSeesNothing(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	mine := pgtest.Tenant(t, db)
	require.NoError(t, db.Tenant(t.Context(), mine.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		return put(ctx, tx, mine.Tenant, row{title: "Mine"})
	}))
	require.NoError(t, db.TenantRead(t.Context(), uuid.Nil, func(ctx context.Context, tx postgres.Tx) error {
		seen, err := titles(ctx, tx, "true", nil)
		require.Empty(t, seen)
		return err
	}))
}

func TestCanonIsReadableAndNotWritable(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	mine := pgtest.Tenant(t, db)
	require.NoError(t, db.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		return put(ctx, tx, uuid.Nil, row{title: "Canon", canon: true})
	}))
	require.NoError(t, db.TenantRead(t.Context(), mine.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		seen, err := titles(ctx, tx, "true", nil)
		require.Equal(t, []string{"Canon"}, seen)
		return err
	}))
	requireState(t, db.Tenant(t.Context(), mine.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		return put(ctx, tx, uuid.Nil, row{title: "Forged canon", canon: true})
	}), "42501")
	require.NoError(t, db.Tenant(t.Context(), mine.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		tag, err := tx.Exec(ctx, "update articles set body = 'changed'")
		require.Zero(t, tag.RowsAffected())
		return err
	}))
}

// A superadmin's transaction writes system canon and nothing of a tenant's, even where a query forgets to say so; an actor
// with a tenant has that one's, whatever its role.
func TestASuperadminsTransactionWritesCanonOnly(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	mine := pgtest.Tenant(t, db)
	require.NoError(t, db.Tenant(t.Context(), mine.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		return put(ctx, tx, mine.Tenant, row{title: "Mine"})
	}))
	keeper := wiki.Actor{Key: uuid.New(), Role: wiki.RoleSuperadmin}
	touched := func(who wiki.Actor) (n int64) {
		require.NoError(t, db.Act(t.Context(), who, func(ctx context.Context, tx postgres.Tx) error {
			tag, err := tx.Exec(ctx, "update articles set body = body || '.'")
			n = tag.RowsAffected()
			return err
		}))
		return n
	}
	require.NoError(t, db.Act(t.Context(), keeper, func(ctx context.Context, tx postgres.Tx) error {
		return put(ctx, tx, uuid.Nil, row{title: "Canon", canon: true})
	}))
	require.EqualValues(t, 1, touched(keeper))
	require.EqualValues(t, 1, touched(mine))
	requireState(t, db.Act(t.Context(), keeper, func(ctx context.Context, tx postgres.Tx) error {
		return put(ctx, tx, mine.Tenant, row{title: "Forged"})
	}), "42501")
	operator := wiki.Actor{Tenant: mine.Tenant, Key: uuid.New(), Role: wiki.RoleSuperadmin}
	requireState(t, db.Act(t.Context(), operator, func(ctx context.Context, tx postgres.Tx) error {
		return put(ctx, tx, uuid.Nil, row{title: "Forged canon", canon: true})
	}), "42501")
	err := db.Act(t.Context(), wiki.Actor{Key: uuid.New(), Role: wiki.RoleUser}, func(context.Context, postgres.Tx) error { return nil })
	require.Equal(t, wiki.CodeForbidden, wiki.ErrorCode(err), "no tenant and no superadmin")
}

// What has been recorded stays recorded: requests may only add.
func TestRecordsAreAppendOnly(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	mine := pgtest.Tenant(t, db)
	require.NoError(t, db.Tenant(t.Context(), mine.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `insert into audit_log (tenant_id, principal, key_id, role, act, at) values ($1, 'me', $2, 'user', 'test', $3)`,
			mine.Tenant, mine.Key, tx.Now)
		return err
	}))
	for _, statement := range []string{
		"update audit_log set principal = 'another'", "delete from audit_log", "truncate audit_log",
		"alter table audit_log disable row level security", "update events set kind = 'x'", "delete from article_versions", "delete from access_events",
	} {
		err := db.Tenant(t.Context(), mine.Tenant, func(ctx context.Context, tx postgres.Tx) error {
			_, err := tx.Exec(ctx, statement)
			return err
		})
		requireState(t, err, "42501")
	}
}

func TestVisibleToAndRanked(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	user := pgtest.Tenant(t, db)
	agent := pgtest.Actor(t, db, user.Tenant, wiki.RoleAgent, "scout")
	unnamed := pgtest.Actor(t, db, user.Tenant, wiki.RoleAgent, "")
	stranger := pgtest.Tenant(t, db)
	keeper := wiki.Actor{Key: uuid.New(), Role: wiki.RoleSuperadmin}
	require.NoError(t, db.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		for _, r := range []row{
			{title: "1 shared"},
			{title: "2 draft", status: "draft"},
			{title: "3 scout's", visibility: "private", owner: "scout"},
			{title: "4 unnamed key's", visibility: "private", owner: unnamed.Key.String()},
			{title: "5 suppressed", suppressed: true},
			{title: "6 canon", canon: true},
			{title: "7 canon draft", canon: true, status: "draft"},
		} {
			if err := put(ctx, tx, user.Tenant, r); err != nil {
				return err
			}
		}
		return nil
	}))

	for name, c := range map[string]struct {
		actor wiki.Actor
		sees  []string
	}{
		"user":       {user, []string{"1 shared", "2 draft", "3 scout's", "4 unnamed key's", "5 suppressed", "6 canon"}},
		"agent":      {agent, []string{"1 shared", "2 draft", "3 scout's", "5 suppressed", "6 canon"}},
		"bare key":   {unnamed, []string{"1 shared", "2 draft", "4 unnamed key's", "5 suppressed", "6 canon"}},
		"stranger":   {stranger, []string{"6 canon"}},
		"superadmin": {keeper, []string{"6 canon", "7 canon draft"}},
	} {
		// As the owner, so that the predicate is tested and not the wall behind it.
		require.NoError(t, db.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
			seen, err := titles(ctx, tx, postgres.VisibleTo("a"), postgres.Viewer(c.actor))
			require.Equal(t, c.sees, seen, name)
			return err
		}))
	}
	require.NoError(t, db.HeavyRead(t.Context(), user.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		seen, err := titles(ctx, tx, postgres.Ranked("a")+" and "+postgres.VisibleTo("a"), postgres.Viewer(agent))
		require.Equal(t, []string{"1 shared", "3 scout's", "6 canon"}, seen)
		return err
	}))
}
