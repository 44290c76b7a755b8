// Package spark draws numbers as columns of text, a character each. It is pure.
package spark

import "slices"

// levels are the heights that a column of text can show.
var levels = []rune("▁▂▃▄▅▆▇█")

// Line draws numbers from 0 up, the highest one full. The lowest level is nothing: what little there was stands above it.
func Line(values []int) string {
	if len(values) == 0 {
		return ""
	}
	most := slices.Max(values)
	out := make([]rune, len(values))
	for i, v := range values {
		level := 0
		if most > 0 && v > 0 {
			level = max(1, v*(len(levels)-1)/most)
		}
		out[i] = levels[level]
	}
	return string(out)
}
