package diff

import "strings"

// Signs of what differs in a merged text, at the start of a line.
const (
	markFirst  = "<<<<<<< "
	markMiddle = "======="
	markSecond = ">>>>>>> "
)

// Merge makes one text of two for an editor: what is alike stands once, what differs stands twice between marks that name
// the sides.
func Merge(first, second, firstName, secondName string) string {
	var out, a, b strings.Builder
	flush := func() {
		if a.Len()+b.Len() == 0 {
			return
		}
		out.WriteString(ended(out.String()))
		out.WriteString(markFirst + firstName + "\n" + a.String() + ended(a.String()) + markMiddle + "\n" + b.String() + ended(b.String()) + markSecond + secondName + "\n")
		a.Reset()
		b.Reset()
	}
	for _, block := range Compute(first, second, Options{}).Blocks {
		if !block.Changed() {
			flush()
		}
		for _, r := range block.Runs {
			if block.Changed() {
				a.WriteString(r.A)
				b.WriteString(r.B)
			} else {
				out.WriteString(r.A)
			}
		}
	}
	flush()
	return out.String()
}

// ended is the line break that a text lacks at its end.
func ended(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return ""
	}
	return "\n"
}

// Unmerged says whether a text still has marks of Merge.
func Unmerged(s string) bool {
	first, second := false, false
	for line := range strings.Lines(s) {
		first = first || strings.HasPrefix(line, markFirst)
		second = second || strings.HasPrefix(line, markSecond)
	}
	return first || second
}
