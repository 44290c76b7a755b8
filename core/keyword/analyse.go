package keyword

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// maxTokenBytes bounds a token. A longer run (an encoded picture, a line of dashes and digits) is cut there on both sides,
// so that what begins alike is still found.
const maxTokenBytes = 120

// maxStemBytes: longer words are not words of a language; stemming them costs time and finds nothing.
const maxStemBytes = 40

// wholePrefix marks the token of a whole identifier, unstemmed, so that it cannot be mistaken for a word.
const wholePrefix = "="

// token is one index term with the bytes of the text it came from.
type token struct {
	term       string
	start, end int
	stop       bool // a word too common to rank by
}

// analyse cuts a text into index terms (reference keyword-lane, "Analyser"): words stemmed and folded; identifiers, paths
// and versions as a whole, by path segment, by part and by camelCase piece; Chinese, Japanese and Korean as overlapping
// pairs of characters. It takes any text, valid or not.
func analyse(text string, emit func(token)) {
	a := analyser{text: text, emit: emit}
	for a.pos < len(text) {
		r, size := utf8.DecodeRuneInString(text[a.pos:])
		switch {
		case isCJK(r):
			a.pairs()
		case isWordRune(r):
			a.run()
		default:
			a.pos += size
		}
	}
}

type analyser struct {
	text string
	pos  int
	emit func(token)
}

// pairs emits a run of CJK characters as overlapping pairs; a lone one as itself.
func (a *analyser) pairs() {
	start, starts := a.pos, []int{}
	for a.pos < len(a.text) {
		r, size := utf8.DecodeRuneInString(a.text[a.pos:])
		if !isCJK(r) && !unicode.Is(unicode.Mn, r) {
			break
		}
		if isCJK(r) {
			starts = append(starts, a.pos)
		}
		a.pos += size
	}
	starts = append(starts, a.pos)
	if len(starts) == 2 {
		a.emit(token{term: fold(a.text[start:a.pos]), start: start, end: a.pos})
		return
	}
	for i := 0; i+2 < len(starts); i++ {
		a.emit(token{term: fold(a.text[starts[i]:starts[i+2]]), start: starts[i], end: starts[i+2]})
	}
}

// piece is one alphanumeric part of a run, with the connector that stands before it.
type piece struct {
	start, end int
	before     rune
}

// run emits a run of parts that connectors join: snake_case, pkg.Func, --dry-run, /etc/nginx/nginx.conf, v1.2.3.
func (a *analyser) run() {
	var pieces []piece
	before := rune(0)
	for {
		from := a.pos
		a.skipWord()
		pieces = append(pieces, piece{from, a.pos, before})
		conn, size := utf8.DecodeRuneInString(a.text[a.pos:])
		next, _ := utf8.DecodeRuneInString(a.text[a.pos+min(size, len(a.text)-a.pos):])
		if size == 0 || !isConnector(conn) || !isWordRune(next) || isCJK(next) {
			break
		}
		before = conn
		a.pos += size
	}
	for _, p := range pieces {
		// What follows an apostrophe (isn't, Anna's) is grammar, not a word.
		if isApostrophe(p.before) && p.end-p.start <= 2 {
			continue
		}
		a.word(p.start, p.end)
		for _, c := range camelPieces(a.text[p.start:p.end]) {
			a.word(p.start+c[0], p.start+c[1])
		}
	}
	a.wholes(pieces)
	a.suffixed(pieces)
}

func (a *analyser) skipWord() {
	for a.pos < len(a.text) {
		r, size := utf8.DecodeRuneInString(a.text[a.pos:])
		if isCJK(r) || !isWordRune(r) && !unicode.Is(unicode.Mn, r) {
			return
		}
		a.pos += size
	}
}

// word emits one part, folded and stemmed.
func (a *analyser) word(start, end int) {
	// A few letters, such as the lone iota below (U+037A), come apart into a space and a mark.
	w := cut(strings.ReplaceAll(strings.ToLower(fold(a.text[start:end])), " ", ""))
	stop := stopWords[w]
	if len(w) <= maxStemBytes && !stop {
		w = english.Stem(w, true)
	}
	if w == "" {
		return
	}
	a.emit(token{term: w, start: start, end: end, stop: stop})
}

// wholes emits a compound as a whole, and each segment of a path that is itself a compound, so that nginx.conf is found in
// /etc/nginx/nginx.conf. A run that only hyphens or apostrophes join is prose; its parts say enough (measured: no gain).
func (a *analyser) wholes(pieces []piece) {
	if len(pieces) < 2 {
		return
	}
	from, segments := 0, 0
	for i := 1; i <= len(pieces); i++ {
		if i < len(pieces) && !isSeparator(pieces[i].before) {
			continue
		}
		a.whole(pieces[from:i])
		from = i
		segments++
	}
	if segments > 1 {
		a.whole(pieces)
	}
}

func (a *analyser) whole(pieces []piece) {
	prose := true
	for _, p := range pieces[1:] {
		prose = prose && (p.before == '-' || isApostrophe(p.before))
	}
	if prose {
		return
	}
	start, end := pieces[0].start, pieces[len(pieces)-1].end
	w := strings.ToLower(fold(a.text[start:end]))
	a.emit(token{term: wholePrefix + cut(w), start: start, end: end})
	if len(w) > 2 && w[0] == 'v' && w[1] >= '0' && w[1] <= '9' { // v1.2.3 and 1.2.3 are one version
		a.emit(token{term: wholePrefix + cut(w[1:]), start: start + 1, end: end})
	}
}

// suffixed emits C++, C# and F# whole: the sign is the name's half.
func (a *analyser) suffixed(pieces []piece) {
	if len(pieces) != 1 || pieces[0].end-pieces[0].start > 2 {
		return
	}
	rest := a.text[a.pos:]
	var suffix string
	switch {
	case strings.HasPrefix(rest, "++"):
		suffix = "++"
	case strings.HasPrefix(rest, "#"):
		suffix = "#"
	default:
		return
	}
	name := strings.ToLower(fold(a.text[pieces[0].start:pieces[0].end]))
	a.emit(token{term: wholePrefix + name + suffix, start: pieces[0].start, end: a.pos + len(suffix)})
	a.pos += len(suffix)
}

// camelPieces gives the byte ranges of the pieces of getUserName or HTTPServer, none when the word has but one. A piece of
// a single letter is no word of its own: then the name stays whole.
func camelPieces(word string) [][2]int {
	var pieces [][2]int
	runes, offsets := []rune(word), make([]int, 0, len(word)+1)
	for i := range word {
		offsets = append(offsets, i)
	}
	offsets = append(offsets, len(word))
	from := 0
	for i := 1; i < len(runes) && len(offsets) == len(runes)+1; i++ {
		lowerUpper := unicode.IsLower(runes[i-1]) && unicode.IsUpper(runes[i])
		endOfCaps := unicode.IsUpper(runes[i-1]) && unicode.IsUpper(runes[i]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if !lowerUpper && !endOfCaps {
			continue
		}
		if i-from < 2 {
			return nil
		}
		pieces = append(pieces, [2]int{offsets[from], offsets[i]})
		from = i
	}
	if from == 0 || len(runes)-from < 2 {
		return nil
	}
	return append(pieces, [2]int{offsets[from], len(word)})
}

// fold takes off accents and width and unites composed and decomposed forms (cases 52, 74). The voicing marks of kana stay,
// since they make another letter.
func fold(s string) string {
	ascii := true
	for i := 0; i < len(s) && ascii; i++ {
		ascii = s[i] < utf8.RuneSelf
	}
	if ascii {
		return s
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(s) {
		if unicode.Is(unicode.Mn, r) && r != '\u3099' && r != '\u309a' {
			continue
		}
		if plain, ok := foldedLetters[r]; ok {
			b.WriteString(plain)
			continue
		}
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}

// foldedLetters are those that do not come apart by decomposition, though people type them apart.
var foldedLetters = map[rune]string{
	'ß': "ss", 'ẞ': "SS", 'æ': "ae", 'Æ': "AE", 'œ': "oe", 'Œ': "OE", 'ø': "o", 'Ø': "O", 'ł': "l", 'Ł': "L", 'đ': "d", 'Đ': "D", 'ı': "i",
}

// cut shortens an over-long token, on a rune's border.
func cut(s string) string {
	if len(s) <= maxTokenBytes {
		return s
	}
	end := maxTokenBytes
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r))
}

func isCJK(r rune) bool {
	return r >= 0x1100 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 0x30FC)
}

func isConnector(r rune) bool { return strings.ContainsRune("_.-/:@+#'’\\", r) }

// isSeparator tells the connectors that part a path, an address or a qualified name into segments.
func isSeparator(r rune) bool { return strings.ContainsRune("/:@#\\", r) && r != 0 }

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }

// stopWords are too common to rank by: the list that search engines have shipped since Lucene (33 words).
var stopWords = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields("a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with") {
		set[w] = true
	}
	return set
}()
