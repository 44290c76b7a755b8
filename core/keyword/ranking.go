package keyword

import (
	"cmp"
	"slices"
)

// window is how many docnos are added up at a time: their sums fit the processor's near memory.
const window = 1 << 12

// cursor walks a word's postings.
type cursor struct {
	slot  int
	block block
	pos   int
}

// scored is an article with its score.
type scored struct {
	docno int64
	canon bool
	score float64
}

// rank adds up the postings of one scope and gives the articles that hold a scoring word and meet the conditions. Windows
// of docnos that hold nothing are passed over.
func (m *model) rank(w *weights, cursors []cursor, canon bool, out []scored) []scored {
	var sums [window]float64
	var held [window]uint64
	touched := make([]int, 0, window)
	slices.SortStableFunc(cursors, func(x, y cursor) int { return cmp.Compare(x.slot, y.slot) })
	scoring := uint64(1)<<m.scoring - 1
	for from, more := first(cursors); more; from, more = first(cursors) {
		end := from + window
		for i := range cursors {
			c := &cursors[i]
			for ; c.pos < c.block.len(); c.pos++ {
				p := c.block.at(c.pos)
				if p.docno() >= end {
					break
				}
				at := int(p.docno() - from)
				if held[at] == 0 {
					touched = append(touched, at)
				}
				held[at] |= 1 << c.slot
				sums[at] += w.part(c.slot, p.tf(), p.length())
			}
		}
		for _, at := range touched {
			if held[at]&scoring != 0 && m.admits(held[at]) {
				out = append(out, scored{from + int64(at), canon, sums[at]})
			}
			sums[at], held[at] = 0, 0
		}
		touched = touched[:0]
	}
	return out
}

// first is the lowest docno that no cursor has passed.
func first(cursors []cursor) (docno int64, more bool) {
	for i := range cursors {
		if c := &cursors[i]; c.pos < c.block.len() {
			if d := c.block.at(c.pos).docno(); !more || d < docno {
				docno, more = d, true
			}
		}
	}
	return docno, more
}

func better(x, y scored) int {
	return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.docno, y.docno))
}

// best brings the n best to the front, in order. The rest stays in no order: a query matches thousands and shows ten.
func best(all []scored, n int) []scored {
	n = min(n, len(all))
	part := all
	for k := n; k > 0 && k < len(part); {
		split := partition(part)
		if split <= k {
			part, k = part[split:], k-split
		} else {
			part = part[:split]
		}
	}
	slices.SortFunc(all[:n], better)
	return all[:n]
}

// partition parts two or more into some that come before the others, and says how many those are: at least one, not all.
func partition(part []scored) int {
	last := len(part) - 1
	pivot := median(part[0], part[last/2], part[last])
	low, high := -1, len(part)
	for {
		for low++; better(part[low], pivot) < 0; low++ {
		}
		for high--; better(part[high], pivot) > 0; high-- {
		}
		if low >= high {
			return min(max(low, 1), last)
		}
		part[low], part[high] = part[high], part[low]
	}
}

func median(x, y, z scored) scored {
	three := [3]scored{x, y, z}
	slices.SortFunc(three[:], better)
	return three[1]
}
