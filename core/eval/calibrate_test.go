package eval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/eval"
	"wiki/core/shareddata"
	"wiki/core/wiki"
)

func TestPairsHoldWhatTheyPromise(t *testing.T) {
	t.Parallel()
	pairs, err := eval.Pairs()
	require.NoError(t, err)
	kinds := map[string]int{}
	for _, p := range pairs {
		require.NotEmpty(t, p.First.Body)
		require.NotEqual(t, p.First, p.Second, "%s", p.First.Title)
		kinds[string(p.Label)+" "+p.Kind]++
	}
	for kind, least := range map[string]int{
		"twin negation": 10, "twin digits": 10, "twin versions": 8, "twin dates": 8, "twin units": 8, "twin identifiers": 8,
		"same copy": 10, "same paraphrase": 10, "other template": 20, "other pattern": 10, "other topic": 10,
	} {
		require.GreaterOrEqual(t, kinds[kind], least, kind)
	}
}

// The error rate of the gate as it ships, with the built-in model (SPEC §12; cases 13, 14, 20): no two statements are one, all
// near twins reach a curator, and the thresholds are those that the pairs speak for.
func TestGateIsCalibratedForTheBuiltInModel(t *testing.T) {
	t.Parallel()
	graded, err := eval.STSPairs(shareddata.Dir(t, "stsb-en"))
	require.NoError(t, err)
	require.Greater(t, len(graded), 2000)
	c, err := eval.Calibrate(t.Context(), sharedCache(t), graded, nil)
	require.NoError(t, err)
	require.Empty(t, c.Wrong())
	require.Equal(t, eval.Supported{DuplicateAt: c.Thresholds.DuplicateAt, LowNoveltyAt: c.Thresholds.LowNoveltyAt}, *c.Supported)
	for _, k := range c.Sets[0].Kinds {
		if k.Label == eval.LabelTwin {
			require.Equal(t, k.Low, k.Queued, "%s: every twin that is near is queued", k.Kind)
		}
		if k.Label == eval.LabelOther {
			require.Equal(t, k.Pairs, k.Novel, "%s: form makes no page redundant (case 14)", k.Kind)
		}
	}
}

// Whatever the cosine says, a twin is no duplicate: the evidence holds at every threshold.
func TestNoTwinIsADuplicateAtAnyThreshold(t *testing.T) {
	t.Parallel()
	c, err := eval.Calibrate(t.Context(), sharedCache(t), nil, nil)
	require.NoError(t, err)
	require.Nil(t, c.Supported, "what was written to be near speaks for no threshold")
	for _, line := range c.Sets[0].Sweep {
		require.Zero(t, line.Duplicate.Wrong, "at %.2f", line.At)
		if line.At <= 0.98 {
			require.Greater(t, line.ByCosine.Wrong, 20, "at %.2f the cosine alone is wrong", line.At)
		}
	}
}

// A model whose vectors are all alike is found out: where no evidence differs either, pages that say different things are one.
func TestCalibrationNamesThePairsThatAreWrong(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"pairs.csv": "A dog carries a man.,A man carries a dog.,1.0\nBoats float.,Boats do float.,5.0\nMaybe.,Perhaps not.,4.0\n"})
	graded, err := eval.STSPairs(dir)
	require.NoError(t, err)
	require.Len(t, graded, 2, "a grade between the two is neither")
	measured := make([]eval.Measured, len(graded))
	for i, p := range graded {
		measured[i] = eval.Measured{Pair: p, Cosine: 0.99}
	}
	kinds := eval.Kinds(measured, wiki.Thresholds{DuplicateAt: 0.97, LowNoveltyAt: 0.88, ConflictAt: 0.93})
	require.Len(t, kinds, 2)
	require.Equal(t, []eval.Pair{graded[0]}, kinds[0].Wrong)
	require.Empty(t, kinds[1].Wrong)
	sweep := eval.Sweep(measured)
	require.Equal(t, eval.Rate{Precision: 0.5, Recall: 1, Wrong: 1}, sweep[0].Duplicate)
	require.Equal(t, eval.Rate{Precision: 1}, sweep[len(sweep)-1].Duplicate, "nothing is as near as 1")
}

func TestPairsOfSentencesSayWhatIsWrongWithThem(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"no file":  {},
		"no grade": {"a.csv": "one,two,many\n"},
		"columns":  {"a.csv": "one,4.0\n"},
		"no CSV":   {"a.csv": "\"one,two,4\n"},
	} {
		_, err := eval.STSPairs(write(t, files))
		require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err), name)
	}
}
