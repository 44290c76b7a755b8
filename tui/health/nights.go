package health

import (
	"fmt"
	"strings"
	"time"

	"wiki/server/api"
	"wiki/tui/spark"
	"wiki/tui/text"
	"wiki/tui/when"
)

// lateAfter is how long after the last pass a missing one is a fault: a night and a half.
const lateAfter = 36 * time.Hour

// gates say what kept a consumer from its end. A gate that is not among them kept it from nothing.
var gates = map[string]string{
	"": "not reached", "count_exhausted": "as many as one night allows", "time_exhausted": "its time was over", "stopped": "stopped",
	"broken": "it could not go on", "paused": "switched off",
}

// nightTroubles says what the nights left undone: where the newest pass was cut, and when none came since.
func (s *Screen) nightTroubles() []string {
	if len(s.facts.nights) == 0 {
		return nil
	}
	var found []string
	last, now := s.facts.nights[0], s.env.Now()
	if now.Sub(last.StartedAt) > lateAfter {
		found = append(found, fmt.Sprintf("no nightly pass has run for %s: what waits for the night is left undone.", when.Ago(last.StartedAt, now)))
	}
	for _, step := range last.Steps {
		switch {
		case step.Failed > 0:
			found = append(found, fmt.Sprintf("in the last night %s failed %s: they are offered again.", step.Consumer, when.Count(step.Failed, "time", "times")))
		case step.Gate == "broken" || step.Gate == "" && last.FinishedAt != nil:
			found = append(found, fmt.Sprintf("in the last night %s did not come to its end: %s.", step.Consumer, gates[step.Gate]))
		}
	}
	return found
}

// nights lists the consumers in the order of the newest pass, each with what it did night by night, and last.
func (s *Screen) nights() []fact {
	if len(s.facts.nights) == 0 {
		return []fact{{"", "No pass has run yet."}}
	}
	newest := s.facts.nights[0]
	state := "is under way"
	if newest.FinishedAt != nil {
		state = "took " + (time.Duration(newest.SpentMS) * time.Millisecond).Round(time.Second).String()
	}
	out := []fact{{"last", newest.Night + ", " + when.Old(newest.StartedAt, s.env.Now()) + ", " + state}}
	for _, step := range newest.Steps {
		applied, all := s.applied(step.Consumer)
		line := fmt.Sprintf("%s %d done, last %s", spark.Line(applied), all, tally(step))
		out = append(out, fact{text.Truncate(text.InertLine(step.Consumer), labelColumns-1), line})
	}
	return out
}

// applied is what a consumer did in each night, oldest first, and in all.
func (s *Screen) applied(consumer string) (byNight []int, all int) {
	for i := len(s.facts.nights) - 1; i >= 0; i-- {
		for _, step := range s.facts.nights[i].Steps {
			if step.Consumer == consumer {
				byNight = append(byNight, step.Applied)
				all += step.Applied
			}
		}
	}
	return byNight, all
}

// tally says what a consumer made of what it was offered, and what kept it from the rest.
func tally(step api.NightStep) string {
	line := fmt.Sprintf("%d of %d", step.Applied, step.Offered)
	for _, c := range []struct {
		n   int
		say string
	}{{step.Refused, "refused"}, {step.Withheld, "left on purpose"}, {step.Failed, "failed"}} {
		if c.n > 0 {
			line += fmt.Sprintf(", %d %s", c.n, c.say)
		}
	}
	if why, kept := gates[step.Gate]; kept {
		line += ": " + why
	} else if step.Gate != "open" {
		line += ": " + strings.ReplaceAll(step.Gate, "_", " ")
	}
	return line
}
