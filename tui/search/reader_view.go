package search

import (
	"fmt"
	"strings"

	"wiki/tui/screen"
	"wiki/tui/text"
	"wiki/tui/when"
)

// readerView draws the reader.
func (s *Screen) readerView(r *reader) []string {
	head := s.readerHead(r)
	height := max(1, s.height-len(head))
	switch {
	case r.article == nil && r.failure != nil:
		return append(head, s.centred(height, "The article could not be read.", screen.Explain(r.failure), "ctrl+r reads it again, esc goes back.")...)
	case r.article == nil:
		return append(head, s.centred(height, "Reading the article…")...)
	}
	return append(head, s.readerBody(r, height)...)
}

// readerHead is the title, what is known of the article, what has to be known before it is trusted, and where the reader is.
func (s *Screen) readerHead(r *reader) []string {
	st := s.env.Theme.Styles
	rows := []string{st.Title.Render(text.Truncate(text.InertLine(r.title), s.width))}
	if r.article == nil {
		return append(rows, "", s.rule(r))
	}
	rows = append(rows, st.Muted.Render(text.Truncate(s.about(r), s.width)))
	for _, b := range s.banners(r) {
		for i, l := range text.Wrap(text.InertLine(b), max(8, s.width-2)) {
			mark := "! "
			if i > 0 {
				mark = "  "
			}
			rows = append(rows, st.Caution.Render(mark+l))
		}
	}
	return append(rows, s.rule(r))
}

// about says the article's metadata in a line.
func (s *Screen) about(r *reader) string {
	a, now := r.article, s.env.Now()
	parts := []string{a.Category, a.Status, fmt.Sprintf("v%d", a.Version), "text changed " + when.Old(a.ContentChangedAt, now)}
	if a.CuratedAt != nil {
		parts = append([]string{"* curated by " + a.CuratedBy}, parts...)
	}
	parts = append(parts, "by "+a.CreatedBy)
	if n := len(r.links); n > 0 {
		parts = append(parts, when.Count(n, "link", "links"))
	}
	if len(a.Tags) > 0 {
		parts = append(parts, strings.Join(a.Tags, " "))
	}
	return text.InertLine(strings.Join(parts, " · "))
}

// banners say what a reader has to know before trusting the text.
func (s *Screen) banners(r *reader) []string {
	a, now := r.article, s.env.Now()
	var out []string
	if a.SuppressedAt != nil {
		out = append(out, fmt.Sprintf("suppressed %s by %s: %s. Hidden from every search, readable here only.",
			when.Old(*a.SuppressedAt, now), a.SuppressedBy, strings.TrimRight(a.SuppressionReason, ". ")))
	}
	switch a.Status {
	case "superseded":
		line := "superseded: another article replaced this one"
		for _, l := range r.links {
			if !l.out && l.relation == "supersedes" {
				line = fmt.Sprintf("superseded by %q: L opens it", l.other.Title)
			}
		}
		out = append(out, line)
	case "draft":
		out = append(out, "draft: not published, no search finds it")
	case "archived":
		out = append(out, "archived: no longer in use, no search finds it")
	}
	if r.failure != nil {
		out = append(out, "this may be old: reading it again failed: "+screen.Explain(r.failure))
	}
	return out
}

// rule is the line above the body, with what it shows and how far down the reader is.
func (s *Screen) rule(r *reader) string {
	label := ""
	switch {
	case r.pane == linksPane:
		label = when.Count(len(r.links), "link", "links")
	case r.pane == versionsPane && r.listed:
		label = when.Count(len(r.versions), "version", "versions")
	case r.pane == changesPane && r.view != nil:
		label = r.compared + " · " + r.view.Status()
	case r.pane == textPane && r.article != nil:
		if r.source {
			label = "as written "
		}
		if n, h := len(s.text(r)), s.height-s.headHeight(r); n > h {
			label += fmt.Sprintf("%d%%", 100*min(n, r.top+h)/n)
		}
	}
	label = text.Truncate(label, max(1, s.width-4))
	if label != "" {
		label = " " + label + " "
	}
	return s.env.Theme.Styles.Border.Render(text.Truncate(strings.Repeat("─", max(0, s.width-text.Width(label)-1))+label+"─", s.width))
}

// headHeight is the number of rows that readerHead takes; bodyHeight the rest.
func (s *Screen) headHeight(r *reader) int {
	rows := 3
	if r.article != nil {
		for _, b := range s.banners(r) {
			rows += len(text.Wrap(text.InertLine(b), max(8, s.width-2)))
		}
	}
	return rows
}

func (s *Screen) bodyHeight(r *reader) int { return max(1, s.height-s.headHeight(r)) }

func (s *Screen) readerBody(r *reader, height int) []string {
	switch r.pane {
	case linksPane:
		return s.linkRows(r, height)
	case versionsPane:
		return s.versionRows(r, height)
	case changesPane:
		switch {
		case r.past != nil:
			return s.centred(height, "The versions could not be read.", screen.Explain(r.past), "esc goes back.")
		case r.view == nil:
			return s.centred(height, "Comparing…")
		}
		return r.view.Lines()
	}
	rows := s.text(r)
	if len(rows) == 0 {
		return s.centred(height, "The article has no text.")
	}
	r.top = max(0, min(r.top, len(rows)-height))
	return append([]string(nil), rows[r.top:min(len(rows), r.top+height)]...)
}

func (s *Screen) linkRows(r *reader, height int) []string {
	if len(r.links) == 0 {
		return s.centred(height, "No article links here, and this one links to none.", "esc goes back to the text.")
	}
	var rows []string
	first := window(r.linkAt, len(r.links), height)
	for i := first; i < min(first+height, len(r.links)); i++ {
		l := r.links[i]
		arrow := "<- from "
		if l.out {
			arrow = "-> to   "
		}
		rows = append(rows, screen.Row(s.env.Theme, s.width, i == r.linkAt, arrow+text.Pad(text.InertLine(l.relation), 20)+" "+text.InertLine(l.other.Title)))
	}
	return rows
}

func (s *Screen) versionRows(r *reader, height int) []string {
	switch {
	case r.past != nil:
		return s.centred(height, "The versions could not be read.", screen.Explain(r.past), "v tries again.")
	case !r.listed:
		return s.centred(height, "Reading the versions…")
	}
	var rows []string
	at := max(0, r.versionAt())
	first := window(at, len(r.versions), height)
	for i := first; i < min(first+height, len(r.versions)); i++ {
		v := r.versions[i]
		by, why := r.article.CreatedBy, "created"
		if i+1 < len(r.versions) { // a version carries who ended it: that change made the one above
			by, why = r.versions[i+1].ChangedBy, r.versions[i+1].Reason
		}
		line := text.Pad(fmt.Sprintf("v%d", v.Version), 6) + text.Pad(v.ValidFrom.In(s.env.Now().Location()).Format("2006-01-02 15:04"), 18) +
			text.Pad(text.InertLine(v.Status), 12) + text.InertLine("by "+by+" "+why)
		rows = append(rows, screen.Row(s.env.Theme, s.width, i == at, line))
	}
	return rows
}

// window is the first row shown of a list of n so that row at is in sight.
func window(at, n, height int) int { return max(0, min(at-height/2, n-height)) }
