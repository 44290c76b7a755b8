// Package diff compares two prose texts by paragraph and by word, and lays the comparison out for a terminal. It is pure:
// no styles, no I/O.
//
// Paragraphs (and list items, headings, lines of code: what a reader takes for one thing) are aligned first, an edited
// one with its original, so that a moved or inserted paragraph does not shift all that follows. Words, as Unicode sees
// them, are compared within an aligned pair. All work is bounded: on texts that have little in common the result gets
// coarser, not slower.
package diff

import "strings"

// Options say what counts as a difference.
type Options struct {
	IgnoreSpace bool // runs of white space are all alike, and so is their absence at the end of a paragraph
}

// Diff is the comparison of two texts: blocks in the order of both. The A of all runs of all blocks, joined, is the first
// text; the B the second, to the byte.
type Diff struct {
	Blocks []Block
}

// Block is an aligned part of both texts: an unchanged or an edited paragraph, or paragraphs that one side has in place
// of the other's (which may be nothing).
type Block struct {
	Runs     []Run // of a replaced block, one for a paragraph of each side
	Replaced bool  // the sides have nothing to do with each other, or one has nothing
}

// Changed says whether any run of the block differs.
func (b Block) Changed() bool {
	for _, r := range b.Runs {
		if r.Changed {
			return true
		}
	}
	return false
}

// Run is a stretch of both texts. Where it's not changed, A equals B, up to white space when that is ignored. Where it
// is, A was removed and B added; either may be empty.
type Run struct {
	Changed bool
	A, B    string
}

// Compute compares two texts. It is symmetric: with the texts exchanged, the result is the same with A and B exchanged.
func Compute(a, b string, o Options) Diff {
	if a > b { // the algorithms prefer one side where two answers are equally good
		return compute(b, a, o).mirror()
	}
	return compute(a, b, o)
}

func (d Diff) mirror() Diff {
	for i := range d.Blocks {
		for j, r := range d.Blocks[i].Runs {
			d.Blocks[i].Runs[j] = Run{Changed: r.Changed, A: r.B, B: r.A}
		}
	}
	return d
}

func compute(a, b string, o Options) Diff {
	c := &comparer{Options: o, words: map[string]int32{}, steps: maxSteps}
	left, right := c.split(a), c.split(b)
	pairs := c.align(left, right)
	var d Diff
	i, j := 0, 0
	for _, p := range append(pairs, pair{len(left), len(right)}) {
		if p.a > i || p.b > j {
			d.Blocks = append(d.Blocks, c.replaced(left[i:p.a], right[j:p.b]))
		}
		if p.a == len(left) {
			break
		}
		d.Blocks = append(d.Blocks, c.paired(&left[p.a], &right[p.b]))
		i, j = p.a+1, p.b+1
	}
	return d
}

// comparer carries what one comparison shares.
type comparer struct {
	Options
	words map[string]int32 // word to its number
	steps int              // of word comparison left (maxSteps)

	tokens []token // memory for the units' tokens and bags (room)
	bags   []int32
}

// replaced is the block of paragraphs without a partner.
func (c *comparer) replaced(left, right []unit) Block {
	a, b := joined(left), joined(right)
	if c.IgnoreSpace && strings.TrimSpace(a) == "" && strings.TrimSpace(b) == "" {
		return Block{Runs: []Run{{A: a, B: b}}}
	}
	block := Block{Replaced: true}
	for i := range max(len(left), len(right)) {
		var r Run
		if i < len(left) {
			r.A = left[i].text
		}
		if i < len(right) {
			r.B = right[i].text
		}
		r.Changed = r.A != r.B
		block.Runs = append(block.Runs, r)
	}
	return block
}

// paired is the block of two aligned paragraphs.
func (c *comparer) paired(left, right *unit) Block {
	if left.key == right.key {
		return Block{Runs: []Run{{A: left.text, B: right.text}}}
	}
	return Block{Runs: c.wordRuns(left, right)}
}

// joined gives the text of consecutive units, which are pieces of one string.
func joined(units []unit) string {
	var s strings.Builder
	for _, u := range units {
		s.WriteString(u.text)
	}
	return s.String()
}
