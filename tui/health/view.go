package health

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"wiki/server/api"
	"wiki/tui/screen"
	"wiki/tui/spark"
	"wiki/tui/text"
	"wiki/tui/when"
)

const (
	labelColumns = 13
	mostSources  = 6 // of the writes, the busiest
)

// View implements screen.Screen.
func (s *Screen) View() string {
	th := s.env.Theme
	if s.at.IsZero() {
		return screen.Filled(screen.Centred(th, s.width, s.height, "Reading how the wiki is…"), s.height)
	}
	if err := s.silent(); err != nil {
		return screen.Filled(screen.Centred(th, s.width, s.height, "How the wiki is could not be read.", screen.Explain(err), "ctrl+r reads it again."), s.height)
	}
	rows := s.rows()
	s.top = max(0, min(s.top, len(rows)-s.height))
	end := min(len(rows), s.top+s.height)
	shown := slices.Clone(rows[s.top:end])
	if end < len(rows) && len(shown) > 0 { // the last row says that it is not the end
		shown[len(shown)-1] = th.Styles.Muted.Render(text.Truncate(fmt.Sprintf("… %s below: j", when.Count(len(rows)-end+1, "row", "rows")), s.width))
	}
	return screen.Filled(shown, s.height)
}

// silent gives the failure when nothing was ever answered.
func (s *Screen) silent() (err error) {
	for p := range parts {
		if s.known(part(p)) {
			return nil
		}
		err = cmp.Or(s.said[p].err, err)
	}
	return err
}

// rows are all rows of the screen; View shows as many as fit.
func (s *Screen) rows() []string {
	st, troubles := s.env.Theme.Styles, s.troubles()
	line, well := s.verdict(troubles)
	head, style := st.Good, st.Caution
	if !well {
		head = st.Caution
	}
	rows := []string{head.Render(text.Truncate(line, s.width))}
	for _, b := range bullets(troubles, s.width) {
		rows = append(rows, style.Render(b))
	}
	for _, section := range []struct {
		name  string
		parts []part
		lines func() []fact
	}{
		{"waits for a person", []part{numbers, pairs, submissions, sets}, s.waiting},
		{"index", []part{numbers}, s.index},
		{fmt.Sprintf("writes of the last %d days", days), []part{writes}, s.written},
		{fmt.Sprintf("the last %d nights", days), []part{passes}, s.nights},
		{"articles", []part{numbers}, s.articles},
		{"server", []part{server}, s.server},
	} {
		rows = append(rows, screen.Rule(s.env.Theme, s.width, section.name))
		switch {
		case s.barred(section.parts[0]):
			rows = append(rows, st.Muted.Render(text.Truncate("Read with a key of role orchestrator or higher.", s.width)))
		case !slices.ContainsFunc(section.parts, s.known):
			rows = append(rows, st.Muted.Render("Not read yet."))
		default:
			for _, f := range section.lines() {
				rows = append(rows, s.row(f)...)
			}
		}
	}
	return rows
}

// fact is a line of a section; what does not fit goes on below.
type fact struct{ label, value string }

func (s *Screen) row(f fact) []string {
	st, label := s.env.Theme.Styles, f.label
	var rows []string
	for _, l := range text.Wrap(text.InertLine(f.value), max(1, s.width-labelColumns)) {
		rows = append(rows, st.Muted.Render(text.Pad(label, labelColumns))+st.Text.Render(l))
		label = ""
	}
	return rows
}

// waiting lists the queues, each with the key of its screen.
func (s *Screen) waiting() []fact {
	var out []fact
	now := s.env.Now()
	if c := s.facts.stats.Conflicts; c != nil {
		line := fmt.Sprintf("%d open · %d came in the last day", c.Open, c.Intake)
		if c.Oldest != nil {
			line += " · the oldest waits " + when.Ago(*c.Oldest, now)
		}
		out = append(out, fact{"1 conflicts", line})
	}
	if n := s.facts.pairs["judged"]; n > 0 {
		out = append(out, fact{"X execute", when.Count(n, "verdict waits", "verdicts wait") + " for execution"})
	}
	if s.known(numbers) {
		out = append(out, fact{"3 drafts", fmt.Sprint(s.facts.stats.ByStatus["draft"])})
	}
	if s.known(submissions) {
		out = append(out, fact{"4 drift", when.Count(s.facts.drift["open"], "submission differs", "submissions differ") + " from what stands"})
	}
	if s.known(numbers) {
		out = append(out, fact{"5 hidden", when.Count(s.facts.stats.Suppressed, "article", "articles")})
	}
	if s.known(sets) {
		out = append(out, fact{"6 proposals", fmt.Sprint(s.facts.proposals["pending"])})
	}
	return out
}

func (s *Screen) index() []fact {
	m := s.facts.stats.Meaning
	if m == nil {
		return []fact{{"vectors", "this server does not tell"}}
	}
	waits := "none waits"
	if m.Pending > 0 {
		waits = when.Count(m.Pending, "waits", "wait")
	}
	return []fact{
		{"model", fmt.Sprintf("%s, %d numbers a text", m.Model, m.Dims)},
		{"vectors", when.Count(m.Indexed, "article has one", "articles have one") + " · " + waits},
	}
}

func (s *Screen) written() []fact {
	p := s.facts.pipeline
	if p.Total == 0 {
		return []fact{{"", "Nothing was written."}}
	}
	refused := 0
	for _, d := range p.ByDay {
		refused += d.Refused
	}
	line := func(label string, n int, of func(api.DayWrites) int) fact {
		values := make([]int, len(p.ByDay))
		for i, d := range p.ByDay {
			values[i] = of(d)
		}
		today := 0
		if len(values) > 0 {
			today = values[len(values)-1]
		}
		return fact{label, fmt.Sprintf("%s %d, %s, today %d", spark.Line(values), n, percent(n, p.Total), today)}
	}
	all := line("written", p.Total, func(d api.DayWrites) int { return d.Total })
	all.value = strings.Replace(all.value, ", "+percent(p.Total, p.Total), "", 1)
	return []fact{
		all,
		line("made", p.Created, func(d api.DayWrites) int { return d.Created }),
		line("drifted", p.ContentDrift+p.TitleDrift, func(d api.DayWrites) int { return d.ContentDrift + d.TitleDrift }),
		line("refused", refused, func(d api.DayWrites) int { return d.Refused }),
		{"by outcome", counted(p.ByOutcome, len(p.ByOutcome))},
		{"by source", sources(p.Sources)},
	}
}

func percent(n, of int) string { return fmt.Sprintf("%d %%", (100*n+of/2)/max(1, of)) }

// sources names the busiest sources.
func sources(all []api.SourceWrites) string {
	counts := map[string]int{}
	for _, s := range all {
		counts[cmp.Or(s.SourceType, "no source named")] += s.Total
	}
	return counted(counts, mostSources)
}

// counted writes counts, the largest first: "novel 12, duplicate 3"; at most so many of them.
func counted(counts map[string]int, most int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var out []string
	for _, n := range names[:min(most, len(names))] {
		out = append(out, fmt.Sprintf("%s %d", strings.ReplaceAll(n, "_", " "), counts[n]))
	}
	if left := len(names) - most; left > 0 {
		out = append(out, fmt.Sprintf("%d more", left))
	}
	return strings.Join(out, ", ")
}

func (s *Screen) articles() []fact {
	v := s.facts.stats
	if v.Total+v.Suppressed == 0 {
		return []fact{{"", "There is none yet. The first ones come from agents, or with wiki-server import."}}
	}
	return []fact{
		{"all", fmt.Sprint(v.Total)},
		{"by status", counted(v.ByStatus, len(v.ByStatus))},
		{"by category", counted(v.ByCategory, len(v.ByCategory))},
	}
}

func (s *Screen) server() []fact {
	h := s.facts.ready
	var checks []string
	for _, name := range slices.Sorted(maps.Keys(h.Checks)) {
		checks = append(checks, name+" "+h.Checks[name])
	}
	out := []fact{
		{"release", cmp.Or(h.Version, "not named")},
		{"interface", fmt.Sprintf("version %s there, %s here", cmp.Or(s.env.Who.APIVersion, "not known"), api.Version)},
		{"checks", cmp.Or(strings.Join(checks, ", "), h.Status)},
	}
	if n := len(s.took); n > 0 {
		ms := make([]int, n)
		for i, t := range s.took {
			ms[i] = int(t.Milliseconds())
		}
		out = append(out, fact{"answers", fmt.Sprintf("%s the last after %d ms, the slowest of %d after %d ms", spark.Line(ms), ms[n-1], n, slices.Max(ms))})
	}
	return append(out, fact{"read", s.at.In(s.env.Now().Location()).Format(time.TimeOnly) + fmt.Sprintf(", again every %d s", int(every.Seconds()))})
}
