package diff

import (
	"slices"
	"sort"
)

// maxDepth bounds how often a gap between anchors is searched for anchors of its own.
const maxDepth = 6

// sink receives an alignment in order: equal elements, and the gaps between them.
type sink interface {
	same(a, b int)
	gap(s span)
}

// anchored aligns two sequences by elements that occur once on each side (patience diff, after Bram Cohen), and again
// within the gaps, where more elements are unique. ids is the number of different elements.
func anchored(a, b []int32, s span, ids int, out sink) {
	an := anchorer{a: a, b: b, out: out, countA: make([]int32, ids), countB: make([]int32, ids), at: make([]int, ids)}
	an.align(s, 0)
}

type anchorer struct {
	a, b           []int32
	out            sink
	countA, countB []int32 // by element, zero between uses
	at             []int   // where b has it
}

func (an *anchorer) align(s span, depth int) {
	for s.a0 < s.a1 && s.b0 < s.b1 && an.a[s.a0] == an.b[s.b0] {
		an.out.same(s.a0, s.b0)
		s.a0, s.b0 = s.a0+1, s.b0+1
	}
	tail := 0
	for s.a0 < s.a1 && s.b0 < s.b1 && an.a[s.a1-1] == an.b[s.b1-1] {
		tail, s.a1, s.b1 = tail+1, s.a1-1, s.b1-1
	}
	if s.a0 < s.a1 || s.b0 < s.b1 {
		an.middle(s, depth)
	}
	for i := range tail {
		an.out.same(s.a1+i, s.b1+i)
	}
}

// middle aligns what differs at both ends.
func (an *anchorer) middle(s span, depth int) {
	var anchors []pair
	if depth < maxDepth && s.a0 < s.a1 && s.b0 < s.b1 {
		anchors = rising(an.unique(s))
	}
	if len(anchors) == 0 {
		an.out.gap(s)
		return
	}
	at := s
	for _, p := range anchors {
		an.align(span{at.a0, p.a, at.b0, p.b}, depth+1)
		an.out.same(p.a, p.b)
		at.a0, at.b0 = p.a+1, p.b+1
	}
	an.align(at, depth+1)
}

// unique finds the elements that occur once on each side, in the order of a.
func (an *anchorer) unique(s span) []pair {
	for _, id := range an.a[s.a0:s.a1] {
		an.countA[id]++
	}
	for j := s.b0; j < s.b1; j++ {
		an.countB[an.b[j]]++
		an.at[an.b[j]] = j
	}
	var found []pair
	for i := s.a0; i < s.a1; i++ {
		if id := an.a[i]; an.countA[id] == 1 && an.countB[id] == 1 {
			found = append(found, pair{i, an.at[id]})
		}
	}
	for _, id := range an.a[s.a0:s.a1] {
		an.countA[id] = 0
	}
	for _, id := range an.b[s.b0:s.b1] {
		an.countB[id] = 0
	}
	return found
}

// rising keeps the longest run of pairs in which b rises as a does (which it does in the input).
func rising(pairs []pair) []pair {
	var tops []int // tops[k]: the pair that ends the best run of length k+1
	before := make([]int, len(pairs))
	for i, p := range pairs {
		k := sort.Search(len(tops), func(k int) bool { return pairs[tops[k]].b >= p.b })
		before[i] = -1
		if k > 0 {
			before[i] = tops[k-1]
		}
		if k == len(tops) {
			tops = append(tops, i)
		} else {
			tops[k] = i
		}
	}
	var out []pair
	if len(tops) > 0 {
		for i := tops[len(tops)-1]; i >= 0; i = before[i] {
			out = append(out, pairs[i])
		}
	}
	slices.Reverse(out)
	return out
}
