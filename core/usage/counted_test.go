package usage_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/usage"
	"wiki/core/wiki"
)

// Only a get counts. A wider list needs the seed's leave, not this test's.
func TestSeed5OnlyAGetCounts(t *testing.T) {
	t.Parallel()
	for _, k := range []usage.Kind{usage.Search, usage.Context, usage.Drill, usage.Referenced, "index", ""} {
		require.False(t, usage.Counts(k), k)
	}
	require.True(t, usage.Counts(usage.Get))
	require.Contains(t, usage.CountedSQL("e"), "e.kind = any (string_to_array('get', ','))")
}

// A second list of what counts is how three of the four violations happened: no SQL elsewhere picks events by their kind.
func TestSeed5CountedReadsAreOneListInOnePlace(t *testing.T) {
	t.Parallel()
	kinds := regexp.MustCompile(`kind\s*(=|<>|in\b|= any)`)
	read := 0
	require.NoError(t, filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Dir(path) == "." {
			return err
		}
		raw, err := os.ReadFile(path)
		if code := string(raw); strings.Contains(code, "access_events") {
			read++
			for _, line := range strings.Split(code, "\n") {
				require.False(t, strings.Contains(line, "access_events") && kinds.MatchString(line), "%s: %s", path, line)
			}
		}
		return err
	}))
	require.GreaterOrEqual(t, read, 3, "the scan finds the readers of the table")
}

// reading writes events as they would have come in over days, which no recorder can.
func reading(t *testing.T, db *postgres.DB, tenant, article uuid.UUID, kind usage.Kind, reader string, days ...int) {
	t.Helper()
	require.NoError(t, db.Tenant(context.Background(), tenant, func(ctx context.Context, tx postgres.Tx) error {
		for _, day := range days {
			_, err := tx.Exec(ctx, `insert into access_events (tenant_id, article_id, key_id, principal, reader, kind, at) values ($1, $2, $3, 'p', $4, $5, $6)`,
				tenant, article, uuid.New(), reader, kind, tx.Now.AddDate(0, 0, -day))
			require.NoError(t, err)
		}
		return nil
	}))
}

func addArticle(t *testing.T, db *postgres.DB, tenant *uuid.UUID) uuid.UUID {
	t.Helper()
	id, scope := uuid.New(), "tenant"
	if tenant == nil {
		scope = "system"
	}
	require.NoError(t, db.System(context.Background(), func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `insert into articles (id, tenant_id, title, body, category, status, scope, slug, created_by, content_hash, content_changed_at, inserted_at, updated_at)
			values ($1, $2, $3, 'b', 'finding', 'published', $4, $5, '{}', 'h', now(), now(), now())`, id, tenant, id.String(), scope, "a"+id.String()+"a")
		return err
	}))
	return id
}

func days(from, to int) (out []int) {
	for d := from; d <= to; d++ {
		out = append(out, d)
	}
	return out
}

// Distinct days, capped at five for each reader, of the tenant's own articles, in the window; nothing but gets (facts §4.4).
func TestReadDaysAreCappedByReadersAndLeaveCanonAlone(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	me, stranger := pgtest.Tenant(t, db), pgtest.Tenant(t, db)
	solo, shared, looped, shown, old, canon := addArticle(t, db, &me.Tenant), addArticle(t, db, &me.Tenant), addArticle(t, db, &me.Tenant),
		addArticle(t, db, &me.Tenant), addArticle(t, db, &me.Tenant), addArticle(t, db, nil)
	reading(t, db, me.Tenant, solo, usage.Get, "one", days(1, 30)...)
	reading(t, db, me.Tenant, shared, usage.Get, "one", days(1, 6)...)
	reading(t, db, me.Tenant, shared, usage.Get, "two", days(5, 8)...)
	reading(t, db, me.Tenant, looped, usage.Get, "one", 1, 1, 1, 1, 1, 1)
	for _, kind := range []usage.Kind{usage.Search, usage.Context, usage.Drill, usage.Referenced} {
		reading(t, db, me.Tenant, shown, kind, "one", days(1, 9)...)
	}
	reading(t, db, me.Tenant, old, usage.Get, "one", 92, 100)
	reading(t, db, me.Tenant, canon, usage.Get, "one", days(1, 9)...)
	reading(t, db, stranger.Tenant, shared, usage.Get, "one", days(10, 30)...)

	var found []usage.ReadDays
	require.NoError(t, db.HeavyRead(t.Context(), me.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		found, err = usage.MeasureReadDays(ctx, tx, me.Tenant)
		return err
	}))
	require.Equal(t, []usage.ReadDays{{shared, 8}, {solo, usage.SoloReaderDays}, {looped, 1}}, found)
}

func TestAWindowBeginsAtAUTCMidnight(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 1, 30, 0, 0, time.FixedZone("", 3*3600)) // still the 1st in UTC
	require.Equal(t, time.Date(2026, 2, 27, 0, 0, 0, 0, time.UTC), usage.WindowStart(now, 2))
}

func TestAReaderIsAnAgentOrALine(t *testing.T) {
	t.Parallel()
	root, key := uuid.New(), uuid.New()
	require.Equal(t, "bee", wiki.Actor{Agent: "bee", Key: key, Lineage: []uuid.UUID{root, uuid.New()}}.Reader())
	require.Equal(t, root.String(), wiki.Actor{Key: key, Lineage: []uuid.UUID{root, uuid.New()}}.Reader())
	require.Equal(t, key.String(), wiki.Actor{Key: key}.Reader())
}
