package wiki_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/core/wiki"
)

func capture(age int, title, key string) wiki.Capture {
	return wiki.Capture{ID: uuid.New(), Title: title, Key: key, InsertedAt: time.Unix(int64(1e9-age), 0)}
}

func TestSeedCopiesAreFoundByBothSignalsAndTheOldestWins(t *testing.T) {
	t.Parallel()
	oldest, wide, cased := capture(9, "Ｂａｃｋｕｐ retention", "k1"), capture(5, "Backup  Retention", "k2"), capture(3, "backup retention ", "k3")
	byKey, byKey2 := capture(8, "One", "talk:７"), capture(2, "Two", "Talk:7")
	alone, hub, hub2 := capture(7, "Backups", ""), capture(6, "Index: a", "moc:a"), capture(4, "Index: A2", "MOC:a")
	private := capture(10, "Backup retention", "")
	private.Owner = "ann"
	all := []wiki.Capture{cased, byKey2, alone, wide, hub, private, oldest, byKey, hub2}
	groups := wiki.CopyGroups(all)
	require.Len(t, groups, 2)
	require.Equal(t, wiki.DriftTitle, groups[0].Signal)
	require.Equal(t, []wiki.Capture{oldest, wide, cased}, groups[0].Members)
	require.Equal(t, wiki.DriftKey, groups[1].Signal)
	require.Equal(t, byKey, groups[1].Winner())
	claims := wiki.Claims(groups)
	require.Len(t, claims, 3)
	for _, c := range claims {
		require.Contains(t, []uuid.UUID{oldest.ID, byKey.ID}, c.Winner)
	}
}

// A winner that another group would take away is none: nothing is retracted in favour of what goes itself.
func TestSeedNoCopyIsRetractedForOneThatGoes(t *testing.T) {
	t.Parallel()
	a, b, c := capture(9, "Same", "x"), capture(5, "same", "k"), capture(1, "Other", "K")
	claims := wiki.Claims(wiki.CopyGroups([]wiki.Capture{a, b, c}))
	require.Len(t, claims, 1)
	require.Equal(t, b.ID, claims[0].Member)
	require.Equal(t, a.ID, claims[0].Winner)
}

func TestCopyGroupsDoNotDependOnTheOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		captures := make([]wiki.Capture, n)
		for i := range captures {
			captures[i] = capture(rapid.IntRange(0, 3).Draw(t, "age"), rapid.SampledFrom([]string{"a", "A", "b", "B "}).Draw(t, "title"), rapid.SampledFrom([]string{"", "x", "X", "y"}).Draw(t, "key"))
		}
		groups := wiki.CopyGroups(slices.Clone(captures))
		shuffled := slices.Clone(captures)
		rand.New(rand.NewPCG(uint64(n), 1)).Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		require.Equal(t, groups, wiki.CopyGroups(shuffled))
		losers := map[uuid.UUID]bool{}
		for _, c := range wiki.Claims(groups) {
			losers[c.Member] = true
		}
		for _, c := range wiki.Claims(groups) {
			require.False(t, losers[c.Winner])
		}
	})
}

// Scoring is keyed by signal and member: a score under the other signal finds nothing, and withholds (seed, invariant 4).
func TestSeedCorroborationIsKeyedBySignalAndMember(t *testing.T) {
	t.Parallel()
	a, b := uuid.New(), uuid.New()
	c := wiki.Claim{CopyOf: wiki.CopyOf{Signal: wiki.DriftTitle, Member: a}, Winner: b}
	for _, x := range []struct {
		name      string
		scores    map[wiki.CopyOf]wiki.Cosine
		differing []wiki.Difference
		why       wiki.Code
	}{
		{"scored", map[wiki.CopyOf]wiki.Cosine{{Signal: wiki.DriftTitle, Member: a}: wiki.CopyAt}, nil, ""},
		{"too far", map[wiki.CopyOf]wiki.Cosine{{Signal: wiki.DriftTitle, Member: a}: wiki.CopyAt - 0.001}, nil, wiki.CopyUncorroborated},
		{"not scored", nil, nil, wiki.CopyUncorroborated},
		{"under the other signal", map[wiki.CopyOf]wiki.Cosine{{Signal: wiki.DriftKey, Member: a}: 1}, nil, wiki.CopyUncorroborated},
		{"another member", map[wiki.CopyOf]wiki.Cosine{{Signal: wiki.DriftTitle, Member: b}: 1}, nil, wiki.CopyUncorroborated},
		{"other evidence", map[wiki.CopyOf]wiki.Cosine{{Signal: wiki.DriftTitle, Member: a}: 1}, []wiki.Difference{{}}, wiki.CopyDiffers},
	} {
		require.Equal(t, x.why, wiki.Corroborated(c, x.scores, x.differing), x.name)
	}
}
