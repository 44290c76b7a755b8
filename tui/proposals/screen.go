// Package proposals is the screen of bulk proposals: sets of articles that somebody wants archived, deleted, published,
// unpublished or retagged, and that wait for a person who looks at each, leaves out what is not meant, and decides.
package proposals

import (
	"context"

	tea "charm.land/bubbletea/v2"
	"github.com/google/uuid"

	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/field"
	"wiki/tui/outbox"
	"wiki/tui/paging"
	"wiki/tui/screen"
)

// Source is what the screen asks of the server.
type Source interface {
	Proposals(ctx context.Context, q api.BulkProposalQuery) ([]api.BulkProposal, api.Meta, error)
	Proposal(ctx context.Context, id uuid.UUID) (api.BulkProposal, error)
	ProposalItems(ctx context.Context, id uuid.UUID, cursor string, limit int) ([]api.BulkItem, api.Meta, error)
}

// pending is the state of a proposal that waits for a person.
const pending = "pending"

var states = []string{pending, "running", "executed", "rejected", "withdrawn", "expired"}

// Screen is the proposals screen. Make one with New.
type Screen struct {
	env    *screen.Env
	source Source

	list  *paging.Pages[api.BulkProposal]
	state int // index into states

	one     *one                  // nil: the list is shown
	choices map[uuid.UUID]*choice // by proposal: leaving one loses nothing

	field    *field.Field // not nil while the reason of a rejection is typed
	fieldErr string

	width, height int
}

// choice is what the curator chose of a proposal so far.
type choice struct {
	out    map[uuid.UUID]bool // articles that are left out
	meant  map[uuid.UUID]int  // articles that changed since and are meant all the same, at the version looked at
	reason string             // typed against it
}

// New makes the screen.
func New(env *screen.Env, source Source) *Screen {
	s := &Screen{env: env, source: source, choices: map[uuid.UUID]*choice{}}
	s.list = paging.New(env, func(p api.BulkProposal) string { return p.ID.String() }, s.read)
	return s
}

func (s *Screen) read(ctx context.Context, cursor string) ([]api.BulkProposal, api.Meta, error) {
	return s.source.Proposals(ctx, api.BulkProposalQuery{State: states[s.state], Limit: paging.Rows, Cursor: cursor})
}

// Contexts implements screen.Screen.
func (s *Screen) Contexts() []action.Context {
	switch {
	case s.field != nil:
		return []action.Context{action.Field}
	case s.one != nil:
		return []action.Context{action.Proposal}
	}
	return []action.Context{action.Proposals}
}

// Facts implements screen.Screen.
func (s *Screen) Facts(st *action.State) {
	if s.one == nil {
		_, st.Chosen = s.list.Selected()
		return
	}
	item, chosen := s.one.items.Selected()
	st.Chosen = chosen && !s.one.impact
	st.ItemChange = chosen && item.Changed && item.Current > 0
	st.SetUnread, st.SetEmpty = !s.one.items.Loaded(), s.tally().does == 0
	st.Frozen, st.Unsettled, st.NotMine = s.frozen(), s.unsettled(), s.notMine()
}

// Entered implements screen.Screen.
func (s *Screen) Entered() tea.Cmd {
	if s.one != nil {
		return tea.Batch(s.list.Load(), s.readOne())
	}
	return s.list.Load()
}

// Left implements screen.Screen.
func (s *Screen) Left() tea.Cmd { return nil }

// Count implements screen.Screen: the proposals that wait, less those decided here.
func (s *Screen) Count() (int, bool) {
	n, known := s.list.Meta().Counts[pending]
	return max(0, n-s.list.Hidden()), known
}

// SetSize implements screen.Screen.
func (s *Screen) SetSize(width, height int) { s.width, s.height = width, height }

// Key implements screen.Screen.
func (s *Screen) Key(k tea.KeyPressMsg) tea.Cmd {
	if s.field != nil {
		s.field.Key(k.Keystroke(), k.Text)
		s.fieldErr = ""
	}
	return nil
}

// Paste implements screen.Screen.
func (s *Screen) Paste(text string) {
	if s.field != nil {
		s.field.Insert(text)
	}
}

// Back implements screen.Screen: from the impact to the articles, from a range to none, from a proposal to the list.
func (s *Screen) Back() (tea.Cmd, bool) {
	switch {
	case s.one == nil:
		return nil, false
	case s.one.impact:
		s.one.impact = false
	case s.one.anchor != "":
		s.one.anchor = ""
	default:
		s.one = nil
	}
	return nil, true
}

// Do implements screen.Screen.
func (s *Screen) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Refresh:
		return s.Entered()
	case action.ProposalStates:
		s.state = (s.state + 1) % len(states)
		return s.list.Reset()
	case action.ProposalOpen:
		return s.open()
	case action.ProposalReject:
		s.fieldErr, s.field = "", &field.Field{Lines: true, Max: maxReasonBytes}
		s.field.Set(s.choice().reason)
	case action.Accept:
		s.fieldErr = "write why: its minter reads it"
	case action.Cancel:
		s.choice().reason, s.field = s.field.Text(), nil
	default:
		if s.one != nil {
			return s.doOne(id)
		}
		return s.list.Travel(id, s.listHeight())
	}
	return nil
}

// Heard implements screen.Screen.
func (s *Screen) Heard(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case paging.Page[api.BulkProposal]:
		s.list.Heard(msg)
	case paging.Page[api.BulkItem]:
		if s.one != nil {
			s.one.items.Heard(msg)
			s.forget()
		}
	case Shown:
		s.heardOne(msg)
	case screen.Given:
		s.given(msg.Act)
	case screen.Ended:
		if decides(msg.Act) {
			return s.list.Unhide(msg.Act.Subject.String())
		}
	case screen.Resync:
		return s.resync()
	}
	return nil
}

func (s *Screen) resync() tea.Cmd {
	cmd := s.list.Resync()
	if !s.list.Loaded() {
		cmd = s.list.Load() // for the count in the tab
	}
	if s.one == nil {
		return cmd
	}
	return tea.Batch(cmd, s.readOne())
}

// decides says whether an act settles a proposal.
func decides(a outbox.Act) bool {
	return a.Subject != nil && (a.Kind == outbox.Approve || a.Kind == outbox.Reject || a.Kind == outbox.Recall)
}

// given takes a proposal out of the list when it is decided, and shows the list again.
func (s *Screen) given(a outbox.Act) {
	if !decides(a) {
		return
	}
	s.list.Hide(a.Subject.String())
	if s.one != nil && s.one.id == *a.Subject {
		s.one, s.field = nil, nil
	}
}
