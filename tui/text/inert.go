package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TabStop is the distance between two tab stops, in columns.
const TabStop = 4

// maxMarks is how many combining marks one character keeps. Real scripts stack up to four; more is noise that paints
// over the lines above and below.
const maxMarks = 4

// Inert makes s safe to draw on a terminal. In the result every character is printable, save line feeds:
//
//   - line ends of any kind become "\n", tabs are expanded;
//   - control characters (C0, DEL, C1) become a visible sign, so an escape sequence shows as the text that it is;
//   - bidirectional overrides, embeddings and isolates become their name in brackets, as do the invisible tag
//     characters, which can hide a message: a curator should see that they are there;
//   - other invisible characters (zero-width spaces, byte-order marks, soft hyphens, fillers) are dropped;
//   - joiners and presentation selectors between emoji are dropped, because terminals disagree on the width of a joined
//     emoji: its parts are shown side by side instead. Joiners inside words of scripts that need them stay;
//   - combining marks beyond a sane number are dropped, and one with nothing to stand on, or with a space that a line may end at, gets a dotted circle;
//   - invalid UTF-8 becomes U+FFFD.
//
// Inert text stays as it is when made inert again.
func Inert(s string) string {
	if isPlain(s) {
		return s
	}
	w := inertWriter{base: true}
	w.out.Grow(len(s) + len(s)/8)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == '\r' && strings.HasPrefix(s[i+1:], "\n") {
			i++
			continue
		}
		next, _ := utf8.DecodeRuneInString(s[i+n:])
		w.rune(r, next)
		i += n
	}
	w.endTags()
	return w.out.String()
}

// InertLine is Inert for a title or a name: one line, runs of white space made one space, none at the ends.
func InertLine(s string) string { return strings.Join(strings.Fields(Inert(s)), " ") }

// isPlain says whether s is nothing but printable ASCII and line feeds, the usual case.
func isPlain(s string) bool {
	for i := range len(s) {
		if (s[i] < ' ' && s[i] != '\n') || s[i] > '~' {
			return false
		}
	}
	return true
}

// inertWriter builds inert text rune by rune.
type inertWriter struct {
	out     strings.Builder
	col     int // columns of the current line, up to the byte seen of out: for tab stops
	seen    int
	prev    rune
	marks   int  // combining marks since the last base character
	base    bool // nothing stands before on this line: a mark would land on a foreign cell
	tagging bool // inside a run of tag characters
}

func (w *inertWriter) rune(r, next rune) {
	if !isTag(r) {
		w.endTags()
	}
	switch {
	case r == '\n', r == '\r', r == '\v', r == '\f', r == 0x85, r == 0x2028, r == 0x2029:
		w.newline()
	case r == '\t':
		w.tab()
	case r < ' ':
		w.put(0x2400 + r)
	case r == 0x7f:
		w.put('␡')
	case r < 0xa0 && r > 0x7f:
		w.name(fmt.Sprintf("⟨%02X⟩", r))
	case bidiNames[r] != "":
		w.name("⟨" + bidiNames[r] + "⟩")
	case isTag(r):
		w.tag(r)
	case r == 0x200c || r == 0x200d: // joiners
		if joins(w.prev) && joins(next) {
			w.out.WriteRune(r)
		}
	case isDropped(r):
	case unicode.Is(unicode.M, r):
		w.mark(r)
	default:
		w.put(r)
	}
}

func (w *inertWriter) newline() {
	w.out.WriteByte('\n')
	w.col, w.seen = 0, w.out.Len()
	w.prev, w.marks, w.base = '\n', 0, true
}

func (w *inertWriter) tab() {
	w.col += Width(w.out.String()[w.seen:])
	w.seen = w.out.Len()
	for range TabStop - w.col%TabStop {
		w.put(' ')
	}
}

func (w *inertWriter) put(r rune) {
	w.out.WriteRune(r)
	w.prev, w.marks, w.base = r, 0, false
}

func (w *inertWriter) name(s string) {
	w.out.WriteString(s)
	w.prev, w.marks, w.base = '⟩', 0, false
}

func (w *inertWriter) mark(r rune) {
	if w.base || isSpace(w.prev) {
		w.put('◌')
	}
	if w.marks++; w.marks <= maxMarks {
		w.out.WriteRune(r)
		w.prev = r
	}
}

// tag shows a tag character as the ASCII character that it mirrors.
func (w *inertWriter) tag(r rune) {
	if !w.tagging {
		w.out.WriteString("⟨hidden ")
		w.tagging = true
	}
	if c := r - 0xe0000; c > ' ' && c <= '~' {
		w.put(c)
	} else {
		w.put('_')
	}
}

func (w *inertWriter) endTags() {
	if w.tagging {
		w.put('⟩')
		w.tagging = false
	}
}

// bidiNames are the characters that change the direction of what follows (UAX 9, section 2).
var bidiNames = map[rune]string{
	0x202a: "LRE", 0x202b: "RLE", 0x202c: "PDF", 0x202d: "LRO", 0x202e: "RLO",
	0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI",
}

func isTag(r rune) bool { return r >= 0xe0000 && r <= 0xe007f }

// isDropped says whether r is invisible and means nothing on a terminal, or makes its width uncertain.
func isDropped(r rune) bool {
	switch {
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef, r >= 0x180b && r <= 0x180f: // variation selectors
		return true
	case r >= 0x1f3fb && r <= 0x1f3ff: // skin tones: one more emoji where they are not joined
		return true
	case r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x17b4, r == 0x17b5, r == 0x034f: // fillers
		return true
	}
	return unicode.Is(unicode.Cf, r) || r >= 0xfff0 && r <= 0xfff8 || r > 0xe0fff
}

// joins says whether a joiner beside r shapes letters, as in Persian and the scripts of India.
func joins(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.M, r) }
