package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
)

// objects lists what the schema holds, with the definitions that a migration could forget to restore.
func objects(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), `
		select 'column ' || table_name || '.' || column_name || ' ' || udt_name || ' ' || is_nullable from information_schema.columns where table_schema = 'public'
		union all select 'index ' || indexdef from pg_indexes where schemaname = 'public'
		union all select 'policy ' || tablename || ' ' || policyname || coalesce(qual, '') from pg_policies where schemaname = 'public'
		union all select 'function ' || p.oid::regprocedure from pg_proc p where pronamespace = 'public'::regnamespace
			and not exists (select from pg_depend d where d.objid = p.oid and deptype = 'e')
		union all select 'grant ' || grantee || ' ' || table_name || ' ' || privilege_type from information_schema.role_table_grants where table_schema = 'public'
		union all select 'trigger ' || tgname || ' ' || tgrelid::regclass from pg_trigger where not tgisinternal
		order by 1`)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return found
}

func TestMigrateUpDownUp(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Empty(t)
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()

	var steps []string
	report := func(step string) { steps = append(steps, step) }
	require.NoError(t, postgres.Migrate(t.Context(), dsn, 0, report))
	empty := objects(t, conn)
	require.NoError(t, postgres.Migrate(t.Context(), dsn, postgres.Newest, report))
	full := objects(t, conn)
	require.Greater(t, len(full), len(empty))
	up := len(steps)
	require.Equal(t, "up 001_tenancy.sql", steps[0])

	require.NoError(t, postgres.Migrate(t.Context(), dsn, 0, report))
	require.Equal(t, empty, objects(t, conn), "down leaves nothing behind")
	require.Len(t, steps, 2*up)
	require.NoError(t, postgres.Migrate(t.Context(), dsn, postgres.Newest, nil))
	require.Equal(t, full, objects(t, conn), "and up again gives the same")
	require.NoError(t, postgres.Migrate(t.Context(), dsn, postgres.Newest, report))
	require.Len(t, steps, 2*up, "nothing to do")

	db := pgtest.Open(t, postgres.Config{DSN: dsn})
	current, newest, err := db.Version(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, up, current)
	require.Equal(t, newest, current)
}

func TestMigrateRefusesANewerSchema(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	_, err = conn.Exec(t.Context(), "update schema_version set version = 9999")
	require.NoError(t, err)
	require.ErrorContains(t, postgres.Migrate(t.Context(), dsn, postgres.Newest, nil), "use the newest wiki-server")
}

func TestVersionOfAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t, postgres.Config{DSN: pgtest.Empty(t)})
	current, newest, err := db.Version(t.Context())
	require.NoError(t, err)
	require.Zero(t, current)
	require.Positive(t, newest)
}

// An operator's existing PostgreSQL may give the wiki a login without the rights to prepare the database.
func TestMigrateNamesTheMissingRight(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Empty(t)
	admin := pgtest.Superuser(t, dsn)
	_, err := admin.Exec(t.Context(), "drop extension vector")
	require.NoError(t, err)
	err = postgres.Migrate(t.Context(), dsn, postgres.Newest, nil)
	require.ErrorContains(t, err, "create extension vector")
	require.ErrorContains(t, err, "as its administrator")
}
