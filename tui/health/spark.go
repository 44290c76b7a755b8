package health

import "slices"

// levels are the heights that a column of text can show.
var levels = []rune("▁▂▃▄▅▆▇█")

// spark draws numbers as columns, the highest one full. Nothing at all is the lowest level, so that what was is told from
// what was not by its number beside it.
func spark(values []int) string {
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
