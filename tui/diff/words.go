package diff

const (
	// maxSteps bounds the work of all word comparisons of one Compute; when it's used up, words are aligned by anchors
	// alone.
	maxSteps = 8_000_000
	// directTokens is up to how many tokens (both sides) a paragraph is compared without looking for anchors first:
	// the shortest edit script reads better, anchors scale better.
	directTokens = 3_000
	// smallRun is up to how many bytes an unchanged run without a word, between two replacements, is made part of them:
	// "old text" to "new words" reads better as one change than as two around a space.
	smallRun = 3
)

// piece is a run in the making: tokens of both sides.
type piece struct {
	changed bool
	span
}

// wordRuns compares two aligned paragraphs by word.
func (c *comparer) wordRuns(left, right *unit) []Run {
	c.prepare(left)
	c.prepare(right)
	w := wordSink{comparer: c, left: left, right: right, a: idsOf(left.tokens), b: idsOf(right.tokens)}
	all := span{0, len(w.a), 0, len(w.b)}
	if len(w.a)+len(w.b) <= directTokens {
		w.gap(all)
	} else {
		anchored(w.a, w.b, all, len(c.words), &w)
	}
	w.change(len(w.a), len(w.b))
	var runs []Run
	for _, p := range w.tidy() {
		runs = append(runs, Run{Changed: p.changed, A: left.slice(p.a0, p.a1), B: right.slice(p.b0, p.b1)})
	}
	return runs
}

func idsOf(tokens []token) []int32 {
	ids := make([]int32, len(tokens))
	for i, t := range tokens {
		ids[i] = t.id
	}
	return ids
}

// wordSink turns an alignment of tokens into pieces.
type wordSink struct {
	*comparer
	left, right *unit
	a, b        []int32
	i, j        int // tokens before these are in pieces
	pieces      []piece
}

func (w *wordSink) same(a, b int) {
	w.change(a, b)
	w.add(piece{false, span{a, a + 1, b, b + 1}})
}

// gap compares the tokens between two anchors.
func (w *wordSink) gap(s span) {
	if s.a0 == s.a1 || s.b0 == s.b1 {
		return
	}
	for _, p := range shortest(w.a[s.a0:s.a1], w.b[s.b0:s.b1], &w.steps) {
		w.same(s.a0+p.a, s.b0+p.b)
	}
}

// change makes a piece of the tokens before a and b that are not in one yet.
func (w *wordSink) change(a, b int) {
	p := piece{true, span{w.i, a, w.j, b}}
	if w.IgnoreSpace && blank(w.left, p.a0, p.a1) && blank(w.right, p.b0, p.b1) {
		p.changed = false
	}
	w.add(p)
}

// add appends a piece, or lengthens the last one when it's of the same kind.
func (w *wordSink) add(p piece) {
	w.i, w.j = p.a1, p.b1
	if p.a0 == p.a1 && p.b0 == p.b1 {
		return
	}
	if n := len(w.pieces) - 1; n >= 0 && w.pieces[n].changed == p.changed {
		w.pieces[n].a1, w.pieces[n].b1 = p.a1, p.b1
		return
	}
	w.pieces = append(w.pieces, p)
}

// tidy joins replacements that only a space or a comma separates.
func (w *wordSink) tidy() []piece {
	var out []piece
	for i := 0; i < len(w.pieces); i++ {
		p := w.pieces[i]
		for p.changed && i+2 < len(w.pieces) && w.small(w.pieces[i+1]) {
			next := w.pieces[i+2]
			if (p.a0 == p.a1 && next.a0 == next.a1) || (p.b0 == p.b1 && next.b0 == next.b1) {
				break // two insertions or two removals: the run between them is no part of a replacement
			}
			p.a1, p.b1 = next.a1, next.b1
			i += 2
		}
		out = append(out, p)
	}
	for i := 1; i+1 < len(out); i++ {
		w.slide(&out[i-1], &out[i], &out[i+1])
	}
	return out
}

// slide moves an insertion or a removal that starts with a space by that space, where it may as well end with one: "a
// word more" is easier to see than half a gap.
func (w *wordSink) slide(before, p, after *piece) {
	if !p.changed || after.a1-after.a0 < 2 || after.b1-after.b0 != after.a1-after.a0 {
		return
	}
	switch {
	case p.a0 == p.a1 && w.right.tokens[p.b0].kind == space && w.b[p.b0] == w.b[p.b1]:
	case p.b0 == p.b1 && w.left.tokens[p.a0].kind == space && w.a[p.a0] == w.a[p.a1]:
	default:
		return
	}
	for _, at := range []*int{&before.a1, &before.b1, &p.a0, &p.b0, &p.a1, &p.b1, &after.a0, &after.b0} {
		*at++
	}
}

func (w *wordSink) small(p piece) bool {
	for _, t := range w.left.tokens[p.a0:p.a1] {
		if t.kind == word {
			return false
		}
	}
	return len(w.left.slice(p.a0, p.a1)) <= smallRun
}

// slice is the text of tokens from..to.
func (u *unit) slice(from, to int) string {
	if from >= to {
		return ""
	}
	return u.text[u.tokens[from].from:u.tokens[to-1].to]
}

func blank(u *unit, from, to int) bool {
	for _, t := range u.tokens[from:to] {
		if t.kind != space {
			return false
		}
	}
	return true
}
