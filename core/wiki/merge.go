package wiki

import (
	"strings"
)

// MergeBodies joins two texts by their structure: sections of one heading come together, the rest of the other text
// follows where its parent section ends. Every line of both sides is kept; a paragraph that the lead has word for word is
// kept once. What comes from the other side is announced by its title, so that whoever reviews the draft sees the seams.
func MergeBodies(lead, other, otherTitle string) string {
	a, b := parseSections(lead), parseSections(other)
	m := merger{has: map[string]bool{}, from: `From "` + oneLine(otherTitle) + `":`}
	m.note(a)
	if x, y := a.document(), b.document(); x != nil && y != nil && x.heading != y.heading {
		// Two documents with a title line each are one document; the other's title line is kept as text.
		y.blocks = append([]string{strings.TrimLeft(y.heading, "# ")}, y.blocks...)
		y.heading = x.heading
	}
	m.merge(a, b)
	var out []string
	a.render(&out)
	return strings.Join(out, "\n\n") + "\n"
}

// section is a heading with the blocks below it and the sections within it. The root has no heading.
type section struct {
	heading  string // as written, blanks collapsed
	level    int    // 1 to 6; 0 = the root
	blocks   []string
	children []*section
}

// document is the one section that holds the whole text, when the text is so built.
func (s *section) document() *section {
	if len(s.blocks) == 0 && len(s.children) == 1 && s.children[0].level == 1 {
		return s.children[0]
	}
	return nil
}

func (s *section) render(out *[]string) {
	if s.heading != "" {
		*out = append(*out, s.heading)
	}
	*out = append(*out, s.blocks...)
	for _, child := range s.children {
		child.render(out)
	}
}

type merger struct {
	has  map[string]bool // the lead's blocks
	from string
}

func (m merger) note(s *section) {
	for _, block := range s.blocks {
		m.has[block] = true
	}
	for _, child := range s.children {
		m.note(child)
	}
}

func (m merger) merge(into, other *section) {
	announced := false
	for _, block := range other.blocks {
		if m.has[block] {
			continue
		}
		if !announced {
			into.blocks, announced = append(into.blocks, m.from), true
		}
		into.blocks = append(into.blocks, block)
	}
	for _, child := range other.children {
		if same := into.child(child.heading); same != nil {
			m.merge(same, child)
			continue
		}
		into.children = append(into.children, child)
	}
}

func (s *section) child(heading string) *section {
	for _, c := range s.children {
		if c.heading == heading {
			return c
		}
	}
	return nil
}

// parseSections reads the headings ("#" to "######") and the blocks between blank lines; a fenced code block is one block
// whatever it holds, and one that is never closed is closed at the end of the text.
func parseSections(text string) *section {
	root := &section{}
	path := []*section{root}
	var block []string
	fence := ""
	flush := func() {
		if len(block) > 0 {
			current := path[len(path)-1]
			current.blocks = append(current.blocks, strings.Join(block, "\n"))
			block = nil
		}
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	for raw := range strings.SplitSeq(text, "\n") {
		line := strings.TrimRight(raw, " \t")
		switch level := headingLevel(line); {
		case fence != "":
			block = append(block, raw)
			if closesFence(line, fence) {
				fence = ""
				flush()
			}
		case opensFence(line) != "":
			fence = opensFence(line)
			block = append(block, raw)
		case level > 0:
			flush()
			for path[len(path)-1].level >= level {
				path = path[:len(path)-1]
			}
			s := &section{heading: strings.Join(strings.Fields(line), " "), level: level}
			parent := path[len(path)-1]
			parent.children = append(parent.children, s)
			path = append(path, s)
		case line == "":
			flush()
		default:
			block = append(block, raw)
		}
	}
	if fence != "" {
		block = append(block, fence)
	}
	flush()
	return root
}

func headingLevel(line string) int {
	trimmed := strings.TrimLeft(line, " ")
	if len(line)-len(trimmed) > 3 {
		return 0
	}
	level := 0
	for level < len(trimmed) && trimmed[level] == '#' {
		level++
	}
	if level > 6 || level == len(trimmed) || trimmed[level] != ' ' {
		return 0
	}
	return level
}

// opensFence gives the fence that a line opens, such as "```", or "".
func opensFence(line string) string {
	trimmed := strings.TrimLeft(line, " ")
	if len(line)-len(trimmed) > 3 {
		return ""
	}
	for _, mark := range []string{"`", "~"} {
		n := len(trimmed) - len(strings.TrimLeft(trimmed, mark))
		if n >= 3 && (mark == "~" || !strings.Contains(trimmed[n:], mark)) {
			return strings.Repeat(mark, n)
		}
	}
	return ""
}

func closesFence(line, fence string) bool {
	trimmed := strings.Trim(line, " ")
	return len(trimmed) >= len(fence) && strings.Trim(trimmed, fence[:1]) == ""
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
