package wiki_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/core/wiki"
)

var gateLines = wiki.Thresholds{DuplicateAt: 0.97, LowNoveltyAt: 0.88, ConflictAt: 0.93}

func near(cosine wiki.Cosine, body string) wiki.Near {
	return wiki.Near{ID: uuid.New(), Cosine: cosine, Title: "Proxy", Body: body}
}

func TestJudgeDrawsTheLinesAtTheThresholds(t *testing.T) {
	t.Parallel()
	const body = "The proxy listens here."
	require.Equal(t, wiki.GradeNovel, wiki.Judge("Proxy", body, nil, gateLines).Grade)
	for cosine, want := range map[wiki.Cosine]wiki.Grade{
		-1: wiki.GradeNovel, 0.8799: wiki.GradeNovel, 0.88: wiki.GradeLowNovelty, 0.9699: wiki.GradeLowNovelty,
		0.97: wiki.GradeDuplicate, 1: wiki.GradeDuplicate,
	} {
		n := near(cosine, body)
		got := wiki.Judge("Proxy", body, []wiki.Near{n}, gateLines)
		require.Equal(t, want, got.Grade, "at %v", cosine)
		require.Equal(t, n.ID, got.Nearest.ID)
	}
}

// Cosine alone calls "port 8080" and "port 8081" one thing (SPEC §3; cases 13, 14, 33).
func TestJudgeNeverCallsDifferentStatementsDuplicates(t *testing.T) {
	t.Parallel()
	for name, twin := range map[string][2]string{
		"number":     {"It listens on port 8081.", "It listens on port 8080."},
		"version":    {"It needs v1.26.", "It needs v1.25."},
		"identifier": {"Set max_conns.", "Set min_conns."},
		"date":       {"Since 2026-04-01.", "Since 2026-03-01."},
		"unit":       {"It waits 30 ms.", "It waits 30 s."},
		"negation":   {"It is not safe.", "It is safe."},
	} {
		n := near(0.999, twin[1])
		got := wiki.Judge("Proxy", twin[0], []wiki.Near{n}, gateLines)
		require.Equal(t, wiki.GradeLowNovelty, got.Grade, name)
		require.NotEmpty(t, got.Differing, name)
		require.Len(t, got.Flags(wiki.StatusDraft), 1, name)
		require.Equal(t, n.ID, got.Flags(wiki.StatusDraft)[0].ID, name)
		require.Equal(t, got.Differing, got.Flags(wiki.StatusDraft)[0].Differing, name)
	}
}

func TestJudgeFindsTheDuplicateBehindAContradiction(t *testing.T) {
	t.Parallel()
	other, same := near(0.99, "It listens on port 8080."), near(0.98, "It listens on port 8081.")
	got := wiki.Judge("Proxy", "It listens on port 8081.", []wiki.Near{other, same}, gateLines)
	require.Equal(t, wiki.GradeDuplicate, got.Grade)
	require.Equal(t, same.ID, got.Nearest.ID)
}

func TestMechanicalFlagNeedsAPublishedArticleAndTheConflictLine(t *testing.T) {
	t.Parallel()
	flags := func(n wiki.Near, s wiki.Status) int {
		return len(wiki.Judge("Proxy", "It listens.", []wiki.Near{n}, gateLines).Flags(s))
	}
	require.Equal(t, 1, flags(near(0.93, "It listens."), wiki.StatusPublished))
	require.Zero(t, flags(near(0.93, "It listens."), wiki.StatusDraft))
	require.Zero(t, flags(near(0.92, "It listens."), wiki.StatusPublished))
	require.Equal(t, 1, flags(near(0.98, "It listens on 8080."), wiki.StatusPublished), "one flag a pair")
	canon := near(0.99, "It listens on 8080.")
	canon.Canon = true
	require.Zero(t, flags(canon, wiki.StatusPublished), "system canon is never flagged")
}

func TestJudgeIsMonotonic(t *testing.T) {
	t.Parallel()
	rank := map[wiki.Grade]int{wiki.GradeNovel: 0, wiki.GradeLowNovelty: 1, wiki.GradeDuplicate: 2}
	rapid.Check(t, func(t *rapid.T) {
		low := wiki.Cosine(rapid.Float64Range(-1, 1).Draw(t, "low"))
		high := wiki.Cosine(rapid.Float64Range(float64(low), 1).Draw(t, "high"))
		body := rapid.SampledFrom([]string{"It listens.", "It listens on 8080.", "It never listens."}).Draw(t, "body")
		farther := wiki.Judge("Proxy", "It listens.", []wiki.Near{near(low, body)}, gateLines).Grade
		nearer := wiki.Judge("Proxy", "It listens.", []wiki.Near{near(high, body)}, gateLines).Grade
		require.GreaterOrEqual(t, rank[nearer], rank[farther], "nearer is never newer")
	})
}
