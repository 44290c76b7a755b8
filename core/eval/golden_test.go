package eval

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGoldenSetHoldsWhatItPromises(t *testing.T) {
	t.Parallel()
	s, err := Golden()
	require.NoError(t, err)
	base := s.WithoutTwins()
	require.GreaterOrEqual(t, len(base.Questions), 80)
	require.Len(t, s.Questions, 2*len(base.Questions), "each question has its distilled twin")
	kinds := map[string]int{}
	for _, q := range base.Questions {
		kinds[q.Kind]++
	}
	for kind, least := range map[string]int{"fact": 20, "words": 10, "identifier": 10, "number": 10, "negation": 8, "hop": 8, "recent": 5, "authority": 5, "demoted": 5, "origin": 4, "language": 4, "tail": 2} {
		require.GreaterOrEqual(t, kinds[kind], least, kind)
	}
	linked := map[string]bool{}
	for _, l := range s.Links {
		linked[l.To] = true
	}
	for _, q := range base.Questions {
		answered := false
		for doc, grade := range q.Relevant {
			answered = answered || grade == 3 && linked[doc]
		}
		require.True(t, q.Kind != "hop" || answered, "%s: the answer stands behind a link", q.ID)
	}
}

// The blind spots that the seed names: were two of these equal, a prior that reads the wrong one would go unseen.
func TestGoldenSetSeedsApartWhatPriorsMayConfuse(t *testing.T) {
	t.Parallel()
	s, err := Golden()
	require.NoError(t, err)
	apart, measured, unmeasured := 0, 0, 0
	sources, ages := map[string]int{}, map[int]bool{}
	for _, d := range s.Documents {
		if d.ChangedDays != d.TouchedDays {
			apart++
		}
		if d.ReadDays == nil {
			unmeasured++
		} else {
			measured++
		}
		sources[d.SourceType]++
		ages[d.ChangedDays] = true
	}
	require.Greater(t, apart, len(s.Documents)*9/10, "a text's age is not its row's")
	require.Greater(t, measured, 20)
	require.Greater(t, unmeasured, 20)
	require.Greater(t, len(sources), 5)
	require.Greater(t, len(ages), 50)
}

func TestGoldenSetRefusesWhatWouldMeasureNothing(t *testing.T) {
	t.Parallel()
	const header, page = `{"kind":"header","version":"1"}`, `{"kind":"document","id":"a","title":"A","body":"b"}`
	const question = `{"kind":"question","id":"q","question":"what?","relevant":{"a":1}}`
	parse := func(lines ...string) error {
		_, err := parseGolden([]byte(strings.Join(lines, "\n")))
		return err
	}
	require.NoError(t, parse(header, page, question))
	for name, lines := range map[string][]string{
		"empty":              {},
		"no version":         {page, question},
		"no question":        {header, page},
		"unknown kind":       {header, page, question, `{"kind":"x"}`},
		"no JSON":            {header, page, question, `{`},
		"two of one title":   {header, page, `{"kind":"document","id":"b","title":"A","body":"b"}`, question},
		"two of one id":      {header, page, `{"kind":"document","id":"a","title":"B","body":"b"}`, question},
		"question twice":     {header, page, question, question},
		"answer that is not": {header, page, `{"kind":"question","id":"q","question":"what?","relevant":{"z":1}}`},
		"no answer":          {header, page, `{"kind":"question","id":"q","question":"what?"}`},
		"link to nowhere":    {header, page, question, `{"kind":"link","from":"a","to":"z","relation":"relates_to"}`},
	} {
		require.Error(t, parse(lines...), name)
	}
}
