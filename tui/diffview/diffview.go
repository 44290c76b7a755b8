// Package diffview draws a prose diff and keeps the reader's place in it: scrolling, moving from change to change, and the
// choice of layout. The pair screen and the reader's versions share it.
package diffview

import (
	"fmt"
	"sort"
	"strings"

	"wiki/tui/diff"
	"wiki/tui/text"
	"wiki/tui/theme"
)

// StackBelow is the width in columns below which two columns of prose are too narrow to read: the layout stacks by itself.
const StackBelow = 100

const (
	signColumns = 2 // the sign of a cell and a space
	divider     = " │ "
	// changeMargin is how many rows stay above a change that was jumped to.
	changeMargin = 2
)

// Texts is a compared pair, with and without white space. Making one may take 0.1 s for the largest articles, so it's
// done in a command, not in an update.
type Texts struct {
	strict, loose diff.Diff
}

// Compare compares two texts, which are made inert first.
func Compare(a, b string) Texts {
	a, b = text.Inert(a), text.Inert(b)
	return Texts{strict: diff.Compute(a, b, diff.Options{}), loose: diff.Compute(a, b, diff.Options{IgnoreSpace: true})}
}

// View shows Texts in a rectangle. The zero value shows nothing until Set, Resize and SetTheme.
type View struct {
	texts         Texts
	theme         *theme.Theme
	width, height int
	layout        diff.Layout
	chosen        bool // the reader chose the layout; else the width decides
	onlyChanges   bool
	ignoreSpace   bool
	page          diff.Page
	top           int // the first row shown
	at            int // the change moved to last, index in page.Changes; -1 before any
}

// Set shows other texts, from the top. The choice of layout stays.
func (v *View) Set(t Texts) {
	v.texts, v.top, v.at = t, 0, -1
	v.lay()
}

// Resize gives the rectangle in columns and rows; the change being read stays in sight.
func (v *View) Resize(width, height int) {
	if width == v.width && height == v.height {
		return
	}
	relay := width != v.width
	v.width, v.height = width, height
	if relay {
		v.relay()
	}
	v.Scroll(0)
}

// SetTheme sets the styles.
func (v *View) SetTheme(t *theme.Theme) {
	relay := v.theme == nil || v.theme.Signs != t.Signs
	v.theme = t
	if relay {
		v.relay()
	}
}

// Layout is the layout in use.
func (v *View) Layout() diff.Layout {
	if !v.chosen && v.width < StackBelow {
		return diff.Stacked
	}
	return v.layout
}

// CycleLayout goes to the next layout.
func (v *View) CycleLayout() {
	v.layout = diff.Layouts[(int(v.Layout())+1)%len(diff.Layouts)]
	v.chosen = true
	v.relay()
}

// ToggleOnlyChanges folds or unfolds what is unchanged.
func (v *View) ToggleOnlyChanges() {
	v.onlyChanges = !v.onlyChanges
	v.relay()
}

// ToggleIgnoreSpace counts white space as a difference, or no longer.
func (v *View) ToggleIgnoreSpace() {
	v.ignoreSpace = !v.ignoreSpace
	v.relay()
}

// relay lays out again and keeps the reader at the same change, or about as far down.
func (v *View) relay() {
	rows, changes := len(v.page.Rows), len(v.page.Changes)
	v.lay()
	switch {
	case v.at >= 0 && v.at < len(v.page.Changes) && changes == len(v.page.Changes):
		v.show(v.at)
	case rows > 0:
		v.at = -1
		v.top = v.top * len(v.page.Rows) / rows
		v.Scroll(0)
	}
}

func (v *View) lay() {
	if v.theme == nil || v.width == 0 {
		return
	}
	d := v.texts.strict
	if v.ignoreSpace {
		d = v.texts.loose
	}
	v.page = d.Lay(diff.View{Layout: v.Layout(), Width: v.cellWidth(), OnlyChanges: v.onlyChanges, Signs: v.theme.Signs})
}

// cellWidth is the width of a cell's text.
func (v *View) cellWidth() int {
	if v.Layout() == diff.Side {
		return max(1, (v.width-text.Width(divider))/2-signColumns)
	}
	return max(1, v.width-signColumns)
}

// Scroll moves by rows, down when positive.
func (v *View) Scroll(rows int) {
	v.top = max(0, min(v.top+rows, len(v.page.Rows)-v.height))
}

// ScrollPages moves by screenfuls, one row kept in sight.
func (v *View) ScrollPages(n int) { v.Scroll(n * max(1, v.height-1)) }

// ToTop goes to the start, ToBottom to the end.
func (v *View) ToTop()    { v.top, v.at = 0, -1 }
func (v *View) ToBottom() { v.Scroll(len(v.page.Rows)) }

// ToFirstChange goes to the start, or to the first change when that is further down than the first screenful.
func (v *View) ToFirstChange() {
	v.ToTop()
	if len(v.page.Changes) > 0 && v.page.Changes[0] >= v.height-changeMargin {
		v.show(0)
	}
}

// NextChange moves to the next change and says whether there was one.
func (v *View) NextChange() bool { return v.jump(1) }

// PrevChange moves to the change before.
func (v *View) PrevChange() bool { return v.jump(-1) }

// jump goes on from the change moved to last, if it's still in sight, else from what is on the screen.
func (v *View) jump(step int) bool {
	next := v.at + step
	if v.at < 0 || !v.visible(v.page.Changes[v.at]) {
		next = sort.SearchInts(v.page.Changes, v.top)
		if step < 0 {
			next--
		}
	}
	if next < 0 || next >= len(v.page.Changes) {
		return false
	}
	v.show(next)
	return true
}

func (v *View) visible(row int) bool { return row >= v.top && row < v.top+v.height }

func (v *View) show(change int) {
	v.at = change
	v.top = v.page.Changes[change] - changeMargin
	v.Scroll(0)
}

// Changes is the number of changes, Change the one moved to last, from 1; 0 before any.
func (v *View) Changes() int { return len(v.page.Changes) }
func (v *View) Change() int  { return v.at + 1 }

// Status says in words how the diff is shown and where the reader is.
func (v *View) Status() string {
	var parts []string
	switch n := v.Changes(); {
	case n == 0:
		parts = append(parts, "no difference")
	case v.at < 0:
		parts = append(parts, plural(n, "change"))
	default:
		parts = append(parts, fmt.Sprintf("change %d of %d", v.at+1, n))
	}
	parts = append(parts, v.Layout().String())
	if v.onlyChanges {
		parts = append(parts, "only changes")
	}
	if v.ignoreSpace {
		parts = append(parts, "spaces ignored")
	}
	if n := len(v.page.Rows); n > v.height && v.height > 0 {
		parts = append(parts, fmt.Sprintf("%d%%", 100*min(n, v.top+v.height)/n))
	}
	return strings.Join(parts, " · ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Lines draws the rows in sight: exactly height lines, each at most width columns.
func (v *View) Lines() []string {
	lines := make([]string, v.height)
	for i := range lines {
		if row := v.top + i; row < len(v.page.Rows) {
			lines[i] = v.line(row)
		}
	}
	return lines
}

func (v *View) line(row int) string {
	r := v.page.Rows[row]
	if r.Folded > 0 {
		return v.theme.Styles.Muted.Render(text.Truncate("  ⋯ "+plural(r.Folded, "unchanged line"), v.width))
	}
	here := v.at >= 0 && v.page.Changes[v.at] == row
	if v.Layout() != diff.Side {
		return v.cell(r.Left, here, false)
	}
	right := here && r.Left.Sign == ' ' // only the second side has the change
	return v.cell(r.Left, here && !right, true) + v.theme.Styles.Border.Render(divider) + v.cell(r.Right, right, false)
}

// cell draws a cell; here marks the change that was moved to.
func (v *View) cell(c diff.Cell, here, pad bool) string {
	var out strings.Builder
	out.WriteString(v.sign(c.Sign, here))
	width := 0
	for _, s := range c.Spans {
		width += text.Width(s.Text)
		switch s.Kind {
		case diff.RemovedWords:
			out.WriteString(v.theme.Styles.RemovedWord.Render(s.Text))
		case diff.AddedWords:
			out.WriteString(v.theme.Styles.AddedWord.Render(s.Text))
		case diff.Removed:
			out.WriteString(v.theme.Styles.Removed.Render(s.Text))
		case diff.Added:
			out.WriteString(v.theme.Styles.Added.Render(s.Text))
		default:
			out.WriteString(v.theme.Styles.Text.Render(s.Text))
		}
	}
	if pad {
		out.WriteString(strings.Repeat(" ", max(0, v.cellWidth()-width)))
	}
	return out.String()
}

func (v *View) sign(sign byte, here bool) string {
	mark := " "
	if here {
		mark = "›"
	}
	switch sign {
	case '-':
		return v.theme.Styles.Removed.Render("-" + mark)
	case '+':
		return v.theme.Styles.Added.Render("+" + mark)
	case '~':
		return v.theme.Styles.Accent.Render("~" + mark)
	}
	return v.theme.Styles.Accent.Render(" " + mark)
}
