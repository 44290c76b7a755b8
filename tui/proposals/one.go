package proposals

import (
	"context"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/google/uuid"

	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/listing"
	"wiki/tui/paging"
	"wiki/tui/screen"
)

const (
	// itemRows is how many articles of a set are read at a time: the frozen bound, so that nearly every set comes whole.
	itemRows       = 1000
	maxReasonBytes = 2000
)

// one is the proposal shown.
type one struct {
	id       uuid.UUID
	proposal *api.BulkProposal // nil until it has arrived
	failure  error
	asked    int // of the last reading: older answers are dropped
	items    *paging.Pages[api.BulkItem]
	anchor   string // where a range starts, "" for none
	impact   bool   // what it would cost is listed, instead of the articles
	top      int    // first row of that shown
}

// Shown is a message: a proposal has arrived, or could not be read.
type Shown struct {
	id       uuid.UUID
	asked    int
	proposal api.BulkProposal
	err      error
}

// Failure implements screen.Answer.
func (d Shown) Failure() error { return d.err }

// open shows the selected proposal.
func (s *Screen) open() tea.Cmd {
	p, ok := s.list.Selected()
	if !ok {
		return nil
	}
	s.one = &one{id: p.ID}
	s.one.items = paging.New(s.env, func(i api.BulkItem) string { return i.ID.String() }, func(ctx context.Context, cursor string) ([]api.BulkItem, api.Meta, error) {
		return s.source.ProposalItems(ctx, p.ID, cursor, itemRows)
	})
	return s.readOne()
}

// readOne reads the proposal shown, and its articles.
func (s *Screen) readOne() tea.Cmd {
	s.one.asked++
	id, asked := s.one.id, s.one.asked
	return tea.Batch(s.one.items.Load(), s.env.Call(func(ctx context.Context) tea.Msg {
		p, err := s.source.Proposal(ctx, id)
		return Shown{id: id, asked: asked, proposal: p, err: err}
	}))
}

func (s *Screen) heardOne(msg Shown) {
	if s.one == nil || msg.id != s.one.id || msg.asked != s.one.asked {
		return
	}
	if s.one.failure = msg.err; msg.err == nil {
		s.one.proposal = &msg.proposal
	}
}

// choice is what was chosen of the proposal shown.
func (s *Screen) choice() *choice {
	c := s.choices[s.one.id]
	if c == nil {
		c = &choice{out: map[uuid.UUID]bool{}, meant: map[uuid.UUID]int{}}
		s.choices[s.one.id] = c
	}
	return c
}

// forget drops what was said of an article at a version that it no longer has: it was not looked at as it is now.
func (s *Screen) forget() {
	c := s.choice()
	for _, i := range s.one.items.Rows() {
		if v, said := c.meant[i.ID]; said && v != i.Current {
			delete(c.meant, i.ID)
		}
	}
}

// doOne runs the actions on the proposal shown.
func (s *Screen) doOne(id action.ID) tea.Cmd {
	item, chosen := s.one.items.Selected()
	switch id {
	case action.ProposalImpact:
		s.one.impact, s.one.top = !s.one.impact, 0
	case action.ProposalRange:
		if s.one.anchor == "" && chosen {
			s.one.anchor = item.ID.String()
		} else {
			s.one.anchor = ""
		}
	case action.ProposalExclude:
		s.toggle()
	case action.ProposalMeant:
		c := s.choice()
		if _, said := c.meant[item.ID]; said {
			delete(c.meant, item.ID)
		} else {
			c.meant[item.ID] = item.Current
			delete(c.out, item.ID)
		}
	case action.ProposalArticle:
		return func() tea.Msg { return screen.ReadArticle{ID: item.ID.String()} }
	default:
		if s.one.impact {
			n, page := len(s.impactRows()), s.bodyHeight()
			s.one.top = max(0, min(s.one.top+listing.Step(id, page, n), n-page))
			return nil
		}
		return s.one.items.Travel(id, s.bodyHeight())
	}
	return nil
}

// inRange gives the rows from the anchor to the selection as a range; just the selection without an anchor.
func (s *Screen) inRange() (from, to int) {
	rows, at := s.one.items.Rows(), s.one.items.At()
	from = at
	if s.one.anchor != "" {
		if i := slices.IndexFunc(rows, func(i api.BulkItem) bool { return i.ID.String() == s.one.anchor }); i >= 0 {
			from = i
		}
	}
	return min(from, at), max(from, at) + 1
}

// toggle leaves the selected articles out, or takes them in again when all are out, and ends the range.
func (s *Screen) toggle() {
	from, to := s.inRange()
	if from < 0 {
		return
	}
	c := s.choice()
	var free []uuid.UUID
	for _, i := range s.one.items.Rows()[from:to] {
		if i.Outcome == "" {
			free = append(free, i.ID)
		}
	}
	all := !slices.ContainsFunc(free, func(id uuid.UUID) bool { return !c.out[id] })
	for _, id := range free {
		if all {
			delete(c.out, id)
		} else {
			c.out[id] = true
		}
	}
	if s.one.anchor == "" {
		s.one.items.Move(1)
	}
	s.one.anchor = ""
}

// tally is what an approval would do to the set as it is now.
type tally struct {
	does, out, changed, gone int
}

func (s *Screen) tally() tally {
	c := s.choice()
	var t tally
	for _, i := range s.one.items.Rows() {
		_, meant := c.meant[i.ID]
		switch {
		case i.Outcome != "":
		case c.out[i.ID]:
			t.out++
		case i.Status == "":
			t.gone++
		case i.Changed && !meant:
			t.changed++
		default:
			t.does++
		}
	}
	if s.one.proposal != nil { // beyond the articles that have been read
		t.does += max(0, s.one.proposal.Counts["requested"]-s.one.items.Len())
	}
	return t
}

func (s *Screen) frozen() string {
	switch p := s.one.proposal; {
	case p == nil:
		return "the proposal has not arrived yet"
	case p.State != pending:
		return "the proposal is " + p.State + " already"
	case s.one.impact:
		return "show the articles (i) first"
	case !p.MayApprove:
		return s.unsettled()
	}
	return ""
}

func (s *Screen) unsettled() string {
	switch p := s.one.proposal; {
	case p == nil:
		return "the proposal has not arrived yet"
	case p.State != pending:
		return "the proposal is " + p.State + " already"
	case !p.MayApprove && p.WhyNot != "":
		return p.WhyNot
	case !p.MayApprove:
		return "your key may not decide about it"
	}
	return ""
}

func (s *Screen) notMine() string {
	switch p := s.one.proposal; {
	case p == nil:
		return "the proposal has not arrived yet"
	case p.State != pending:
		return "the proposal is " + p.State + " already"
	case p.MintedBy != s.env.Who.Principal:
		return "only its minter, " + p.MintedBy + ", withdraws it: reject it instead"
	}
	return ""
}

func sorted(ids map[uuid.UUID]bool) []uuid.UUID {
	return slices.SortedFunc(maps.Keys(ids), func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
}
