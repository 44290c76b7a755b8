package wiki

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// MaxSummaryBytes bounds a summary, its ellipsis included (facts §8).
const MaxSummaryBytes = 160

// Summary is the beginning of a text in one line: its first paragraph that is no heading, or the heading when there is
// nothing else. It is cut on the border of a character as a reader sees one (case 70), at a word if one ends near.
func Summary(body string) string {
	line := firstParagraph(body)
	if len(line) <= MaxSummaryBytes {
		return line
	}
	const room = MaxSummaryBytes - len(snippetEllipsis)
	cut, rest, state := 0, line, -1
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if cut+len(cluster) > room {
			break
		}
		cut += len(cluster)
	}
	if word := strings.LastIndexByte(line[:cut], ' '); word > room/2 {
		cut = word
	}
	return line[:cut] + snippetEllipsis
}

func firstParagraph(body string) string {
	heading := ""
	for _, part := range strings.Split(strings.ToValidUTF8(strings.ReplaceAll(body, "\r\n", "\n"), "\uFFFD"), "\n\n") {
		var kept []string
		for _, line := range strings.Split(part, "\n") {
			line = strings.Join(strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
			if title := strings.TrimLeft(line, "#"); title != line {
				if heading == "" {
					heading = strings.TrimSpace(title)
				}
				continue
			}
			if line != "" {
				kept = append(kept, line)
			}
		}
		if len(kept) > 0 {
			return strings.Join(kept, " ")
		}
	}
	return heading
}
