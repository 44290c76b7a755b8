package eval

import (
	"cmp"
	_ "embed" // the committed baseline
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"

	"wiki/core/search"
	"wiki/core/wiki"
)

//go:embed golden/baseline.json
var committedBaseline []byte

// Baseline is what the golden set scored when the ranking was last agreed on. It is made anew only with a reviewed change
// of the ranking, never to turn a red gate green (seed, "Anti-patterns").
type Baseline struct {
	Version string                 `json:"version"` // of the golden set
	Model   string                 `json:"model"`   // that made the vectors
	Arms    map[string]BaselineArm `json:"arms"`
}

// BaselineArm is one arm of a baseline.
type BaselineArm struct {
	Mean      Metrics                   `json:"mean"`
	Questions map[string]BaselineAnswer `json:"questions"`
}

// BaselineAnswer is how one question was answered.
type BaselineAnswer struct {
	NDCG10   float64 `json:"ndcg_at_10"`
	Answered bool    `json:"answered_at_5"`
}

// Arms of the golden set (seed, "Ranking changes are gated by the golden-question eval").
const (
	ArmEmbeddings  = "embeddings"
	ArmKeywordOnly = "keyword_only"
)

// GoldenArms are both arms: as on every day, and with the embedder away.
func GoldenArms(s search.Settings) []Arm {
	return []Arm{
		{Name: ArmEmbeddings, Mode: search.ModeCombined, Settings: s},
		{Name: ArmKeywordOnly, Mode: search.ModeCombined, Settings: s, Down: true},
	}
}

// CommittedBaseline gives the baseline that was released with the golden set.
func CommittedBaseline() (Baseline, error) { return ParseBaseline(committedBaseline) }

// ParseBaseline reads a baseline. The error is CodeInvalid on "baseline".
func ParseBaseline(raw []byte) (Baseline, error) {
	var b Baseline
	if err := json.Unmarshal(raw, &b); err != nil {
		return b, &wiki.Error{Code: wiki.CodeInvalid, Field: "baseline", Message: "the baseline cannot be read", Err: err}
	}
	return b, nil
}

// decimals of the numbers in a baseline: more would differ from processor to processor.
const decimals = 1e4

func rounded(x float64) float64 { return math.Round(x*decimals) / decimals }

// NewBaseline makes a baseline of results.
func NewBaseline(set Set, model string, results []Result) Baseline {
	b := Baseline{Version: set.Version, Model: model, Arms: map[string]BaselineArm{}}
	for _, r := range results {
		arm := BaselineArm{Mean: r.Mean, Questions: map[string]BaselineAnswer{}}
		for _, f := range arm.Mean.fields() {
			*f = rounded(*f)
		}
		for id, a := range r.Answers {
			arm.Questions[id] = BaselineAnswer{NDCG10: rounded(a.NDCG10), Answered: a.Answered > 0}
		}
		b.Arms[r.Arm] = arm
	}
	return b
}

// Bytes is the baseline as it is committed: a question a line, so that a review sees which ones moved.
func (b Baseline) Bytes() ([]byte, error) {
	raw, err := json.MarshalIndent(b, "", "\t")
	if err != nil {
		return nil, err
	}
	return append(answerLines.ReplaceAll(raw, []byte("{$1, $2}")), '\n'), nil
}

// answerLines matches a BaselineAnswer that is spread over lines.
var answerLines = regexp.MustCompile(`\{\s+("ndcg_at_10": [^,]+),\s+("answered_at_5": \w+)\s+\}`)

// Change is a question that is answered otherwise than in the baseline.
type Change struct {
	Arm      string  `json:"arm"`
	Question string  `json:"question"`
	Before   float64 `json:"ndcg_before"`
	After    float64 `json:"ndcg_after"`
	Lost     bool    `json:"lost_answer,omitempty"` // it was answered among the first five, and is no more
}

// Verdict is a comparison with a baseline. It passes without Regressions.
type Verdict struct {
	Regressions []string `json:"regressions"`
	Winners     []Change `json:"winners"` // most first
	Losers      []Change `json:"losers"`  // most first
}

// What a mean may fall before it counts as a regression: over all questions (facts §10), and of nDCG@10 over the questions of
// one group, so that a prior which matters to five of them is not drowned by the others.
const (
	maxDrop      = 0.005
	maxGroupDrop = 0.02
)

// Compare says what got better and worse. Regressions are: a mean over all questions or over a group that fell too far,
// an answer that was lost, and whatever makes the comparison mean nothing: another version or model, an arm or question that
// one side lacks.
func (b Baseline) Compare(set Set, model string, results []Result) Verdict {
	v := Verdict{Regressions: []string{}, Winners: []Change{}, Losers: []Change{}}
	fail := func(format string, args ...any) { v.Regressions = append(v.Regressions, fmt.Sprintf(format, args...)) }
	if b.Version != set.Version {
		fail("the baseline is of version %q of the golden set, and this is version %q", b.Version, set.Version)
	}
	if b.Model != model {
		fail("the baseline was measured with the model %s, and this is %s", b.Model, model)
	}
	if len(results) == 0 || len(b.Arms) != len(results) {
		fail("the baseline has %d arms, and %d were measured", len(b.Arms), len(results))
	}
	for _, r := range results {
		before, ok := b.Arms[r.Arm]
		if !ok || len(before.Questions) != len(r.Answers) || len(r.Answers) == 0 {
			fail("%s: the baseline has %d questions, and %d were asked", r.Arm, len(before.Questions), len(r.Answers))
			continue
		}
		for i, value := range r.Mean.values() {
			if was := before.Mean.values()[i]; !(value >= was-maxDrop) {
				fail("%s: %s fell from %.4f to %.4f", r.Arm, metricNames[i], was, value)
			}
		}
		for _, g := range groups(set) {
			if was, is := before.group(g.ids), r.group(g.ids); !(is >= was-maxGroupDrop) {
				fail("%s: ndcg@10 of the group %s fell from %.4f to %.4f", r.Arm, g.name, was, is)
			}
		}
		v.questions(r, before)
	}
	for _, c := range v.Losers {
		if c.Lost {
			fail("%s: %s is not answered any more", c.Arm, c.Question)
		}
	}
	return v
}

// group is the questions of one kind.
type group struct {
	name string
	ids  []string
}

func groups(set Set) []group {
	byName := map[string]*group{}
	var order []*group
	for _, q := range set.Questions {
		g := byName[q.Kind]
		if g == nil {
			g = &group{name: q.Kind}
			byName[q.Kind], order = g, append(order, g)
		}
		g.ids = append(g.ids, q.ID)
	}
	out := make([]group, len(order))
	for i, g := range order {
		out[i] = *g
	}
	return out
}

func (b BaselineArm) group(ids []string) float64 {
	sum := 0.0
	for _, id := range ids {
		sum += b.Questions[id].NDCG10
	}
	return sum / float64(len(ids))
}

func (r Result) group(ids []string) float64 {
	sum := 0.0
	for _, id := range ids {
		sum += r.Answers[id].NDCG10
	}
	return sum / float64(len(ids))
}

func (v *Verdict) questions(r Result, before BaselineArm) {
	for id, a := range r.Answers {
		was, known := before.Questions[id]
		c := Change{Arm: r.Arm, Question: id, Before: was.NDCG10, After: rounded(a.NDCG10), Lost: was.Answered && a.Answered == 0}
		switch {
		case !known:
			v.Regressions = append(v.Regressions, fmt.Sprintf("%s: the baseline does not know the question %s", r.Arm, id))
		case c.Lost || c.After < c.Before:
			v.Losers = append(v.Losers, c)
		case c.After > c.Before:
			v.Winners = append(v.Winners, c)
		}
	}
	most := func(a, b Change) int {
		return cmp.Or(cmp.Compare(math.Abs(b.After-b.Before), math.Abs(a.After-a.Before)), cmp.Compare(a.Arm, b.Arm), cmp.Compare(a.Question, b.Question))
	}
	slices.SortFunc(v.Winners, most)
	slices.SortFunc(v.Losers, most)
}
