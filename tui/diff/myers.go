package diff

import "slices"

// maxEdits bounds the edits of one shortest edit script; memory grows with its square (2 MB at the bound).
const maxEdits = 700

// shortest aligns two sequences by the shortest edit script (Myers, "An O(ND) Difference Algorithm", 1986, with the
// greedy forward search and its trace). steps is the budget, taken from as it works. When the budget or maxEdits does
// not suffice, only the common start and end are aligned.
func shortest(a, b []int32, steps *int) []pair {
	var out []pair
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		out = append(out, pair{head, head})
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(x) > 0 && len(y) > 0 {
		for _, p := range search(x, y, steps) {
			out = append(out, pair{p.a + head, p.b + head})
		}
	}
	for i := tail; i > 0; i-- {
		out = append(out, pair{len(a) - i, len(b) - i})
	}
	return out
}

// search finds how far each diagonal reaches with d edits, for growing d, until one reaches the end.
func search(a, b []int32, steps *int) []pair {
	n, m := int32(len(a)), int32(len(b))
	limit := min(int(n+m), maxEdits)
	reach := make([]int32, 2*limit+3) // reach[k+limit+1]: the furthest x on diagonal k = x-y
	var trace [][]int32
	for d := 0; d <= limit; d++ {
		trace = append(trace, slices.Clone(reach[limit+1-d:limit+2+d]))
		for k := -d; k <= d; k += 2 {
			at := k + limit + 1
			var x int32
			if k == -d || (k != d && reach[at-1] < reach[at+1]) {
				x = reach[at+1]
			} else {
				x = reach[at-1] + 1
			}
			start := x
			for y := x - int32(k); x < n && y < m && a[x] == b[y]; y++ {
				x++
			}
			reach[at] = x
			if *steps -= int(x-start) + 1; *steps < 0 {
				*steps = 0
				return nil
			}
			if x >= n && x-int32(k) >= m {
				return walk(trace, d, n, m)
			}
		}
	}
	return nil
}

// walk goes back from the end through the trace and collects the diagonals.
func walk(trace [][]int32, edits int, x, y int32) []pair {
	var out []pair
	for d := edits; d > 0; d-- {
		reach := trace[d] // of d-1 edits; index k+d
		k := int(x - y)
		var prev int
		if k == -d || (k != d && reach[k-1+d] < reach[k+1+d]) {
			prev = k + 1
		} else {
			prev = k - 1
		}
		px := reach[prev+d]
		py := px - int32(prev)
		for x > px && y > py {
			x, y = x-1, y-1
			out = append(out, pair{int(x), int(y)})
		}
		x, y = px, py
	}
	for x > 0 && y > 0 {
		x, y = x-1, y-1
		out = append(out, pair{int(x), int(y)})
	}
	slices.Reverse(out)
	return out
}
