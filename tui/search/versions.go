package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/google/uuid"

	"wiki/server/api"
	"wiki/tui/diffview"
)

// VersionsRead is a message: an article's versions have arrived, or could not be read.
type VersionsRead struct {
	id       uuid.UUID
	versions []api.ArticleVersion
	err      error
}

// Failure implements screen.Answer.
func (v VersionsRead) Failure() error { return v.err }

// Compared is a message: two versions were read and compared, or could not be.
type Compared struct {
	id    uuid.UUID
	pair  [2]int
	texts diffview.Texts
	err   error
}

// Failure implements screen.Answer.
func (c Compared) Failure() error { return c.err }

func (s *Screen) readVersions(r *reader) tea.Cmd {
	id := r.id
	return s.env.Call(func(ctx context.Context) tea.Msg {
		v, err := s.source.Versions(ctx, id)
		return VersionsRead{id: id, versions: v, err: err}
	})
}

func (s *Screen) heardVersions(msg VersionsRead) tea.Cmd {
	r := s.reader
	if r == nil || r.id != msg.id {
		return nil
	}
	if r.past = msg.err; msg.err != nil {
		return nil
	}
	r.versions, r.listed = slices.Clone(msg.versions), true
	slices.SortFunc(r.versions, func(a, b api.ArticleVersion) int { return b.Version - a.Version })
	if r.versionAt() < 0 && len(r.versions) > 0 {
		r.version = r.versions[0].Version
	}
	return nil
}

// versionAt is the place of the selected version, -1 for none.
func (r *reader) versionAt() int {
	return slices.IndexFunc(r.versions, func(v api.ArticleVersion) bool { return v.Version == r.version })
}

func (r *reader) moveVersion(by int) {
	if len(r.versions) > 0 {
		r.version = r.versions[max(0, min(r.versionAt()+by, len(r.versions)-1))].Version
	}
}

// compare reads two versions and shows what changed from the one to the other. Version 0 is the nothing before the first.
func (s *Screen) compare(r *reader, from, to int) tea.Cmd {
	r.pane, r.view, r.past, r.wanted = changesPane, nil, nil, [2]int{from, to}
	r.compared = fmt.Sprintf("version %d -> %d", from, to)
	if from < 1 {
		r.compared = fmt.Sprintf("version %d, the first", to)
	}
	id, wanted := r.id, r.wanted
	return s.env.Call(func(ctx context.Context) tea.Msg {
		out := Compared{id: id, pair: wanted}
		var texts [2]string
		for i, n := range wanted {
			if n < 1 {
				continue
			}
			v, err := s.source.Version(ctx, id, n)
			if err != nil {
				out.err = err
				return out
			}
			texts[i] = document(v)
		}
		out.texts = diffview.Compare(texts[0], texts[1])
		return out
	})
}

// document writes a version as one text, so that a change of title, category, status or tags shows too.
func document(v api.ArticleVersion) string {
	return fmt.Sprintf("- title: %s\n- category: %s\n- status: %s\n- tags: %s\n\n%s", v.Title, v.Category, v.Status, strings.Join(v.Tags, " "), bodyOf(v.Body))
}

func (s *Screen) heardCompared(msg Compared) {
	r := s.reader
	if r == nil || r.id != msg.id || r.pane != changesPane || r.wanted != msg.pair {
		return
	}
	if r.past = msg.err; msg.err != nil {
		return
	}
	r.view = &diffview.View{}
	r.fit(s)
	r.view.Set(msg.texts)
	r.view.NextChange()
}
