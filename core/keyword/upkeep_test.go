package keyword_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/keyword"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/migrations"
)

// pack does one step of the upkeep.
func pack(t *testing.T, db *postgres.DB, tenant uuid.UUID) (done keyword.Done) {
	t.Helper()
	require.NoError(t, db.System(ctx, func(ctx context.Context, tx postgres.Tx) (err error) {
		done, err = keyword.Store{}.Upkeep(ctx, tx, tenant)
		return err
	}))
	return done
}

func count(t *testing.T, db *postgres.DB, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		return tx.QueryRow(ctx, "select count(*) from "+sql, args...).Scan(&n)
	}))
	return n
}

// Whatever was written, edited, deleted, packed and merged, and in whatever order: a word finds the articles that hold it
// now. Without edits and deletions the scores are those of an index that was never packed.
func TestTheIndexFollowsItsArticlesThroughUpkeep(t *testing.T) {
	t.Parallel()
	const rounds, words = 12, 7
	db := pgtest.New(t)
	random := rand.New(rand.NewPCG(5, 6))
	for _, changes := range []bool{false, true} {
		packed, plain := pgtest.Tenant(t, db), pgtest.Tenant(t, db)
		texts := map[uuid.UUID]int{}          // article -> its word
		notes, same := 0, map[uuid.UUID]int{} // article -> its number, in both tenants
		merged := 0
		for round := range rounds {
			require.NoError(t, db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
				for range 5 {
					word := random.IntN(words)
					notes++
					body := fmt.Sprintf("word%d is in note %d, and all hold this", word, notes)
					for _, tenant := range []uuid.UUID{packed.Tenant, plain.Tenant} {
						id, err := add(ctx, tx, keyword.Store{}, tenant, fmt.Sprint("Note ", notes), body, "published")
						if err != nil {
							return err
						}
						if tenant == packed.Tenant {
							texts[id] = word
						}
						same[id] = notes
					}
				}
				for id := range texts {
					if !changes || random.IntN(10) > 0 {
						continue
					}
					if random.IntN(2) == 0 {
						delete(texts, id)
						if _, err := tx.Exec(ctx, `delete from articles where id = $1`, id); err != nil {
							return err
						}
						continue
					}
					texts[id] = random.IntN(words)
					if err := (keyword.Store{}).Put(ctx, tx, id, packed.Tenant, "Note", fmt.Sprintf("word%d, edited", texts[id])); err != nil {
						return err
					}
				}
				return nil
			}))
			merged += pack(t, db, packed.Tenant).Merged
			for word := range words {
				q := keyword.Query{Text: fmt.Sprintf("word%d", word), Limit: 100, Viewer: packed}
				var want []uuid.UUID
				for id, w := range texts {
					if w == word {
						want = append(want, id)
					}
				}
				found := search(t, db, keyword.Store{}, q)
				var got []uuid.UUID
				for _, h := range found.Hits {
					got = append(got, h.Article)
				}
				require.ElementsMatch(t, want, got, "round %d", round)
				if changes {
					continue
				}
				q.Viewer, q.Text = plain, q.Text+" note this"
				fresh := search(t, db, keyword.Store{}, q)
				q.Viewer = packed
				for i, h := range search(t, db, keyword.Store{}, q).Hits {
					require.Equal(t, same[fresh.Hits[i].Article], same[h.Article])
					require.Equal(t, fresh.Hits[i].Score, h.Score)
					require.Equal(t, fresh.Hits[i].Upper, h.Upper)
				}
			}
		}
		require.Positive(t, merged)
		require.Zero(t, count(t, db, "keyword_fresh where tenant_id = $1", packed.Tenant))
		require.Less(t, count(t, db, "keyword_segments where tenant_id = $1", packed.Tenant), rounds)
	}
}

// A tenant's end takes its rows along, and no other's.
func TestATenantsEndTakesItsPostingsAlong(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	me, other := pgtest.Tenant(t, db), pgtest.Tenant(t, db)
	for _, tenant := range []uuid.UUID{me.Tenant, other.Tenant, uuid.Nil} {
		mustAdd(t, db, tenant, "One", "apples")
		require.Equal(t, keyword.Done{Packed: 1}, pack(t, db, tenant))
		require.Equal(t, keyword.Done{}, pack(t, db, tenant), "nothing is left to do")
	}
	require.Len(t, find(t, db, me, "apples"), 2, "its own and the canon's")
	before := count(t, db, "keyword_blocks")
	require.NoError(t, db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `delete from tenants where id = $1`, me.Tenant)
		return err
	}))
	require.Equal(t, before*2/3, count(t, db, "keyword_blocks"))
	require.Equal(t, 2, count(t, db, "keyword_segments"))
	require.Len(t, find(t, db, other, "apples"), 2)
}

// Writers, upkeep and readers at once: in one snapshot, a word finds exactly the articles whose rows hold it.
func TestReadersSeeOneStateWhileTheIndexIsWrittenAndPacked(t *testing.T) {
	t.Parallel()
	const writers, each = 3, 40
	db := pgtest.New(t)
	me := pgtest.Tenant(t, db)
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			var mine []uuid.UUID
			for i := range each {
				err := db.Tenant(ctx, me.Tenant, func(ctx context.Context, tx postgres.Tx) error {
					if i%4 == 3 { // a second text in the place of the first
						return keyword.Store{}.Put(ctx, tx, mine[i%len(mine)], me.Tenant, "Edited", fmt.Sprint("marker edit ", i))
					}
					id, err := add(ctx, tx, keyword.Store{}, me.Tenant, fmt.Sprintf("Note %d-%d", w, i), "the marker", "published")
					mine = append(mine, id)
					return err
				})
				if err != nil {
					t.Errorf("writer %d: %v", w, err)
				}
			}
		})
	}
	done := make(chan struct{})
	reading.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				if err := db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
					_, err := keyword.Store{}.Upkeep(ctx, tx, me.Tenant)
					return err
				}); err != nil {
					t.Errorf("upkeep: %v", err)
				}
			}
		}
	})
	reading.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				if err := db.HeavyRead(ctx, me.Tenant, func(ctx context.Context, tx postgres.Tx) error {
					found, err := keyword.Store{}.Search(ctx, tx, keyword.Query{Text: "marker", Limit: 1000, Viewer: me})
					if err != nil {
						return err
					}
					var rows int
					if err := tx.QueryRow(ctx, `select count(*) from articles`).Scan(&rows); err != nil {
						return err
					}
					if rows != len(found.Hits) {
						t.Errorf("%d articles, %d found", rows, len(found.Hits))
					}
					return nil
				}); err != nil {
					t.Errorf("reader: %v", err)
				}
			}
		}
	})
	writing.Wait()
	close(done)
	reading.Wait()
	require.Len(t, search(t, db, keyword.Store{}, keyword.Query{Text: "marker", Limit: 1000, Viewer: me}).Hits, writers*each*3/4)
}

// An existing database keeps finding what it holds, from the first moment on, whichever way its schema goes.
func TestTheSchemasChangeKeepsWhatIsIndexed(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations.FS, "*_keyword_segments.sql")
	require.NoError(t, err)
	number, err := strconv.Atoi(names[0][:3])
	require.NoError(t, err)
	before := int32(number - 1)
	dsn := pgtest.DSN(t)
	db := pgtest.Open(t, postgres.Config{DSN: dsn})
	me := pgtest.Tenant(t, db)
	packedOne := mustAdd(t, db, me.Tenant, "One", "apples and pears")
	pack(t, db, me.Tenant)
	freshOne := mustAdd(t, db, me.Tenant, "Two", "apples")
	require.NoError(t, postgres.Migrate(ctx, dsn, before, nil))
	require.Equal(t, 2, count(t, db, "keyword_docs where cardinality(terms) * 9 = octet_length(packed) and terms[1] < terms[2]"))
	require.NoError(t, postgres.Migrate(ctx, dsn, postgres.Newest, nil))
	require.ElementsMatch(t, []uuid.UUID{packedOne, freshOne}, find(t, db, me, "apples"))
	require.Equal(t, keyword.Done{Packed: 2}, pack(t, db, me.Tenant))
	require.Equal(t, []uuid.UUID{packedOne}, find(t, db, me, "pears"))
}
