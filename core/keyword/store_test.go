package keyword_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/keyword"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/shareddata"
	"wiki/core/wiki"
)

var ctx = context.Background()

const insertSQL = `insert into articles (id, tenant_id, title, body, category, status, scope, slug, created_by, content_hash,
	content_changed_at, inserted_at, updated_at) values ($1, $2, $3, $4, 'finding', $5, $6, $7, '{}', '', now(), now(), now())`

// add writes an article and its row of the index; tenant zero makes system canon.
func add(ctx context.Context, tx postgres.Tx, s keyword.Store, tenant uuid.UUID, title, body, status string) (uuid.UUID, error) {
	id, owner, scope := uuid.Must(uuid.NewV7()), &tenant, "tenant"
	if tenant == uuid.Nil {
		owner, scope = nil, "system"
	}
	slug := "t" + strings.ReplaceAll(id.String(), "-", "")
	if _, err := tx.Exec(ctx, insertSQL, id, owner, title, body, status, scope, slug); err != nil {
		return id, err
	}
	return id, s.Put(ctx, tx, id, tenant, title, body)
}

func mustAdd(t *testing.T, db *postgres.DB, tenant uuid.UUID, title, body string) (id uuid.UUID) {
	t.Helper()
	door := db.System
	if tenant != uuid.Nil {
		door = func(ctx context.Context, fn func(context.Context, postgres.Tx) error) error {
			return db.Tenant(ctx, tenant, fn)
		}
	}
	require.NoError(t, door(ctx, func(ctx context.Context, tx postgres.Tx) (err error) {
		id, err = add(ctx, tx, keyword.Store{}, tenant, title, body, "published")
		return err
	}))
	return id
}

func search(t testing.TB, db *postgres.DB, s keyword.Store, q keyword.Query) keyword.Result {
	t.Helper()
	var found keyword.Result
	require.NoError(t, db.HeavyRead(ctx, q.Viewer.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		found, err = s.Search(ctx, tx, q)
		return err
	}))
	return found
}

func find(t *testing.T, db *postgres.DB, viewer wiki.Actor, text string) (ids []uuid.UUID) {
	t.Helper()
	for _, h := range search(t, db, keyword.Store{}, keyword.Query{Text: text, Limit: 10, Viewer: viewer}).Hits {
		ids = append(ids, h.Article)
	}
	return ids
}

func TestSearchFindsWhatItShould(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	me := pgtest.Tenant(t, db)
	pool := mustAdd(t, db, me.Tenant, "Connection pools", "pgbouncer keeps a pool of connections. Set default_pool_size in /etc/pgbouncer/pgbouncer.ini.")
	code := mustAdd(t, db, me.Tenant, "HTTP in Go", "Call http.ListenAndServe with --tls-cert and check getUserName.")
	cafe := mustAdd(t, db, me.Tenant, "Café culture", "Das Münchner Café öffnet früh. 東京タワーの検索")
	who := mustAdd(t, db, me.Tenant, "who", "Display logged-in users on the machine.")
	filler := mustAdd(t, db, me.Tenant, "Weather", "It rains. The pool party is off, and the connection is late.")

	for text, want := range map[string][]uuid.UUID{
		"how do I size the pool of database connections?": {pool, filler},
		"default_pool_size":       {pool, filler},
		"pgbouncer.ini":           {pool},
		"ListenAndServe":          {code},
		"http.listenandserve":     {code},
		"--tls-cert":              {code},
		"user name":               {code, who},
		"cafe munchner":           {cafe},
		"検索":                      {cafe},
		"who":                     {who},
		`"pool of connections"`:   {pool},
		`"of connections pool"`:   nil,
		`"bouncer/pgbouncer.ini"`: nil,
		`"pgbouncer/pgbouncer"`:   {pool},
		`connection -party`:       {pool},
		`pool -"pool party"`:      {pool},
		"no such words whatever!": nil,
		"":                        nil,
	} {
		require.Equal(t, want, find(t, db, me, text), "%q", text)
	}
}

func TestSearchRespectsTenantsCanonAndStatus(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	me, other := pgtest.Tenant(t, db), pgtest.Tenant(t, db)
	mine := mustAdd(t, db, me.Tenant, "Mine", "zebra crossing")
	canon := mustAdd(t, db, uuid.Nil, "Canon", "zebra crossing")
	theirs := mustAdd(t, db, other.Tenant, "Theirs", "zebra crossing")
	private := mustAdd(t, db, me.Tenant, "Private", "zebra")
	hidden := mustAdd(t, db, me.Tenant, "Hidden", "zebra")
	require.NoError(t, db.Tenant(ctx, me.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `update articles set suppressed_at = now(), suppressed_by = 'x', suppression_reason = 'x' where id = $1`, hidden)
		require.NoError(t, err)
		_, err = tx.Exec(ctx, `update articles set visibility = 'private', owner_agent = 'anna' where id = $1`, private)
		require.NoError(t, err)
		_, err = add(ctx, tx, keyword.Store{}, me.Tenant, "Draft", "zebra", "draft")
		return err
	}))
	require.ElementsMatch(t, []uuid.UUID{mine, canon, private}, find(t, db, me, "zebra"))
	require.ElementsMatch(t, []uuid.UUID{theirs, canon}, find(t, db, other, "zebra"))
	require.ElementsMatch(t, []uuid.UUID{mine, canon}, find(t, db, pgtest.Actor(t, db, me.Tenant, wiki.RoleAgent, "bob"), "zebra"))
	require.ElementsMatch(t, []uuid.UUID{mine, canon, private}, find(t, db, pgtest.Actor(t, db, me.Tenant, wiki.RoleAgent, "anna"), "zebra"))
	filtered := search(t, db, keyword.Store{}, keyword.Query{Text: "zebra", Limit: 5, Viewer: me, Filter: wiki.Filter{Category: "decision"}})
	require.Empty(t, filtered.Hits)

	// A read that forgets its tenant gets system canon and nothing else: the function has its own wall.
	require.NoError(t, db.HeavyRead(ctx, other.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		found, err := keyword.Store{}.Search(ctx, tx, keyword.Query{Text: "zebra", Limit: 5, Viewer: me})
		require.NoError(t, err)
		require.Len(t, found.Hits, 1)
		require.Equal(t, canon, found.Hits[0].Article)
		return nil
	}))
}

func TestAnEditReplacesTheOldWords(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	me := pgtest.Tenant(t, db)
	id := mustAdd(t, db, me.Tenant, "One", "apples")
	require.NoError(t, db.Tenant(ctx, me.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		return keyword.Store{}.Put(ctx, tx, id, me.Tenant, "One", "pears")
	}))
	require.Empty(t, find(t, db, me, "apples"))
	require.Equal(t, []uuid.UUID{id}, find(t, db, me, "pears"))
}

// Scores do not depend on whether rows are fresh or packed, are bounded, and can be had for articles that the search did
// not return.
func TestScoresAreAbsoluteAndExact(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	me := pgtest.Tenant(t, db)
	var last uuid.UUID
	for i := range 30 {
		last = mustAdd(t, db, me.Tenant, fmt.Sprint("Note ", i), strings.Repeat("common ", i%5+1)+fmt.Sprintf("rare%d", i%7))
	}
	q := keyword.Query{Text: "common rare3 unknownword", Limit: 30, Viewer: me}
	before := search(t, db, keyword.Store{}, q)
	require.Len(t, before.Hits, 30)
	for i, h := range before.Hits {
		require.Less(t, h.Score, h.Upper)
		require.Positive(t, h.Absolute())
		require.Less(t, h.Absolute(), 1.0)
		require.True(t, i == 0 || before.Hits[i-1].Score >= h.Score)
	}
	pack(t, db, me.Tenant)
	require.Equal(t, before.Hits, search(t, db, keyword.Store{}, q).Hits)

	q.Text, q.Limit = "rare3", 2
	found := search(t, db, keyword.Store{}, q)
	require.True(t, found.Capped)
	require.NoError(t, db.HeavyRead(ctx, me.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		scores, err := found.Score(ctx, tx, []uuid.UUID{last, found.Hits[0].Article, uuid.New()})
		require.NoError(t, err)
		require.Len(t, scores, 2)
		require.Equal(t, found.Hits[0], scores[found.Hits[0].Article])
		require.Zero(t, scores[last].Score)
		return nil
	}))
}

// When the commonest words of a query would bring in too much, they still score.
func TestRareWordsChooseTheCandidates(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	me := pgtest.Tenant(t, db)
	require.NoError(t, db.Tenant(ctx, me.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		for i := range 60 {
			body := strings.Repeat("common ", i%4+1)
			if i < 3 {
				body += "rare"
			}
			if _, err := add(ctx, tx, keyword.Store{}, me.Tenant, fmt.Sprint("Note ", i), body, "published"); err != nil {
				return err
			}
		}
		return nil
	}))
	pack(t, db, me.Tenant)
	q := keyword.Query{Text: "common rare", Limit: 50, Viewer: me}
	whole, narrow := search(t, db, keyword.Store{}, q), search(t, db, keyword.Store{Postings: 5}, q)
	require.Len(t, whole.Hits, 50)
	require.Len(t, narrow.Hits, 3)
	require.True(t, narrow.Capped)
	require.Equal(t, whole.Hits[:3], narrow.Hits, "common words score all the same")
	q.Text = `"note 7" common`
	require.Equal(t, search(t, db, keyword.Store{}, q).Hits, search(t, db, keyword.Store{Postings: 1}, q).Hits)
}

// No query text is an error (case 53).
func TestNoQueryTextIsAnError(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(shareddata.Dir(t, "naughty-strings"), "blns.json"))
	require.NoError(t, err)
	var texts []string
	require.NoError(t, json.Unmarshal(raw, &texts))
	db := pgtest.New(t)
	me := pgtest.Tenant(t, db)
	mustAdd(t, db, me.Tenant, "Hostile", strings.Join(texts, "\n"))
	require.NoError(t, db.HeavyRead(ctx, me.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		for _, text := range append(texts, "\x00", "\xff\xfe", strings.Repeat("x", 1<<20)) {
			_, err := keyword.Store{}.Search(ctx, tx, keyword.Query{Text: text, Limit: 3, Viewer: me})
			require.NoError(t, err, "%q", text)
			keyword.NewMarker(text).Matches(text)
		}
		return nil
	}))
}

func TestMarkerFindsTheQuerysWords(t *testing.T) {
	t.Parallel()
	text := "Pools: set pool_size; the pooling of Café connections"
	var marked []string
	for _, m := range keyword.NewMarker("the pool of cafes, pool_size and all of that").Matches(text) {
		marked = append(marked, text[m.Start:m.End])
	}
	require.Equal(t, []string{"Pools", "pool_size", "pooling", "Café"}, marked)
	require.Empty(t, keyword.NewMarker("").Matches(text))
}
