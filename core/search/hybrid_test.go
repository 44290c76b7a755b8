package search_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/search"
	"wiki/core/wiki"
)

func (f fixture) hybrid(t *testing.T, text string, limit int) search.HybridPage {
	t.Helper()
	page, err := f.service.Hybrid(ctx, f.me, search.Query{Text: text, Limit: limit, Explain: true})
	require.NoError(t, err)
	return page
}

func TestHybridSaysWhatVouchesForIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.corpus(t)
	const question = "How often does the espresso machine need descaling?"
	page := f.hybrid(t, question, 3)
	require.Equal(t, wiki.ProvenanceRetrieved, page.Provenance)
	require.Nil(t, page.Curated)
	require.Less(t, page.Confidence, 0.5, "absolute: the best of a bad pool is still bad")

	curated := f.add(t, doc{title: "Espresso machine descaling", body: "The espresso machine needs descaling every month.", curated: true, age: 1 << 60})
	page = f.hybrid(t, question, 3)
	require.Equal(t, wiki.ProvenanceCurated, page.Provenance)
	require.Equal(t, &curated, page.Curated)
	require.Equal(t, curated, page.Hits[0].ID)
	require.True(t, page.Hits[0].Curated)
	require.GreaterOrEqual(t, page.Confidence, float64(wiki.DefaultCosineThreshold))

	// A rival that says nearly the same leaves no margin.
	rival := f.add(t, doc{title: "Descaling the espresso machine", body: "The espresso machine needs descaling every week."})
	page = f.hybrid(t, question, 3)
	require.Equal(t, wiki.ProvenanceRetrieved, page.Provenance)
	require.Nil(t, page.Curated)
	f.exec(t, `update articles set status = 'archived' where id = $1`, rival)
	require.Equal(t, wiki.ProvenanceCurated, f.hybrid(t, question, 3).Provenance)
}

func (f fixture) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	require.NoError(t, f.db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	}))
}

func TestADisputeWithholdsACuratedAnswer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, _, cats := f.corpus(t)
	const question = "How often does the espresso machine need descaling?"
	curated := f.add(t, doc{title: "Espresso machine descaling", body: "The espresso machine needs descaling every month.", curated: true})
	require.Equal(t, wiki.ProvenanceCurated, f.hybrid(t, question, 3).Provenance)

	flag := func(system bool) (raised wiki.Flag) {
		require.NoError(t, f.db.Tenant(ctx, f.me.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
			raised, _, err = flags.Raise(ctx, tx, f.me, flags.New{A: curated, B: cats, System: system, Similarity: 0.95, Evidence: "they differ"})
			return err
		}))
		return raised
	}
	flag(false)
	require.Equal(t, wiki.ProvenanceCurated, f.hybrid(t, question, 3).Provenance, "an assertion feeds the queue only")
	raised := flag(true)
	page := f.hybrid(t, question, 3)
	require.Equal(t, wiki.ProvenanceRetrieved, page.Provenance)
	require.Equal(t, curated, page.Hits[0].ID, "it is still found")

	canon := f.add(t, doc{title: "Espresso machines", body: "The espresso machine needs descaling each month.", canon: true})
	require.Equal(t, wiki.ProvenanceRetrieved, f.hybrid(t, question, 3).Provenance, "canon is withheld with the tenant's own")

	f.exec(t, `insert into conflict_verdicts (id, tenant_id, first_id, second_id, classification, disposition, confidence, requested_confidence, judged_by, judged_at)
		values ($1, $2, $3, $4, 'complementary', 'dismiss', 'medium', 'medium', '{}', now())`, uuid.New(), f.me.Tenant, raised.First, raised.Second)
	page = f.hybrid(t, question, 3)
	require.Equal(t, &curated, page.Curated, "the tenant's own goes before canon")
	f.exec(t, `update articles set status = 'archived' where id = $1`, curated)
	require.Equal(t, &canon, f.hybrid(t, question, 3).Curated)
}

func TestHybridPageIsDiverse(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, tls, _ := f.corpus(t)
	for _, title := range []string{"Certificate renewal", "Certificate renewal "} {
		f.add(t, doc{title: title, body: "certbot renew replaces the certificate."})
	}
	page := f.hybrid(t, "certificate renewal with certbot", 2)
	require.Len(t, page.Hits, 2)
	require.Contains(t, ids(page.Hits), tls, "the twin gives its place to another")
	require.Len(t, page.Diversity.Dropped, 1)

	_, err := f.service.Hybrid(ctx, f.me, search.Query{Text: " "})
	require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err))
}
