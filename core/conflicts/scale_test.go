package conflicts_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/conflicts"
	"wiki/core/postgres"
)

// fillSQL makes articles and open pairs of each with the next hundred, by plain rows: the queue reads nothing else.
const fillSQL = `
with made as (
  insert into articles (id, tenant_id, title, body, category, status, scope, slug, created_by, content_hash, content_changed_at, inserted_at, updated_at)
  select gen_random_uuid(), $1, 'Bulk ' || n, 'text', 'finding', 'published', 'tenant', 'bulk-' || n, '{"principal": "p"}', md5(n::text), now(), now(), now()
  from generate_series(1, $2::int) n returning id
), numbered as (select id, row_number() over () as n from made),
pairs as (
  select gen_random_uuid() as flag, least(a.id, b.id) as first_id, greatest(a.id, b.id) as second_id, now() - make_interval(secs => a.n * 100 + b.n) as at,
    0.9 + random() / 10 as cosine
  from numbered a join numbered b on b.n between a.n + 1 and a.n + 100
), flagged as (
  insert into conflict_flags (id, tenant_id, first_id, second_id, system, similarity, flagged_by, flagged_at)
  select flag, $1, first_id, second_id, true, cosine, '{"principal": "gate"}', at from pairs returning id
)
insert into conflict_pairs (tenant_id, first_id, second_id, state, flag_id, system, similarity, flagged_by, flagged_at, impact)
select $1, first_id, second_id, 'open', flag, true, cosine, 'gate', at, ln(cosine) - extract(epoch from at)::float8 / 2592000 from pairs`

func (w *world) fill(tb testing.TB, articles int) {
	tb.Helper()
	w.system(tb, fillSQL, w.user.Tenant, articles)
	for _, table := range []string{"articles", "conflict_flags", "conflict_pairs"} {
		w.system(tb, "analyze "+table)
	}
}

// system runs a statement that may take its time.
func (w *world) system(tb testing.TB, sql string, args ...any) {
	tb.Helper()
	require.NoError(tb, w.DB.System(tb.Context(), func(ctx context.Context, tx postgres.Tx) error {
		if _, err := tx.Exec(ctx, "set local statement_timeout = 0"); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, sql, args...)
		return err
	}))
}

// BenchmarkQueue reads pages of a queue of 100,000 open pairs: the first, and one far in.
func BenchmarkQueue(b *testing.B) {
	w := newWorld(b)
	w.fill(b, 1050)
	for _, sort := range []conflicts.Sort{conflicts.SortImpact, conflicts.SortNewest, conflicts.SortOldest} {
		f := conflicts.Filter{Sort: sort}
		for name, pages := range map[string]int{"first": 0, "hundredth": 99} {
			f.Cursor, f.Limit = "", conflicts.MaxLimit
			for range pages {
				page, err := w.Queue(b.Context(), w.user, f)
				require.NoError(b, err)
				f.Cursor = page.Next
			}
			f.Limit = conflicts.DefaultLimit
			b.Run(string(sort)+"/"+name, func(b *testing.B) {
				for b.Loop() {
					_, err := w.Queue(b.Context(), w.user, f)
					require.NoError(b, err)
				}
			})
		}
	}
}

// BenchmarkAgeing measures a queue of 100,000 open pairs: as a user sees it, and for the operators.
func BenchmarkAgeing(b *testing.B) {
	w := newWorld(b)
	w.fill(b, 1050)
	for name, read := range map[string]func() (conflicts.Ageing, error){
		"user":       func() (conflicts.Ageing, error) { return w.Ageing(b.Context(), w.user) },
		"everywhere": func() (conflicts.Ageing, error) { return w.AgeingEverywhere(b.Context()) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := read()
				require.NoError(b, err)
			}
		})
	}
}
