package search

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wiki/server/api"
	"wiki/tui/screen"
	"wiki/tui/text"
	"wiki/tui/when"
)

const (
	headRows   = 2   // query, provenance
	roomyRows  = 14  // from this height on a hit shows two rows of its snippet
	besideFrom = 110 // columns from which the explain panel stands beside the results
	panelWidth = 40
	panelRows  = 8 // of the explain panel below the results
)

// View implements screen.Screen.
func (s *Screen) View() string {
	var rows []string
	if s.reader != nil {
		rows = s.readerView(s.reader)
	} else {
		rows = s.resultsView()
	}
	return screen.Filled(rows, s.height)
}

func (s *Screen) resultsView() []string {
	rows := []string{s.queryLine(), s.provenanceLine()}
	if s.degraded() != "" {
		rows = append(rows, s.env.Theme.Styles.Caution.Render(text.Truncate(s.degraded(), s.width)))
	}
	body := s.bodyRows()
	switch {
	case s.failure != nil:
		return append(rows, s.centred(body, "The search failed.", screen.Explain(s.failure), "ctrl+r searches again.")...)
	case len(s.hits) == 0 && s.searching:
		return append(rows, s.centred(body, "Searching…")...)
	case len(s.hits) == 0 && s.answered:
		return append(rows, s.centred(body, s.nothing()...)...)
	case len(s.hits) == 0:
		return append(rows, s.centred(body, "Ask the wiki.", "/ starts typing: a question, words, an identifier, a \"phrase\", -without.", "enter searches, esc leaves the text.")...)
	}
	return append(rows, s.body(body)...)
}

// nothing says that nothing was found, and whether that can be believed.
func (s *Screen) nothing() []string {
	if s.degraded() != "" {
		return []string{"Nothing found, but the search was not whole.", "See above; ctrl+r searches again."}
	}
	if s.mode == keyword {
		return []string{"No article has these words.", "tab searches by meaning too."}
	}
	return []string{"Nothing found.", "/ changes the query."}
}

// queryLine shows the query, or the field in which it is typed, and the mode.
func (s *Screen) queryLine() string {
	st := s.env.Theme.Styles
	label := "search "
	by := "by " + modeNames[s.mode]
	room := max(4, s.width-text.Width(label)-text.Width(by)-2)
	if s.field != nil {
		lines, column, _ := s.field.View(room, 1)
		before, after := text.Split(lines[0], column)
		return st.Key.Render(label) + text.Pad(before+"▏"+after, room) + "  " + st.Muted.Render(by)
	}
	return st.Muted.Render(label) + st.Strong.Render(text.Pad(text.InertLine(s.query), room)) + "  " + st.Muted.Render(by)
}

// provenanceLine says plainly where the answers come from and how sure the server is.
func (s *Screen) provenanceLine() string {
	st := s.env.Theme.Styles
	switch {
	case s.searching && len(s.hits) > 0:
		return st.Muted.Render("searching…")
	case len(s.hits) == 0:
		return ""
	}
	confidence := ""
	if c := s.meta.Confidence; c != nil {
		confidence = fmt.Sprintf(", confidence %.2f", *c)
	}
	count := when.Count(len(s.hits), "result", "results")
	if t := s.meta.TotalCount; t != nil && *t > len(s.hits) {
		count = fmt.Sprintf("first %d of %d results", len(s.hits), *t)
	}
	switch s.meta.Provenance {
	case "curated":
		return st.Good.Render(text.Truncate("* curated answer"+confidence+": a person vouches for the first of "+count, s.width))
	case "retrieved":
		return st.Text.Render(text.Truncate("retrieved"+confidence+": "+count+", none vouched for by a person", s.width))
	}
	return st.Text.Render(text.Truncate(count+confidence, s.width))
}

// degraded says what the search lacked, "" when it was whole.
func (s *Screen) degraded() string {
	if s.meta.Degraded == nil || !*s.meta.Degraded {
		return ""
	}
	reason := text.InertLine(s.meta.DegradedReason)
	if reason == "" {
		reason = "a part of the search did not answer"
	}
	out := "! degraded: " + reason
	if s.meta.SearchMode == "keyword_only" {
		out += "; searched by words only"
	}
	return out
}

func (s *Screen) bodyRows() int {
	n := s.height - headRows
	if s.degraded() != "" {
		n--
	}
	return max(1, n)
}

// beside says whether the explain panel stands beside the results.
func (s *Screen) beside() bool { return s.width >= besideFrom }

func (s *Screen) listRows() int {
	if s.why && !s.beside() {
		return max(2, s.bodyRows()-panelRows)
	}
	return s.bodyRows()
}

func (s *Screen) hitRows() int {
	if s.height >= roomyRows {
		return 3
	}
	return 2
}

func (s *Screen) hitsShown() int { return max(1, s.listRows()/s.hitRows()) }

// body draws the hits in sight and the explain panel.
func (s *Screen) body(height int) []string {
	width := s.width
	if s.why && s.beside() {
		width -= panelWidth + 3
	}
	at, shown := max(0, s.at()), s.hitsShown()
	s.top = max(0, min(max(min(s.top, at), at-shown+1), len(s.hits)-shown))
	var rows []string
	for i := s.top; i < min(s.top+shown, len(s.hits)); i++ {
		rows = append(rows, s.hit(i, width)...)
	}
	if !s.why {
		return rows
	}
	panel := s.explain(s.hits[at])
	if !s.beside() {
		for len(rows) < s.listRows() {
			rows = append(rows, "")
		}
		return append(rows[:s.listRows()], panel...)
	}
	border := s.env.Theme.Styles.Border.Render(" │ ")
	for len(rows) < height {
		rows = append(rows, strings.Repeat(" ", width))
	}
	for i := range rows {
		if rows[i] += border; i < len(panel) {
			rows[i] += panel[i]
		}
	}
	return rows
}

// hit draws one result: its title row and some of its snippet.
func (s *Screen) hit(i, width int) []string {
	h, st := s.hits[i], s.env.Theme.Styles
	mark, title := "  ", st.Strong
	if h.ID == s.selected {
		mark, title = "> ", st.Selected
	}
	label := text.InertLine(h.Title)
	if h.Curated {
		label = "* " + label
	}
	right := text.InertLine(h.Category)
	if h.Curated {
		right = "curated " + right
	}
	room := max(4, width-len(mark)-text.Width(right)-2)
	rows := []string{title.Render(mark+text.Pad(label, room)) + "  " + st.Muted.Render(right)}
	rows = append(rows, s.snippet(h.Snippet, width, s.hitRows()-1)...)
	for len(rows) < s.hitRows() {
		rows = append(rows, "")
	}
	for i, row := range rows {
		if i > 0 {
			rows[i] = row + strings.Repeat(" ", max(0, width-plainWidth(row)))
		}
	}
	return rows
}

// explain says how a hit got its place.
func (s *Screen) explain(h api.Hit) []string {
	st, width := s.env.Theme.Styles, s.width
	if s.beside() {
		width = panelWidth
	}
	rows := []string{st.Title.Render(text.Truncate("why here: "+text.InertLine(h.Title), width))}
	e := h.Explain
	if e == nil {
		return append(rows, st.Muted.Render(text.Truncate("the server did not explain this result", width)))
	}
	columns := func(name, rank, score string) string {
		return text.Truncate(text.Pad(text.InertLine(name), 16)+text.PadLeft(rank, 6)+text.PadLeft(score, 12), width)
	}
	rows = append(rows, st.Muted.Render(columns("lane", "rank", "score")))
	for _, name := range slices.Sorted(maps.Keys(e.Lanes)) {
		rows = append(rows, st.Text.Render(columns(name, fmt.Sprint(e.Lanes[name].Rank), fmt.Sprintf("%.4f", e.Lanes[name].Score))))
	}
	for _, row := range text.Wrap(text.InertLine(product(h)), width) {
		rows = append(rows, st.Text.Render(row))
	}
	return rows
}

// product says how the score came of the fused one and the priors that changed it.
func product(h api.Hit) string {
	out := fmt.Sprintf("fused %.4f", h.Explain.Fused)
	for _, name := range slices.Sorted(maps.Keys(h.Explain.Priors)) {
		if f := h.Explain.Priors[name]; f != 1 {
			out += fmt.Sprintf(" x %s %.3f", name, f)
		}
	}
	return fmt.Sprintf("%s = %.4f", out, h.Score)
}

// centred puts lines in the middle of the body.
func (s *Screen) centred(height int, lines ...string) []string {
	return screen.Centred(s.env.Theme, s.width, height, lines...)
}
