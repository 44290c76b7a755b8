package wiki

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// MaxSnippetRunes bounds a snippet, marks and ellipses included (facts §3.4).
const MaxSnippetRunes = 300

// SnippetMark stands before and after each match in a snippet.
const SnippetMark = "**"

const snippetEllipsis = "…"

// Span is a stretch of a text, in bytes.
type Span struct{ Start, End int }

// MergeSpans orders spans and joins those that overlap.
func MergeSpans(spans []Span) []Span {
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	var out []Span
	for _, s := range spans {
		if n := len(out); n > 0 && s.Start < out[n-1].End {
			out[n-1].End = max(out[n-1].End, s.End)
			continue
		}
		out = append(out, s)
	}
	return out
}

// Window of a snippet, in bytes: a little less than its runes, so that marks find room.
const (
	snippetWindow   = 240
	snippetLookBack = 90 // how far before the first match its sentence may begin
)

// Snippet cuts the stretch of a text that holds the most different matches, begins where their sentence does if that is
// near, and marks them. Blanks and line ends become one space; control characters go, and so do doubled stars, which would
// read as marks. It is cut on the borders of what a reader sees as one character (case 70). matches are in order and apart;
// from is the byte to begin at when there are none.
func Snippet(text string, matches []Span, from int) string {
	start := snippetStart(text, matches, from)
	s := snippet{budget: MaxSnippetRunes - 1} // the ellipsis behind
	if start > 0 {
		s.add(snippetEllipsis)
	}
	rest, pos, state := text[start:], start, -1
	for len(rest) > 0 {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		for len(matches) > 0 && pos >= matches[0].End {
			matches = matches[1:]
		}
		marked := len(matches) > 0 && pos >= matches[0].Start
		if shown := s.shown(cluster, text, pos); shown != "" && !s.put(shown, marked) {
			return s.end(snippetEllipsis)
		}
		pos += len(cluster)
	}
	return s.end("")
}

// snippet is a snippet in the making.
type snippet struct {
	b      strings.Builder
	budget int // runes left
	marked bool
	spaced bool // the last character was a space
}

func (s *snippet) add(part string) {
	s.b.WriteString(part)
	s.budget -= utf8.RuneCountInString(part)
}

// shown is how a character appears, empty when it does not.
func (s *snippet) shown(cluster, text string, pos int) string {
	first, _ := utf8.DecodeRuneInString(cluster)
	switch {
	case unicode.IsSpace(first):
		if s.spaced || s.b.Len() == 0 {
			return ""
		}
		return " "
	case unicode.IsControl(first):
		return ""
	case cluster == "*" && (strings.HasPrefix(text[pos+1:], "*") || strings.HasSuffix(text[:pos], "*")):
		return ""
	}
	return strings.ToValidUTF8(cluster, "\uFFFD")
}

// put adds a character, inside or outside of a mark; false when it does not fit.
func (s *snippet) put(shown string, marked bool) bool {
	need := utf8.RuneCountInString(shown)
	if marked != s.marked {
		need += len(SnippetMark)
	}
	if marked {
		need += len(SnippetMark) // to close it again
	}
	if s.budget < need {
		return false
	}
	if marked != s.marked {
		s.add(SnippetMark)
		s.marked = marked
	}
	s.add(shown)
	s.spaced = shown == " "
	return true
}

func (s *snippet) end(ellipsis string) string {
	if s.marked {
		s.add(SnippetMark)
	}
	return strings.TrimSpace(s.b.String()) + ellipsis
}

// snippetStart picks where the snippet begins.
func snippetStart(text string, matches []Span, from int) int {
	if len(matches) == 0 {
		return sentenceStart(text, min(max(from, 0), len(text)))
	}
	best, most := 0, 0
	for i := range matches {
		words := map[string]bool{}
		for _, m := range matches[i:] {
			if m.End > matches[i].Start+snippetWindow {
				break
			}
			words[strings.ToLower(text[m.Start:m.End])] = true
		}
		if len(words) > most {
			best, most = i, len(words)
		}
	}
	return sentenceStart(text, matches[best].Start)
}

// sentenceStart goes back from a byte to where its sentence, line or at least its word begins.
func sentenceStart(text string, at int) int {
	low := max(at-snippetLookBack, 0)
	for low < at && !utf8.RuneStart(text[low]) {
		low++
	}
	if low == 0 && !strings.ContainsAny(text[:at], "\n") {
		return 0
	}
	word := at
	for i := at; i > low; i-- {
		before := text[i-1]
		if before == '\n' || before == ' ' && i > 1 && strings.IndexByte(".!?", text[i-2]) >= 0 {
			return i
		}
		if before == ' ' && at-i < snippetLookBack/2 {
			word = i
		}
	}
	if low == 0 {
		return 0
	}
	for word < len(text) && !utf8.RuneStart(text[word]) {
		word++
	}
	return word
}
