package server

import (
	"time"

	"wiki/core/articles"
	"wiki/core/gate"
	"wiki/server/api"
)

// defaultPipelineDays is the span in which the health of ingestion is judged (facts §7).
const defaultPipelineDays = 7

// pipeline says what became of the writes of the last days.
func (s *Server) pipeline(q *request) (*answer, error) {
	p := q.params()
	days := p.number("days", defaultPipelineDays, 1, articles.MaxCountDays)
	if p.err != nil {
		return nil, p.err
	}
	counts, byDay, err := s.core.Articles.WriteCounts(q.Context(), q.actor, days)
	if err != nil {
		return nil, err
	}
	v := pipelineView(days, counts)
	v.ByDay = daysView(byDay)
	return ok(v), nil
}

var (
	// creating are the verdicts that made an article.
	creating = map[string]bool{string(gate.Novel): true, string(gate.LowNovelty): true, string(gate.Unknown): true}
	// discarding are those that made none; every other outcome is the code of a refusal.
	discarding = map[string]bool{string(gate.Duplicate): true, string(gate.Deduplicated): true, string(gate.SkippedLowNovelty): true}
)

func pipelineView(days int, counts []articles.WriteCount) api.Pipeline {
	v := api.Pipeline{Days: days, Writes: api.Writes{ByOutcome: map[string]int{}}, Sources: []api.SourceWrites{}}
	for _, c := range counts {
		if n := len(v.Sources); n == 0 || v.Sources[n-1].SourceType != c.SourceType {
			v.Sources = append(v.Sources, api.SourceWrites{SourceType: c.SourceType, Writes: api.Writes{ByOutcome: map[string]int{}}})
		}
		for _, w := range []*api.Writes{&v.Writes, &v.Sources[len(v.Sources)-1].Writes} {
			w.ByOutcome[c.Outcome] += c.Writes
			w.Total += c.Writes
			w.ContentDrift += c.ContentDrifts
			w.TitleDrift += c.TitleDrifts
			if creating[c.Outcome] {
				w.Created += c.Writes
			}
		}
	}
	return v
}

// daysView gives each day, oldest first.
func daysView(counts []articles.WriteDay) []api.DayWrites {
	var days []api.DayWrites
	for _, c := range counts {
		day := c.Day.Format(time.DateOnly)
		if n := len(days); n == 0 || days[n-1].Day != day {
			days = append(days, api.DayWrites{Day: day})
		}
		d := &days[len(days)-1]
		d.Total += c.Writes
		d.ContentDrift += c.ContentDrifts
		d.TitleDrift += c.TitleDrifts
		switch {
		case creating[c.Outcome]:
			d.Created += c.Writes
		case !discarding[c.Outcome]:
			d.Refused += c.Writes
		}
	}
	return days
}
