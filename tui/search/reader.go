package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/google/uuid"

	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/diffview"
	"wiki/tui/listing"
	"wiki/tui/markdown"
	"wiki/tui/screen"
)

// pane is what the reader shows of an article.
type pane int

const (
	textPane pane = iota
	linksPane
	versionsPane
	changesPane // between two versions
)

// reader is an article being read.
type reader struct {
	id      uuid.UUID
	title   string // as known before the article arrives
	article *api.Article
	failure error
	pane    pane
	source  bool // the text as written
	top     int  // first row of text shown

	links    []linkRow
	linkAt   int
	versions []api.ArticleVersion // newest first
	version  int                  // number of the selected one
	listed   bool                 // the versions have arrived
	past     error                // why they have not
	view     *diffview.View
	compared string // which versions, for people
	wanted   [2]int // versions asked for: other answers are dropped
}

// linkRow is a link as listed: from this article, or to it.
type linkRow struct {
	out      bool
	relation string
	other    api.ArticleRef
}

// Read is a message: an article has arrived, or could not be read.
type Read struct {
	id      uuid.UUID
	article api.Article
	err     error
}

// Failure implements screen.Answer.
func (r Read) Failure() error { return r.err }

// Rendered is a message: an article's text is ready to be shown.
type Rendered struct {
	key  markdown.Key
	rows []string
}

// open reads an article; the one shown is kept to go back to.
func (s *Screen) open(id uuid.UUID, title string) tea.Cmd {
	if s.reader != nil {
		s.trail = append(s.trail, s.reader)
	}
	s.reader = &reader{id: id, title: title}
	return s.fetch(s.reader)
}

// fetch reads the article again.
func (s *Screen) fetch(r *reader) tea.Cmd {
	id := r.id
	return s.env.Call(func(ctx context.Context) tea.Msg {
		a, err := s.source.Article(ctx, id)
		return Read{id: id, article: a, err: err}
	})
}

func (s *Screen) heardRead(msg Read) tea.Cmd {
	for _, r := range append(slices.Clone(s.trail), s.reader) {
		if r == nil || r.id != msg.id {
			continue
		}
		if r.failure = msg.err; msg.err != nil {
			continue
		}
		stale := r.article != nil && r.article.Version != msg.article.Version
		r.take(msg.article)
		if stale && r.listed {
			r.listed = false
			return tea.Batch(s.render(), s.readVersions(r))
		}
	}
	return s.render()
}

func (r *reader) take(a api.Article) {
	r.article, r.title, r.links = &a, a.Title, nil
	for _, l := range a.OutgoingLinks {
		r.links = append(r.links, linkRow{out: true, relation: l.Relationship, other: l.Target})
	}
	for _, l := range a.IncomingLinks {
		r.links = append(r.links, linkRow{relation: l.Relationship, other: l.Source})
	}
	r.linkAt = max(0, min(r.linkAt, len(r.links)-1))
}

// rows is how long the list shown is; 0 when there is none.
func (r *reader) rows() int {
	switch r.pane {
	case linksPane:
		return len(r.links)
	case versionsPane:
		return len(r.versions)
	}
	return 0
}

// readerDo runs the reader's actions.
func (s *Screen) readerDo(id action.ID) tea.Cmd {
	r := s.reader
	switch id {
	case action.ReaderLinks:
		r.toggle(linksPane)
	case action.ReaderPast:
		r.toggle(versionsPane)
		if r.pane == versionsPane && !r.listed {
			return s.readVersions(r)
		}
	case action.ReaderFollow:
		return s.follow(r)
	case action.ReaderSince:
		return s.compare(r, r.version, r.article.Version)
	case action.ReaderSource:
		r.pane, r.source, r.top = textPane, !r.source, 0
		return s.render()
	case action.ReaderCopy:
		return copied(*r.article)
	default:
		s.travel(r, id)
	}
	return nil
}

// toggle shows a pane, or the text again.
func (r *reader) toggle(p pane) {
	r.view = nil
	if r.pane == p {
		p = textPane
	}
	r.pane = p
}

// follow opens what is selected in a list.
func (s *Screen) follow(r *reader) tea.Cmd {
	switch {
	case r.pane == linksPane && len(r.links) > 0:
		to := r.links[r.linkAt].other
		return s.open(to.ID, to.Title)
	case r.pane == versionsPane && len(r.versions) > 0:
		return s.compare(r, r.version-1, r.version)
	}
	return nil
}

// travel moves in what is shown.
func (s *Screen) travel(r *reader, id action.ID) {
	page := s.bodyHeight(r)
	switch r.pane {
	case linksPane:
		r.linkAt = max(0, min(r.linkAt+listing.Step(id, page, len(r.links)), len(r.links)-1))
	case versionsPane:
		r.moveVersion(listing.Step(id, page, len(r.versions)))
	case changesPane:
		if r.view != nil {
			travelChanges(r.view, id)
		}
	default:
		n := len(s.text(r))
		r.top = max(0, min(r.top+listing.Step(id, page, n), n-page))
	}
}

func travelChanges(v *diffview.View, id action.ID) {
	switch id {
	case action.ReaderNext:
		v.NextChange()
	case action.ReaderPrev:
		v.PrevChange()
	case action.ReaderLayout:
		v.CycleLayout()
	case action.ReaderChanges:
		v.ToggleOnlyChanges()
	case action.ReaderSpaces:
		v.ToggleIgnoreSpace()
	default:
		v.Travel(id)
	}
}

func copied(a api.Article) tea.Cmd {
	body := bodyOf(a.Body)
	return tea.Batch(tea.SetClipboard(a.Title+"\n"+a.ID.String()+"\n\n"+body),
		screen.Notify(fmt.Sprintf("copied title, id and text (%d bytes)", len(body)), false))
}

func bodyOf(body *string) string {
	if body == nil {
		return ""
	}
	return *body
}

// body is the text to show: rendered, without a first heading that repeats the title above it.
func (r *reader) body() string {
	body := bodyOf(r.article.Body)
	first, rest, _ := strings.Cut(strings.TrimLeft(body, "\n"), "\n")
	if !r.source && strings.TrimSpace(strings.TrimPrefix(first, "# ")) == r.article.Title && strings.HasPrefix(first, "# ") {
		return rest
	}
	return body
}

// key names the text shown, as rendered.
func (s *Screen) key(r *reader) markdown.Key {
	return markdown.Key{Article: r.id.String(), Version: r.article.Version, Width: min(s.width, markdown.MaxWidth), Theme: s.env.Theme.Name, Source: r.source}
}

// render makes the text shown ready, unless it is or is under way.
func (s *Screen) render() tea.Cmd {
	r := s.reader
	if r == nil || r.article == nil || s.width == 0 {
		return nil
	}
	key, body, th := s.key(r), r.body(), s.env.Theme
	if _, ok := s.cache.Get(key); ok || s.asked[key] {
		return nil
	}
	s.asked[key] = true
	return func() tea.Msg {
		if key.Source {
			return Rendered{key, markdown.Source(body, key.Width)}
		}
		return Rendered{key, markdown.Render(body, key.Width, th)}
	}
}

// quickBytes is up to how long a text is rendered while drawing, after a change of size: a few milliseconds.
const quickBytes = 8_000

// text gives the rows of the article's text. One that is still being rendered shows as written meanwhile.
func (s *Screen) text(r *reader) []string {
	if r.article == nil || s.width == 0 {
		return nil
	}
	key, body := s.key(r), r.body()
	rows, ok := s.cache.Get(key)
	switch {
	case ok:
		return rows
	case !key.Source && len(body) <= quickBytes:
		rows = markdown.Render(body, key.Width, s.env.Theme)
	default:
		key.Source = true
		if rows, ok = s.cache.Get(key); ok {
			return rows
		}
		rows = markdown.Source(body, key.Width)
	}
	s.cache.Put(key, rows)
	return rows
}

// fit keeps the place in the text after a change of size.
func (r *reader) fit(s *Screen) {
	if r.view != nil {
		r.view.SetTheme(s.env.Theme)
		r.view.Resize(s.width, s.bodyHeight(r))
	}
}
