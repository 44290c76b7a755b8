package eval

import (
	"testing"

	"github.com/stretchr/testify/require"
)

var twoQuestions = Set{Version: "1", Questions: []Question{{ID: "a"}, {ID: "b"}}}

func result(arm string, a, b float64, answered float64) Result {
	answers := map[string]Answer{"a": {Metrics: Metrics{Questions: 1, NDCG10: a, Answered: 1}}, "b": {Metrics: Metrics{Questions: 1, NDCG10: b, Answered: answered}}}
	return Result{Arm: arm, Answers: answers, Mean: mean([]Metrics{answers["a"].Metrics, answers["b"].Metrics})}
}

func TestGateFailsOnWhatGotWorseAndOnWhatCannotBeCompared(t *testing.T) {
	t.Parallel()
	before := []Result{result("x", 0.8, 0.6, 1)}
	b := NewBaseline(twoQuestions, "m", before)
	require.Empty(t, b.Compare(twoQuestions, "m", before).Regressions)

	v := b.Compare(twoQuestions, "m", []Result{result("x", 0.9, 0.6, 1)})
	require.Empty(t, v.Regressions)
	require.Equal(t, []Change{{Arm: "x", Question: "a", Before: 0.8, After: 0.9}}, v.Winners)

	v = b.Compare(twoQuestions, "m", []Result{result("x", 0.8, 0.592, 1)})
	require.Empty(t, v.Regressions, "a mean may fall by 0.004")
	require.Len(t, v.Losers, 1)
	require.NotEmpty(t, b.Compare(twoQuestions, "m", []Result{result("x", 0.8, 0.588, 1)}).Regressions, "and not by 0.006")

	v = b.Compare(twoQuestions, "m", []Result{result("x", 1, 1, 0)})
	require.Contains(t, v.Regressions, "x: b is not answered any more", "whatever the means say")
	require.True(t, v.Losers[0].Lost)

	grouped := Set{Version: "1", Questions: []Question{{ID: "a", Kind: "few"}, {ID: "b", Kind: "many"}}}
	v = b.Compare(grouped, "m", []Result{result("x", 0.85, 0.57, 1)})
	require.Equal(t, []string{"x: ndcg@10 of the group many fell from 0.6000 to 0.5700"}, v.Regressions, "though the mean rose")

	other := twoQuestions
	other.Version = "2"
	require.NotEmpty(t, b.Compare(other, "m", before).Regressions, "another version")
	require.NotEmpty(t, b.Compare(twoQuestions, "n", before).Regressions, "another model")
	require.NotEmpty(t, b.Compare(twoQuestions, "m", nil).Regressions, "nothing measured")
	require.NotEmpty(t, b.Compare(twoQuestions, "m", []Result{result("y", 1, 1, 1)}).Regressions, "another arm")
	require.NotEmpty(t, Baseline{}.Compare(twoQuestions, "m", before).Regressions, "no baseline")
	fewer := result("x", 1, 1, 1)
	delete(fewer.Answers, "b")
	require.NotEmpty(t, b.Compare(twoQuestions, "m", []Result{fewer}).Regressions, "a question was not asked")
}

func TestBaselineIsReadBackAsWritten(t *testing.T) {
	t.Parallel()
	b := NewBaseline(twoQuestions, "m", []Result{result("x", 0.123456, 0.6, 0)})
	raw, err := b.Bytes()
	require.NoError(t, err)
	require.Contains(t, string(raw), `"a": {"ndcg_at_10": 0.1235, "answered_at_5": true},`+"\n")
	back, err := ParseBaseline(raw)
	require.NoError(t, err)
	require.Equal(t, b, back)
	_, err = ParseBaseline([]byte("{"))
	require.Error(t, err)
}
