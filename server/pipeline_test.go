package server_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server/api"
)

// Every answer to a proposal is counted, and so is drift, which upstream's statistics cannot tell (seed, invariant 1).
func TestWritesAreCountedByOutcome(t *testing.T) {
	t.Parallel()
	s := newSeed1(t)
	s.first()
	for _, body := range []string{"Another text.", deployBody, deployBody} {
		s.send(http.StatusOK, fields{"title": deployTitle, "body": body, "idempotency_key": "k", "source_type": "newsletter"})
	}
	s.send(http.StatusOK, fields{"title": "Elsewhere", "body": deployBody, "idempotency_key": "k"})
	s.send(http.StatusOK, fields{"title": sameTitle, "body": deployBody}) // a neighbour is no drift
	s.send(http.StatusOK, fields{"title": nearTitle, "body": nearBody, "on_low_novelty": "skip"})
	s.send(http.StatusCreated, fields{"title": nearTitle, "body": nearBody})
	s.raw(fields{"title": deployTitle, "body": "Other.", "category": "playbook"})
	s.raw(fields{"title": "", "body": "x", "category": "playbook", "source_type": "made up"})
	s.raw(fields{"title": "T", "body": "x", "category": "playbook", "tags": []string{"idem-x"}})
	s.down()
	s.send(http.StatusCreated, fields{"title": "Geese", "body": "Geese fly."})
	s.raw(fields{"title": "Ducks", "body": "Ducks swim.", "category": "playbook", "on_gate_unavailable": "skip"})

	p, err := s.as(wiki.RoleOrchestrator).Pipeline(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, 7, p.Days)
	require.Equal(t, map[string]int{
		"novel": 1, "deduplicated": 4, "duplicate": 1, "skipped_low_novelty": 1, "low_novelty": 1, "unknown": 1,
		"title_conflict": 1, "invalid": 1, "reserved_tag": 1, "gate_unavailable": 1,
	}, p.ByOutcome)
	require.Equal(t, 13, p.Total)
	require.Equal(t, 3, p.Created)
	require.Equal(t, [2]int{1, 1}, [2]int{p.ContentDrift, p.TitleDrift})
	require.Len(t, p.Sources, 2)
	require.Equal(t, api.SourceWrites{SourceType: "newsletter", Writes: api.Writes{Total: 3, ByOutcome: map[string]int{"deduplicated": 3}, ContentDrift: 1}}, p.Sources[1])

	require.Len(t, p.ByDay, 7)
	require.Equal(t, api.DayWrites{Day: time.Now().UTC().Format(time.DateOnly), Total: 13, Created: 3, Refused: 4, ContentDrift: 1, TitleDrift: 1}, p.ByDay[6])
	require.Equal(t, api.DayWrites{Day: time.Now().UTC().AddDate(0, 0, -6).Format(time.DateOnly)}, p.ByDay[0], "a day without a write is there too")

	// The days are counted from today; another tenant's are its own.
	s.sql("update write_counts set day = day - 1")
	p, err = s.as(wiki.RoleOrchestrator).Pipeline(t.Context(), 1)
	require.NoError(t, err)
	require.Zero(t, p.Total)
	p, err = s.as(wiki.RoleOrchestrator).Pipeline(t.Context(), 2)
	require.NoError(t, err)
	require.Equal(t, 13, p.Total)
	_, others := s.newTenant("other")
	p, err = s.client(others[wiki.RoleUser]).Pipeline(t.Context(), 90)
	require.NoError(t, err)
	require.Zero(t, p.Total)
	require.Equal(t, "days", s.world.send("GET /api/v1/knowledge/pipeline?days=91", s.keys[wiki.RoleUser], "").failure(t).Field)
}
