package conflicts

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/field"
	"wiki/tui/listing"
	"wiki/tui/queue"
	"wiki/tui/screen"
	"wiki/tui/text"
)

// maxViewNameBytes bounds a name while it is typed; the server knows the exact bound.
const maxViewNameBytes = 400

// views are the saved views while they are listed.
type views struct {
	list    listing.List[api.ConflictView]
	loaded  bool
	failure error
	gone    map[string]bool // deleted here: they stay listed until this is closed, and can be brought back
	name    *field.Field    // not nil while a name is typed
}

// ViewsHeard is a message: the saved views have arrived, or one was saved or deleted, or that failed.
type ViewsHeard struct {
	of    *views
	all   []api.ConflictView // nil: of one
	saved *api.ConflictView
	gone  string
	err   error
}

// Failure implements screen.Answer.
func (v ViewsHeard) Failure() error { return v.err }

func (s *Screen) openViews() tea.Cmd {
	v := &views{list: listing.New(func(v api.ConflictView) string { return v.Name }), gone: map[string]bool{}}
	s.views = v
	return s.env.Call(func(ctx context.Context) tea.Msg {
		all, err := s.source.ConflictViews(ctx)
		return ViewsHeard{of: v, all: append([]api.ConflictView{}, all...), err: err}
	})
}

// doViews runs an action while the views are listed.
func (s *Screen) doViews(id action.ID) tea.Cmd {
	v := s.views
	chosen, some := v.list.Selected()
	switch {
	case id == action.Cancel && v.name != nil:
		v.name = nil
	case id == action.Cancel:
		s.views = nil
	case id == action.Accept:
		return s.saveView()
	case id == action.ViewSave:
		v.name, v.failure = &field.Field{Max: maxViewNameBytes}, nil
	case id == action.ViewPick && some:
		return s.show(chosen)
	case id == action.ViewDrop && some && v.gone[chosen.Name]:
		return s.keep(api.NewConflictView{Name: chosen.Name, Filter: chosen.Filter})
	case id == action.ViewDrop && some:
		return s.drop(chosen.Name)
	default:
		v.list.Move(listing.Step(id, s.height, v.list.Len()))
	}
	return nil
}

// show lists the queue as a view has it.
func (s *Screen) show(v api.ConflictView) tea.Cmd {
	s.views, s.query, s.filter, s.view = nil, v.Filter, queue.FilterText(v.Filter), v.Name
	if s.query.State == "" {
		s.query.State = states[0]
	}
	if s.query.Sort == "" {
		s.query.Sort = sorts[0]
	}
	return s.reset()
}

func (s *Screen) saveView() tea.Cmd {
	name := strings.TrimSpace(s.views.name.Text())
	if name == "" {
		s.views.name = nil
		return nil
	}
	return s.keep(api.NewConflictView{Name: name, Filter: s.query})
}

func (s *Screen) keep(in api.NewConflictView) tea.Cmd {
	v := s.views
	return s.env.Call(func(ctx context.Context) tea.Msg {
		saved, err := s.source.SaveConflictView(ctx, in)
		return ViewsHeard{of: v, saved: &saved, err: err}
	})
}

func (s *Screen) drop(name string) tea.Cmd {
	v := s.views
	return s.env.Call(func(ctx context.Context) tea.Msg {
		return ViewsHeard{of: v, gone: name, err: s.source.DeleteConflictView(ctx, name)}
	})
}

// heardViews takes what is about the saved views, unless they were closed since.
func (s *Screen) heardViews(msg tea.Msg) bool {
	h, ok := msg.(ViewsHeard)
	v := s.views
	switch {
	case !ok:
		return false
	case v == nil || h.of != v:
		return true
	}
	if v.failure = h.err; h.err != nil {
		return true
	}
	switch {
	case h.all != nil:
		v.loaded = true
		saved := v.list.Rows() // while they were read: the answer may not have them
		v.list.Replace(h.all)
		for _, x := range saved {
			v.put(x)
		}
	case h.saved != nil:
		if v.name != nil { // it was saved from here, not brought back
			s.view = h.saved.Name
		}
		v.name = nil
		v.put(*h.saved)
	default:
		v.gone[h.gone] = true
		if s.view == h.gone {
			s.view = ""
		}
	}
	return true
}

// put lists a saved view in the place of one of its name, else where its name belongs.
func (v *views) put(saved api.ConflictView) {
	delete(v.gone, saved.Name)
	rows := slices.DeleteFunc(slices.Clone(v.list.Rows()), func(x api.ConflictView) bool { return x.Name == saved.Name })
	at := slices.IndexFunc(rows, func(x api.ConflictView) bool { return strings.ToLower(x.Name) > strings.ToLower(saved.Name) })
	if at < 0 {
		at = len(rows)
	}
	v.list.Replace(slices.Insert(rows, at, saved))
	v.list.Select(saved.Name)
}

// viewRows draw the saved views.
func (s *Screen) viewRows() []string {
	th, st, v := s.env.Theme, s.env.Theme.Styles, s.views
	rows := []string{st.Title.Render(text.Truncate("Saved views of the queue", s.width))}
	foot := []string{st.Muted.Render(text.Truncate("s saves: "+say(s.query), s.width))}
	if v.name != nil {
		lines, column, _ := v.name.View(max(10, s.width-10), 1)
		foot = append([]string{st.Key.Render("name: ") + cursorAt(lines[0], column)}, st.Muted.Render(text.Truncate("saves "+say(s.query)+", in the place of what has the name", s.width)))
	}
	if v.failure != nil {
		foot = append(foot, st.Danger.Render(text.Truncate("! "+Explain(v.failure), s.width)))
	}
	height := max(1, s.height-len(rows)-len(foot))
	switch {
	case !v.loaded && v.failure != nil:
		return append(rows, screen.Centred(th, s.width, height, "The saved views could not be read.", Explain(v.failure), "esc goes back.")...)
	case !v.loaded:
		return append(rows, screen.Centred(th, s.width, height, "Reading the saved views…")...)
	case v.list.Len() == 0:
		rows = append(rows, screen.Centred(th, s.width, height, "No view is saved.", "A view is a filter, a state and an order of the queue under a name. They are your own, on every machine.")...)
	default:
		from, to := v.list.Window(height)
		for i := from; i < to; i++ {
			rows = append(rows, screen.Row(th, s.width, i == v.list.At(), s.viewRow(v.list.Rows()[i])))
		}
	}
	for len(rows) < s.height-len(foot) {
		rows = append(rows, "")
	}
	return append(rows[:max(1, s.height-len(foot))], foot...)
}

func (s *Screen) viewRow(v api.ConflictView) string {
	const third = 3
	name, says := text.InertLine(v.Name), say(v.Filter)
	if s.views.gone[v.Name] {
		says = "deleted: x brings it back"
	}
	room := max(8, s.width/third)
	return text.Pad(text.Truncate(name, room-1), room) + says
}

// say says a query in a line.
func say(q api.ConflictQuery) string {
	line := stateName(q.State) + " by " + q.Sort
	if f := queue.FilterText(q); f != "" {
		line += ", " + f
	}
	return text.InertLine(line)
}
