package postgres_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
)

// slowLine is a line of the log.
type slowLine struct {
	Level, Msg, Pool, Outcome, Statement string
	Took                                 time.Duration
	Tenant                               string `json:"tenant_id"`
	ID                                   string `json:"statement_id"`
}

// logging gives a database that logs statements from a duration on, and what reads the lines on those that have a mark.
func logging(t *testing.T, slow time.Duration) (*postgres.DB, func(mark string) []slowLine, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	db := pgtest.Open(t, postgres.Config{DSN: pgtest.DSN(t), SlowStatement: slow, Log: slog.New(slog.NewJSONHandler(&log, nil))})
	return db, func(mark string) (found []slowLine) {
		for line := range strings.Lines(log.String()) {
			var l slowLine
			require.NoError(t, json.Unmarshal([]byte(line), &l), line)
			if strings.Contains(l.Statement, mark) {
				found = append(found, l)
			}
		}
		return found
	}, &log
}

func TestASlowStatementIsLoggedWithoutItsValues(t *testing.T) {
	t.Parallel()
	db, lines, log := logging(t, 1) // a nanosecond: each statement is slow
	tenant := uuid.New()
	require.NoError(t, db.Tenant(t.Context(), tenant, func(ctx context.Context, tx postgres.Tx) error {
		var got string
		if err := tx.QueryRow(ctx, "select\n  $1::text as secret_one", "swordfish").Scan(&got); err != nil {
			return err
		}
		return tx.QueryRow(ctx, "select @word::text as secret_two", pgx.NamedArgs{"word": "swordfish"}).Scan(&got)
	}))
	require.Error(t, db.HeavyRead(t.Context(), tenant, func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, "select $1::text::uuid as secret_three", "swordfish")
		return err
	}))
	require.NoError(t, db.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		if _, err := tx.Exec(ctx, "create temporary table secret_four (word text) on commit drop"); err != nil {
			return err
		}
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"secret_four"}, []string{"word"}, pgx.CopyFromRows([][]any{{"swordfish"}}))
		return err
	}))
	one, two, three, four := lines("secret_one"), lines("secret_two"), lines("secret_three"), lines(`copy "secret_four"`)
	require.Len(t, one, 1)
	require.Len(t, two, 1)
	require.Len(t, three, 1)
	require.Len(t, four, 1)
	require.Equal(t, "select $1::text as secret_one", one[0].Statement)
	require.Equal(t, "select @word::text as secret_two", two[0].Statement)
	require.Equal(t, []string{"WARN", "slow statement", "requests", "ok", tenant.String()},
		[]string{one[0].Level, one[0].Msg, one[0].Pool, one[0].Outcome, one[0].Tenant})
	require.Positive(t, one[0].Took)
	require.Equal(t, []string{"heavy", "22P02", tenant.String()}, []string{three[0].Pool, three[0].Outcome, three[0].Tenant})
	require.Empty(t, four[0].Tenant)
	require.NotEqual(t, one[0].ID, two[0].ID)
	require.NotContains(t, log.String(), "swordfish")
	slow := db.Stats()[0].Slow + db.Stats()[1].Slow
	require.EqualValues(t, strings.Count(log.String(), "slow statement"), slow)
}

func TestALongStatementIsCutAndStillToldApart(t *testing.T) {
	t.Parallel()
	db, lines, _ := logging(t, 1)
	long := "select 1 as lengthy" + strings.Repeat(" -- é\n", 500)
	require.NoError(t, db.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		for _, sql := range []string{long, long + ", 2", long} {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	}))
	found := lines("lengthy")
	require.Len(t, found, 3)
	require.Less(t, len(found[0].Statement), 1100)
	require.Equal(t, found[0].Statement, found[1].Statement)
	require.Equal(t, found[0].ID, found[2].ID)
	require.NotEqual(t, found[0].ID, found[1].ID)
}

func TestAStatementThatIsNotSlowIsNotLogged(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]time.Duration{"in time": time.Hour, "off": 0, "off too": -1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, _, log := logging(t, after)
			require.NoError(t, db.Tenant(t.Context(), uuid.New(), func(ctx context.Context, tx postgres.Tx) error {
				_, err := tx.Exec(ctx, "select pg_sleep(0.01)")
				return err
			}))
			require.Empty(t, log.String())
			require.Zero(t, db.Stats()[0].Slow)
		})
	}
}

// An error of the database goes to the log whole: it must not take a value there either.
func TestADataExceptionQuotesNoValue(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t, postgres.Config{DSN: pgtest.DSN(t)})
	for _, sql := range []string{"select $1::text::uuid", "select $1::text::int", "select $1::text::timestamptz", "select $1::text::halfvec"} {
		err := db.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
			_, err := tx.Exec(ctx, sql, "swordfish")
			return fmt.Errorf("read: %w", err)
		})
		require.ErrorContains(t, err, "read: ERROR: invalid input syntax for type")
		require.ErrorContains(t, err, "SQLSTATE 22")
		require.NotContains(t, err.Error(), "swordfish", sql)
		var pgErr *pgconn.PgError
		require.ErrorAs(t, err, &pgErr)
	}
}
