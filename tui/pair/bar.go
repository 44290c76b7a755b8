package pair

import (
	"fmt"

	"wiki/tui/action"
	"wiki/tui/conflicts"
	"wiki/tui/screen"
	"wiki/tui/text"
	"wiki/tui/when"
)

// Keys gives the key of an action and why it cannot be done now; the root sets it, because it owns the table.
type Keys func(id action.ID) (key, why string)

// SetKeys says where the verdict bar finds its keys.
func (s *Screen) SetKeys(k Keys) { s.keys = k }

// effect says what an action does, in full and in short.
type effect struct {
	id          action.ID
	full, short string
}

// effects are what the verdicts would do now, for this key's role.
func (s *Screen) effects() []effect {
	both := effect{action.Dismiss, "both stand: the pair leaves the queue at once", "both stand, nothing is changed"}
	merge := effect{action.MergeBoth, "merge: a draft of both is made when verdicts are executed; both stay", "merge both into a draft *"}
	left := effect{action.KeepLeft, "keep left: right becomes superseded when verdicts are executed", "keep left, right is superseded *"}
	right := effect{action.KeepRight, "keep right: left becomes superseded when verdicts are executed", "keep right, left is superseded *"}
	if !s.userRole() {
		left.full, left.short = "keep left: recorded as advice; the pair stays for a user to decide", "advise to keep left"
		right.full, right.short = "keep right: recorded as advice; the pair stays for a user to decide", "advise to keep right"
	}
	return []effect{left, right, both, merge}
}

// userRole says whether the key may retire articles; until the server has told, it is taken to.
func (s *Screen) userRole() bool { return s.role != "agent" && s.role != "orchestrator" }

// bar shows what each verdict would do before its key is pressed, or why there can be none; and the note.
func (s *Screen) bar() []string {
	if s.field != nil {
		return s.noteEditor()
	}
	c, known := s.Conflict()
	label := ""
	if s.width < wideBar && s.userRole() && c.State == "open" && s.heldBy(c) == "" {
		label = "* when verdicts are executed"
	}
	rows := []string{s.ruleWith(label)}
	if s.low() {
		rows = nil
	}
	switch {
	case known && c.State != "open":
		rows = append(rows, s.judgedLine())
	case s.heldBy(c) != "":
		rows = append(rows, s.heldLine())
	default:
		rows = append(rows, s.effectRows()...)
	}
	if note := s.notes[s.id]; note != "" {
		rows = append(rows, s.env.Theme.Styles.Accent.Render(text.Truncate("note: "+text.InertLine(note), s.width)))
	}
	return rows
}

func (s *Screen) effectRows() []string {
	if s.low() {
		return []string{s.lowEffects()}
	}
	half := s.width / 2
	wide := s.width >= wideBar
	var cells []string
	for i, e := range s.effects() {
		label := e.short
		if wide {
			label = e.full
		}
		room := half
		if i%2 == 1 {
			room = s.width - half
		}
		cells = append(cells, s.effectCell(e.id, label, room))
	}
	return []string{cells[0] + cells[1], cells[2] + cells[3]}
}

// lowEffects says in one row what the verdicts would do.
func (s *Screen) lowEffects() string {
	keyOf := func(id action.ID) string {
		if s.keys == nil {
			return ""
		}
		key, _ := s.keys(id)
		return key
	}
	keep := "retire the other"
	if !s.userRole() {
		keep = "advise to keep it"
	}
	line := keyOf(action.KeepLeft) + "/" + keyOf(action.KeepRight) + " " + keep + ", " + keyOf(action.MergeBoth) + " drafts both"
	return s.env.Theme.Styles.Text.Render(text.Truncate(line, s.width))
}

func (s *Screen) effectCell(id action.ID, label string, width int) string {
	st := s.env.Theme.Styles
	key, why := "", ""
	if s.keys != nil {
		key, why = s.keys(id)
	}
	style := st.Text
	if why != "" {
		style = st.Disabled
		label = "(" + label + ")"
	}
	key = text.Truncate(key, max(1, width/3))
	return st.Key.Render(key) + " " + style.Render(text.Pad(label, max(0, width-text.Width(key)-1)))
}

func (s *Screen) judgedLine() string {
	st := s.env.Theme.Styles
	c, _ := s.Conflict()
	if c.Verdict == nil {
		return st.Caution.Render(text.Truncate("this pair is no longer open", s.width))
	}
	v := *c.Verdict
	line := fmt.Sprintf("%s by %s %s", text.InertLine(v.Disposition), text.InertLine(v.By), when.Old(v.JudgedAt, s.env.Now()))
	if v.ExecutedAt != nil {
		line += ", executed " + when.Old(*v.ExecutedAt, s.env.Now())
	} else {
		line += ", waits for execution"
	}
	return st.Caution.Render(text.Truncate("judged: "+line, s.width))
}

func (s *Screen) heldLine() string {
	c, _ := s.Conflict()
	line := "held by " + text.InertLine(conflicts.HeldBy(c, s.env)) + " until "
	if c.Claim != nil && conflicts.HeldBy(c, s.env) != "" {
		line += when.Clock(c.Claim.ExpiresAt, s.env.Now())
	} else {
		line = s.claims.refuse
	}
	return s.env.Theme.Styles.Caution.Render(text.Truncate(line+"; J goes to the next pair", s.width))
}

// noteEditor is the field in which the evidence of the verdict is written.
func (s *Screen) noteEditor() []string {
	st := s.env.Theme.Styles
	head := "why? kept with the verdict · enter keeps it, alt+enter breaks the line, esc closes"
	rows := []string{st.Focus.Render(text.Truncate(head, s.width))}
	return append(rows, screen.Typed(s.env.Theme, s.field, s.width, fieldRows)...)
}
