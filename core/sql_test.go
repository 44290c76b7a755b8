package core_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres/pgtest"
	"wiki/core/postgres/statements"
)

// readSource finds every statement of the rooms. A call that cannot be followed to constants fails the test, so that no
// query is built by joining strings with input (DESIGN.md). What quotes input on purpose is named here.
func readSource(t *testing.T) []statements.Statement {
	t.Helper()
	found, err := statements.Find(".", statements.Options{
		Skip: []string{"postgres/pgtest"},
		Samples: map[string]string{
			"vectors.literal":                   `'a model'`,                 // quotes a model's id, which comes from the operator's settings
			"vectors.IndexName":                 "article_embeddings_hnsw_1", // a number and the digits of a digest
			"postgres/embedded.makeOwner.alter": "alter role wiki login",     // the server itself quotes the password
		},
	})
	require.NoError(t, err)
	require.Empty(t, found.Unseen)
	return found.Statements
}

// connect gives a connection to a migrated database.
func connect(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.DSN(t))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func TestEveryStatementCanBePrepared(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	for _, s := range readSource(t) {
		sql, _, err := pgx.NamedArgs{}.RewriteQuery(t.Context(), conn, s.SQL, nil)
		require.NoError(t, err, "%s, %s", s.ID(), s.At)
		_, err = conn.Prepare(t.Context(), "", sql)
		require.NoError(t, err, "%s, %s:\n%s", s.ID(), s.At, s.SQL)
	}
}
