package search

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/google/uuid"

	"wiki/server/api"
	"wiki/tui/screen"
)

// Found is a message: a search was answered, or could not be.
type Found struct {
	generation int
	hits       []api.Hit
	meta       api.Meta
	err        error
}

// Failure implements screen.Answer.
func (f Found) Failure() error { return f.err }

// ask searches for the query in the mode chosen. The results so far stay until the answer comes.
func (s *Screen) ask() tea.Cmd {
	s.generation++
	if strings.TrimSpace(s.query) == "" {
		s.hits, s.meta, s.failure, s.searching, s.answered = nil, api.Meta{}, nil, false, false
		return nil
	}
	s.searching = true
	generation, query, m := s.generation, s.query, s.mode
	return s.env.Call(func(ctx context.Context) tea.Msg {
		f := Found{generation: generation}
		if m == hybrid {
			f.hits, f.meta, f.err = s.source.Hybrid(ctx, api.HybridRequest{Query: query, Limit: wantedHits, Explain: true})
		} else {
			name := map[mode]string{keyword: "keyword", semantic: "semantic"}[m]
			f.hits, f.meta, f.err = s.source.Search(ctx, api.SearchQuery{Query: query, Mode: name, Limit: wantedHits, Explain: true})
		}
		return f
	})
}

// refresh reads what is shown again.
func (s *Screen) refresh() tea.Cmd {
	if s.reader != nil {
		return s.fetch(s.reader)
	}
	return s.ask()
}

// Heard implements screen.Screen.
func (s *Screen) Heard(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case Found:
		s.heardFound(msg)
	case screen.ReadArticle:
		return s.readArticle(msg)
	case Read:
		return s.heardRead(msg)
	case Rendered:
		delete(s.asked, msg.key)
		s.cache.Put(msg.key, msg.rows)
	case VersionsRead:
		return s.heardVersions(msg)
	case Compared:
		s.heardCompared(msg)
	case screen.Resync:
		if s.reader != nil {
			return s.fetch(s.reader)
		}
	case tea.WindowSizeMsg, tea.ColorProfileMsg, tea.BackgroundColorMsg:
		return s.render()
	}
	return nil
}

func (s *Screen) heardFound(f Found) {
	if f.generation != s.generation {
		return
	}
	s.searching, s.answered, s.failure = false, true, f.err
	if f.err != nil {
		return
	}
	s.hits, s.meta = f.hits, f.meta
	if s.at() < 0 {
		s.top, s.selected = 0, uuid.Nil
		if len(s.hits) > 0 {
			s.selected = s.hits[0].ID
		}
	}
}

// readArticle shows an article that another screen asked for.
func (s *Screen) readArticle(msg screen.ReadArticle) tea.Cmd {
	id, err := uuid.Parse(msg.ID)
	if err != nil {
		return screen.Notify("there is no article with the id "+msg.ID, true)
	}
	s.field, s.entered = nil, true
	if s.reader != nil && s.reader.id == id {
		return nil
	}
	return s.open(id, "")
}
