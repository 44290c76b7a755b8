// Package drafts is the screen of what waits to be published: drafts beside the published article that each is nearest to, and
// how new each is.
package drafts

import (
	"context"

	tea "charm.land/bubbletea/v2"
	"github.com/google/uuid"

	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/diffview"
	"wiki/tui/outbox"
	"wiki/tui/paging"
	"wiki/tui/screen"
	"wiki/tui/text"
)

// Source is what the screen asks of the server.
type Source interface {
	Articles(ctx context.Context, q api.ArticleQuery) ([]api.Article, api.Meta, error)
	Versions(ctx context.Context, id uuid.UUID) ([]api.ArticleVersion, error)
	Version(ctx context.Context, id uuid.UUID, n int) (api.ArticleVersion, error)
}

const statusDraft = "draft"

// Screen is the drafts screen. Make one with New.
type Screen struct {
	env    *screen.Env
	source Source
	list   *paging.Pages[api.Article]

	one     *one                  // nil: the list is shown
	unsaved map[uuid.UUID]unsaved // texts that were edited and not sent: nothing that was written is lost

	width, height int
}

// one is the draft that is compared.
type one struct {
	article api.Article
	draft   api.ArticleVersion  // as it stands now
	near    *api.ArticleVersion // nil: it has no neighbour, or that is gone
	failure error
	view    *diffview.View // nil until both have arrived
	asked   int
}

// New makes the screen.
func New(env *screen.Env, source Source) *Screen {
	s := &Screen{env: env, source: source, unsaved: map[uuid.UUID]unsaved{}}
	s.list = paging.New(env, func(a api.Article) string { return a.ID.String() }, s.read)
	return s
}

func (s *Screen) read(ctx context.Context, cursor string) ([]api.Article, api.Meta, error) {
	return s.source.Articles(ctx, api.ArticleQuery{Status: statusDraft, Limit: paging.Rows, Cursor: cursor})
}

// neighbour gives the article that a draft was nearest to when it was written, and how new the draft was beside it: 1 less the
// cosine. False when nothing near was found.
func neighbour(a api.Article) (id uuid.UUID, novelty float64, ok bool) {
	found, _ := a.Metadata["proposal_novelty"].(map[string]any)
	name, _ := found["neighbour_id"].(string)
	cosine, _ := found["cosine"].(float64)
	id, err := uuid.Parse(name)
	return id, 1 - cosine, err == nil
}

// Compared is a message: a draft and its neighbour have arrived, or could not be read.
type Compared struct {
	id    uuid.UUID
	asked int
	draft api.ArticleVersion
	near  *api.ArticleVersion
	texts diffview.Texts
	err   error
}

// Failure implements screen.Answer.
func (c Compared) Failure() error { return c.err }

// Contexts implements screen.Screen.
func (s *Screen) Contexts() []action.Context { return []action.Context{action.Drafts} }

// Facts implements screen.Screen.
func (s *Screen) Facts(st *action.State) {
	a, ok := s.current()
	_, _, near := neighbour(a)
	st.Chosen, st.About = ok, near
	if s.one != nil {
		st.Comparing = s.one.view != nil
		st.About = near && (s.one.view == nil || s.one.near != nil)
	}
}

// current is the draft that is compared, else the selected one.
func (s *Screen) current() (api.Article, bool) {
	if s.one != nil {
		return s.one.article, true
	}
	return s.list.Selected()
}

// Entered implements screen.Screen.
func (s *Screen) Entered() tea.Cmd { return s.list.Load() }

// Left, Key and Paste implement screen.Screen.
func (s *Screen) Left() tea.Cmd               { return nil }
func (s *Screen) Key(tea.KeyPressMsg) tea.Cmd { return nil }
func (s *Screen) Paste(string)                {}

// Count implements screen.Screen: the drafts, less those decided here.
func (s *Screen) Count() (int, bool) {
	total := s.list.Meta().TotalCount
	if total == nil {
		return 0, false
	}
	return max(0, *total-s.list.Hidden()), true
}

// SetSize implements screen.Screen.
func (s *Screen) SetSize(width, height int) {
	s.width, s.height = width, height
	s.fit()
}

func (s *Screen) fit() {
	if s.one != nil && s.one.view != nil {
		s.one.view.SetTheme(s.env.Theme)
		s.one.view.Resize(s.width, max(1, s.height-compareHead))
	}
}

// Back implements screen.Screen.
func (s *Screen) Back() (tea.Cmd, bool) {
	if s.one == nil {
		return nil, false
	}
	s.one = nil
	return nil, true
}

// Deed implements screen.Acting: nothing is asked, since undo publishes and archives nothing for good.
func (s *Screen) Deed(id action.ID) *screen.Deed {
	a, ok := s.current()
	if !ok {
		return nil
	}
	what := "“" + text.InertLine(a.Title) + "”"
	switch id {
	case action.DraftPublish:
		return &screen.Deed{Act: outbox.Act{Kind: outbox.Publish, Subject: &a.ID, What: "publish " + what}}
	case action.DraftDiscard:
		return &screen.Deed{Act: outbox.Act{Kind: outbox.Discard, Subject: &a.ID, What: "discard " + what}}
	}
	return nil
}

// Do implements screen.Screen.
func (s *Screen) Do(id action.ID) tea.Cmd {
	a, _ := s.current()
	switch id {
	case action.DraftOpen:
		return s.compare()
	case action.DraftEdit, action.DraftMerge:
		return s.edit(id == action.DraftMerge)
	case action.DraftArticle:
		return func() tea.Msg { return screen.ReadArticle{ID: a.ID.String()} }
	case action.DraftOther:
		near, _, _ := neighbour(a)
		return func() tea.Msg { return screen.ReadArticle{ID: near.String()} }
	case action.Refresh:
		return tea.Batch(s.list.Load(), s.again())
	}
	switch {
	case s.one == nil:
		return s.list.Travel(id, s.listHeight())
	case s.one.view != nil:
		travel(s.one.view, id)
	}
	return nil
}

func travel(v *diffview.View, id action.ID) {
	switch id {
	case action.DriftNext:
		v.NextChange()
	case action.DriftPrev:
		v.PrevChange()
	case action.DriftLayout:
		v.CycleLayout()
	case action.DriftChanges:
		v.ToggleOnlyChanges()
	case action.DriftSpaces:
		v.ToggleIgnoreSpace()
	default:
		v.Travel(id)
	}
}

// compare shows the selected draft beside its neighbour.
func (s *Screen) compare() tea.Cmd {
	a, ok := s.list.Selected()
	if !ok || s.one != nil && s.one.article.ID == a.ID {
		return nil
	}
	s.one = &one{article: a}
	return s.again()
}

// again reads the draft that is compared, and its neighbour, as they are now.
func (s *Screen) again() tea.Cmd {
	if s.one == nil {
		return nil
	}
	s.one.asked++
	a, asked := s.one.article, s.one.asked
	return s.env.Call(func(ctx context.Context) tea.Msg {
		c := Compared{id: a.ID, asked: asked}
		if c.draft, c.err = s.newest(ctx, a.ID); c.err != nil {
			return c
		}
		against := document(c.draft)
		if id, _, ok := neighbour(a); ok {
			near, err := s.newest(ctx, id)
			if err == nil {
				c.near, against = &near, document(near)
			} else if !gone(err) {
				c.err = err
				return c
			}
		}
		c.texts = diffview.Compare(against, document(c.draft))
		return c
	})
}

// newest reads an article as it stands. It goes by the history, because looking at a draft is no reading of the wiki.
func (s *Screen) newest(ctx context.Context, id uuid.UUID) (api.ArticleVersion, error) {
	versions, err := s.source.Versions(ctx, id)
	if err != nil || len(versions) == 0 {
		return api.ArticleVersion{}, err
	}
	return s.source.Version(ctx, id, versions[0].Version)
}

// Heard implements screen.Screen.
func (s *Screen) Heard(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case paging.Page[api.Article]:
		s.list.Heard(msg)
	case Compared:
		s.compared(msg)
	case Edited:
		return s.edited(msg)
	case screen.Given:
		return s.given(msg.Act)
	case screen.Ended:
		return s.ended(msg)
	case screen.Resync:
		if !s.list.Loaded() {
			return s.list.Load() // for the count in the tab
		}
		return tea.Batch(s.list.Resync(), s.again())
	}
	return nil
}

func (s *Screen) compared(msg Compared) {
	o := s.one
	if o == nil || o.article.ID != msg.id || o.asked != msg.asked {
		return
	}
	if o.failure = msg.err; msg.err != nil {
		return
	}
	same := o.view != nil && o.draft.Version == msg.draft.Version && (o.near == nil) == (msg.near == nil) &&
		(o.near == nil || o.near.Version == msg.near.Version)
	o.draft, o.near, o.article.Title = msg.draft, msg.near, msg.draft.Title
	if same {
		return // the reader's place is kept
	}
	if o.view == nil {
		o.view = &diffview.View{}
	}
	s.fit()
	o.view.Set(msg.texts)
	o.view.NextChange()
}

// moves says whether an act makes a draft of something, or something else of a draft.
func moves(a outbox.Act) bool {
	switch a.Kind {
	case outbox.Publish, outbox.Unpublish, outbox.Discard, outbox.Reopen:
		return a.Subject != nil
	}
	return false
}

// given takes a draft out of the list when it is decided; when it was being compared, the next one is.
func (s *Screen) given(a outbox.Act) tea.Cmd {
	if !moves(a) {
		return nil
	}
	s.list.Hide(a.Subject.String())
	if s.one == nil || s.one.article.ID != *a.Subject {
		return nil
	}
	s.one = nil
	return s.compare()
}

func (s *Screen) ended(msg screen.Ended) tea.Cmd {
	switch {
	case moves(msg.Act):
		return s.list.Unhide(msg.Act.Subject.String())
	case msg.Act.Kind == outbox.Edit && msg.Err == nil:
		delete(s.unsaved, *msg.Act.Subject)
		return s.again()
	}
	return nil
}
