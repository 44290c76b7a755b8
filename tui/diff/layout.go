package diff

import (
	"slices"
	"strings"

	"wiki/tui/text"
)

// Layout is how the two texts share the screen.
type Layout int

// Layouts.
const (
	Side    Layout = iota // two columns in step
	Stacked               // one column, an edited paragraph above its new form
	Unified               // one column, both forms of a word in one paragraph
)

// Layouts lists the layouts in the order a key cycles through them.
var Layouts = []Layout{Side, Stacked, Unified}

func (l Layout) String() string { return [...]string{"side by side", "stacked", "unified"}[l] }

// Kind tells what a span is.
type Kind uint8

// Kinds. A paragraph without a partner is Removed or Added as a whole; in an edited one the words are marked.
const (
	Same Kind = iota
	RemovedWords
	AddedWords
	Removed
	Added
)

// Span is a piece of a row in one style.
type Span struct {
	Text string
	Kind Kind
}

// Cell is one side of a row. Sign is '-' where the row has text that the other side lacks, '+' for the second side, '~'
// in a unified row with both, else a space.
type Cell struct {
	Sign  byte
	Spans []Span
}

// Row is one line of the screen. Right is used by Side only.
type Row struct {
	Left, Right Cell
	Folded      int // > 0: the row stands for this many unchanged ones
}

// Changed says whether the row holds a change.
func (r Row) Changed() bool {
	return (r.Left.Sign != ' ' && r.Left.Sign != 0) || (r.Right.Sign != ' ' && r.Right.Sign != 0)
}

// View says how to lay a comparison out.
type View struct {
	Layout      Layout
	Width       int  // columns of the text of one cell, without its sign
	OnlyChanges bool // fold what is further than contextRows from a change
	Signs       bool // put [- -] and {+ +} around changed words, for a terminal without colours
}

// contextRows is how many unchanged rows stay around a change when the rest is folded.
const contextRows = 2

// Page is a laid-out comparison.
type Page struct {
	Rows    []Row
	Changes []int // the rows at which a change starts, rising: where the next-change key goes; one for a paragraph that differs
}

// Lay lays the comparison out. The texts compared must be inert (text.Inert).
func (d Diff) Lay(v View) Page {
	b := builder{View: v}
	for _, block := range d.Blocks {
		b.block(block)
	}
	if v.OnlyChanges {
		return b.folded()
	}
	return Page{Rows: b.rows, Changes: b.changes}
}

// builder collects rows.
type builder struct {
	View
	rows    []Row
	changes []int
}

func (b *builder) block(block Block) {
	from := len(b.rows)
	left, right := b.spans(block, true), b.spans(block, false)
	switch {
	case b.Layout == Side:
		b.beside(b.wrap(left, '-'), b.wrap(right, '+'))
	case !block.Changed():
		b.below(b.wrap(right, ' '))
	case b.Layout == Unified && !block.Replaced:
		b.below(b.wrap(b.both(block), '~'))
	default:
		b.below(whole(b.wrap(left, '-'), '-'))
		b.below(whole(b.wrap(right, '+'), '+'))
	}
	b.mark(from)
}

// beside adds rows of two sides, the shorter one filled up.
func (b *builder) beside(left, right []Cell) {
	for i := range max(len(left), len(right)) {
		row := Row{Left: Cell{Sign: ' '}, Right: Cell{Sign: ' '}}
		if i < len(left) {
			row.Left = left[i]
		}
		if i < len(right) {
			row.Right = right[i]
		}
		b.rows = append(b.rows, row)
	}
}

func (b *builder) below(cells []Cell) {
	for _, c := range cells {
		b.rows = append(b.rows, Row{Left: c})
	}
}

// whole gives every cell of a side that has text the side's sign, as in a line diff.
func whole(cells []Cell, sign byte) []Cell {
	for i := range cells {
		cells[i].Sign = sign
	}
	return quiet(cells)
}

// quiet takes the sign from empty cells between others: a line without text says nothing by being removed.
func quiet(cells []Cell) []Cell {
	filled := func(c Cell) bool { return len(c.Spans) > 0 }
	if !slices.ContainsFunc(cells, filled) {
		return cells
	}
	for i := range cells {
		if !filled(cells[i]) {
			cells[i].Sign = ' '
		}
	}
	return cells
}

// mark notes where the change of a block starts in the rows since from. A paragraph that differs is one change, however its
// lines fall: the count is the same in every layout and width.
func (b *builder) mark(from int) {
	for i := from; i < len(b.rows); i++ {
		if b.rows[i].Changed() {
			b.changes = append(b.changes, i)
			return
		}
	}
}

// spans gives one side of a block.
func (b *builder) spans(block Block, first bool) []Span {
	kind, words := Added, AddedWords
	if first {
		kind, words = Removed, RemovedWords
	}
	var out []Span
	for _, r := range block.Runs {
		s := r.B
		if first {
			s = r.A
		}
		switch {
		case s == "":
		case !r.Changed:
			out = append(out, Span{s, Same})
		case block.Replaced:
			out = append(out, flowing([]Span{{s, kind}})...)
		default:
			out = append(out, b.changed(s, words, r))
		}
	}
	if block.Replaced {
		return out
	}
	return flowing(out)
}

// both gives an edited paragraph with the removed and the added words in one.
func (b *builder) both(block Block) []Span {
	var out []Span
	for _, r := range block.Runs {
		if !r.Changed {
			out = append(out, Span{r.B, Same})
			continue
		}
		if r.A != "" {
			out = append(out, b.changed(r.A, RemovedWords, r))
		}
		if r.B != "" {
			out = append(out, b.changed(r.B, AddedWords, r))
		}
	}
	return flowing(out)
}

var visibleSpace = strings.NewReplacer(" ", "·", "\u00a0", "·", "\n", "↵\n")

// changed is a span of changed words: with signs when asked for, and with visible spaces when nothing but space changed.
func (b *builder) changed(s string, kind Kind, r Run) Span {
	if strings.TrimSpace(r.A) == "" && strings.TrimSpace(r.B) == "" {
		s = visibleSpace.Replace(s)
	}
	if b.Signs {
		body := strings.TrimRight(s, "\n")
		if kind == RemovedWords {
			s = "[-" + body + "-]" + s[len(body):]
		} else {
			s = "{+" + body + "+}" + s[len(body):]
		}
	}
	return Span{s, kind}
}

// wrap breaks a side into cells; one that holds something changed gets the sign.
func (b *builder) wrap(spans []Span, sign byte) []Cell {
	var all strings.Builder
	for _, s := range spans {
		all.WriteString(s.Text)
	}
	s := all.String()
	if s == "" {
		return nil
	}
	var cells []Cell
	at, i := 0, 0 // where spans[i] starts in s
	for _, r := range text.WrapRanges(strings.TrimSuffix(s, "\n"), b.Width) {
		cell := Cell{Sign: ' '}
		for i < len(spans) && at+len(spans[i].Text) <= r.Start {
			at, i = at+len(spans[i].Text), i+1
		}
		for k, from := i, at; k < len(spans) && from <= r.End; k++ {
			to := from + len(spans[k].Text)
			if t := s[max(from, r.Start):max(from, r.Start, min(to, r.End))]; t != "" {
				cell.Spans = append(cell.Spans, Span{t, spans[k].Kind})
			}
			if spans[k].Kind != Same && to > r.Start && (from < r.End || from == r.Start) {
				cell.Sign = sign
			}
			from = to
		}
		cells = append(cells, cell)
	}
	return quiet(cells)
}

// folded is the page with long unchanged stretches folded to a row each.
func (b *builder) folded() Page {
	keep := make([]bool, len(b.rows))
	for i, r := range b.rows {
		if r.Changed() {
			for k := max(0, i-contextRows); k <= min(len(b.rows)-1, i+contextRows); k++ {
				keep[k] = true
			}
		}
	}
	var p Page
	next := 0
	for i := 0; i < len(b.rows); i++ {
		if next < len(b.changes) && b.changes[next] == i {
			p.Changes = append(p.Changes, len(p.Rows))
			next++
		}
		if keep[i] {
			p.Rows = append(p.Rows, b.rows[i])
			continue
		}
		n := 1
		for i+n < len(b.rows) && !keep[i+n] {
			n++
		}
		if n == 1 { // a fold is no shorter
			p.Rows = append(p.Rows, b.rows[i])
			continue
		}
		p.Rows = append(p.Rows, Row{Folded: n})
		i += n - 1
	}
	return p
}
