package diff

import "slices"

const (
	// minSimilarity is the least share of common words (Dice coefficient) at which two paragraphs are one, edited.
	minSimilarity = 35 // percent
	// maxCells bounds the table of one similarity alignment: pairs of paragraphs compared.
	maxCells = 64 * 64
	// rareWord is how many paragraphs may hold a word that is used to find a paragraph's partner in a long gap.
	rareWord = 6
)

// pair is a paragraph of the first text aligned with one of the second, by index.
type pair struct{ a, b int }

// span is a part of both texts still to align.
type span struct{ a0, a1, b0, b1 int }

// align pairs up the units of both texts, in order: equal ones first, those that occur once on each side before others,
// then similar ones.
func (c *comparer) align(left, right []unit) []pair {
	ids := map[string]int32{}
	number := func(units []unit) []int32 {
		out := make([]int32, len(units))
		for i := range units {
			id, ok := ids[units[i].key]
			if !ok {
				id = int32(len(ids))
				ids[units[i].key] = id
			}
			out[i], units[i].id = id, id
		}
		return out
	}
	al := aligner{comparer: c, left: left, right: right}
	anchored(number(left), number(right), span{0, len(left), 0, len(right)}, len(ids), &al)
	return al.pairs
}

type aligner struct {
	*comparer
	left, right []unit
	pairs       []pair
	best        []int32 // of the last table, to use again
	take        []bool
}

// cleared gives n zero elements, in the buffer's memory where it suffices.
func cleared[T any](buffer *[]T, n int) []T {
	*buffer = slices.Grow((*buffer)[:0], n)[:n]
	clear(*buffer)
	return *buffer
}

func (al *aligner) same(a, b int) { al.pairs = append(al.pairs, pair{a, b}) }

// gap aligns by similarity what equality could not.
func (al *aligner) gap(s span) {
	n, m := s.a1-s.a0, s.b1-s.b0
	switch {
	case n == 0 || m == 0:
	case n*m <= maxCells:
		al.table(s)
	default:
		al.long(s)
	}
}

// table finds the pairing with the most words in common.
func (al *aligner) table(s span) {
	n, m := s.a1-s.a0, s.b1-s.b0
	al.prepareAll(al.left[s.a0:s.a1])
	al.prepareAll(al.right[s.b0:s.b1])
	best := cleared(&al.best, (n+1)*(m+1)) // best[i,j]: words in common from i and j on
	take := cleared(&al.take, (n+1)*(m+1))
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			at := i*(m+1) + j
			best[at] = max(best[at+1], best[at+m+1])
			if common := al.common(s.a0+i, s.b0+j); common > 0 && best[at+m+2]+common > best[at] {
				best[at], take[at] = best[at+m+2]+common, true
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		at := i*(m+1) + j
		switch {
		case take[at]:
			al.same(s.a0+i, s.b0+j)
			i, j = i+1, j+1
		case best[at] == best[at+1]:
			j++
		default:
			i++
		}
	}
}

// common is how many words two units share, or 0 when they are too unlike to be one. Both are prepared.
func (al *aligner) common(a, b int) int32 {
	x, y := &al.left[a], &al.right[b]
	if x.id == y.id {
		return int32(len(x.bag)) + 1
	}
	all := len(x.bag) + len(y.bag)
	if 2*100*min(len(x.bag), len(y.bag)) < minSimilarity*all {
		return 0
	}
	n := overlap(x.bag, y.bag)
	if 2*100*n < minSimilarity*all {
		return 0
	}
	return int32(n)
}

// long aligns a gap too big for a table: by pairs that share rare words, each the other's best, then what is between
// them; without such pairs, half by half.
func (al *aligner) long(s span) {
	forth, back := al.partners(s)
	var found []pair
	for i, j := range forth {
		if j >= 0 && back[j] == i && al.common(s.a0+i, s.b0+j) > 0 {
			found = append(found, pair{s.a0 + i, s.b0 + j})
		}
	}
	found = rising(found)
	if len(found) == 0 {
		a, b := (s.a0+s.a1)/2, (s.b0+s.b1)/2
		al.halves(span{s.a0, a, s.b0, b})
		al.halves(span{a, s.a1, b, s.b1})
		return
	}
	at := span{s.a0, s.a0, s.b0, s.b0}
	for _, p := range append(found, pair{s.a1, s.b1}) {
		al.halves(span{at.a0, p.a, at.b0, p.b})
		if p.a < s.a1 {
			al.same(p.a, p.b)
		}
		at.a0, at.b0 = p.a+1, p.b+1
	}
}

// halves aligns by tables alone, cutting what is too big in the middle.
func (al *aligner) halves(s span) {
	n, m := s.a1-s.a0, s.b1-s.b0
	if n == 0 || m == 0 {
		return
	}
	if n*m <= maxCells {
		al.table(s)
		return
	}
	a, b := (s.a0+s.a1)/2, (s.b0+s.b1)/2
	al.halves(span{s.a0, a, s.b0, b})
	al.halves(span{a, s.a1, b, s.b1})
}

// partners gives, for each unit of either side of a gap, the unit of the other with which it shares most rare words, by
// index within the gap; -1 for none.
func (al *aligner) partners(s span) (forth, back []int) {
	holders := map[int32][]int{}
	al.prepareAll(al.left[s.a0:s.a1])
	al.prepareAll(al.right[s.b0:s.b1])
	for j := s.b0; j < s.b1; j++ {
		for _, w := range slices.Compact(slices.Clone(al.right[j].bag)) {
			if len(holders[w]) <= rareWord {
				holders[w] = append(holders[w], j-s.b0)
			}
		}
	}
	forth, back = make([]int, s.a1-s.a0), make([]int, s.b1-s.b0)
	backScore := make([]int, len(back))
	for j := range back {
		back[j] = -1
	}
	score := make([]int, len(back))
	for i := range forth {
		forth[i] = -1
		var touched []int
		for _, w := range slices.Compact(slices.Clone(al.left[s.a0+i].bag)) {
			if at := holders[w]; len(at) <= rareWord {
				for _, j := range at {
					if score[j]++; score[j] == 1 {
						touched = append(touched, j)
					}
				}
			}
		}
		for _, j := range touched {
			if forth[i] < 0 || score[j] > score[forth[i]] {
				forth[i] = j
			}
			if score[j] > backScore[j] {
				back[j], backScore[j] = i, score[j]
			}
		}
		for _, j := range touched {
			score[j] = 0
		}
	}
	return forth, back
}

// overlap counts the common elements of two sorted multisets.
func overlap(x, y []int32) int {
	n := 0
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] == y[j]:
			n, i, j = n+1, i+1, j+1
		case x[i] < y[j]:
			i++
		default:
			j++
		}
	}
	return n
}

func sortIDs(ids []int32) { slices.Sort(ids) }
