package keyword

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxQueryTerms bounds what one query looks up; what follows in a pasted page is left out.
	maxQueryTerms = 64
	// keepStopWords: a query of up to this many words keeps its stop words, which are found in titles.
	keepStopWords = 3
)

// parsed is a query as it is understood. Any text is a query: what does not parse as syntax is literal (case 53).
type parsed struct {
	terms    []string // any of them; each once
	required []clause // quoted phrases: all must hold
	excluded []clause // none may hold
}

// clause is a condition on one article: it has all the terms and, for a phrase, the words in a row.
type clause struct {
	terms  []string
	phrase string // plain form, see plain; empty for a word
}

// parse reads a query: words; "quoted phrases", which must stand so; -word and -"a phrase", which must not. A minus excludes
// only at the start of a word of at least two letters: --flag, -x, -5 and a-b are literal, and a query that would only
// exclude is taken by its words.
func parse(text string) parsed {
	var p parsed
	var words []token
	for _, part := range split(text) {
		c := part.clause()
		switch {
		case part.excluded && len(c.terms) > 0:
			p.excluded = append(p.excluded, c)
		case !part.excluded:
			words = append(words, part.tokens()...)
			if c.phrase != "" && len(c.terms) > 0 {
				p.required = append(p.required, c)
			}
		}
	}
	if len(words) == 0 && len(p.excluded) > 0 {
		p.excluded = nil
		analyse(text, func(t token) { words = append(words, t) })
	}
	p.terms = distinct(words)
	return p
}

// distinct gives the terms to look up: each once, without stop words unless the query is short or has nothing else.
func distinct(words []token) []string {
	kept, parts := 0, 0
	for _, w := range words {
		if !strings.HasPrefix(w.term, wholePrefix) {
			parts++
		}
		if !w.stop {
			kept++
		}
	}
	var terms []string
	seen := map[string]bool{}
	for _, w := range words {
		if seen[w.term] || w.stop && kept > 0 && parts > keepStopWords || len(terms) == maxQueryTerms {
			continue
		}
		seen[w.term] = true
		terms = append(terms, w.term)
	}
	return terms
}

// part is a stretch of the query: plain text, a phrase, or what is to be left out.
type part struct {
	text     string
	phrase   bool
	excluded bool
}

func (p part) tokens() (tokens []token) {
	analyse(p.text, func(t token) { tokens = append(tokens, t) })
	return tokens
}

func (p part) clause() (c clause) {
	for _, t := range p.tokens() {
		// A phrase is borne out by the text: its whole identifiers may stand there as a part of longer ones.
		if t.stop || p.phrase && strings.HasPrefix(t.term, wholePrefix) {
			continue
		}
		c.terms = append(c.terms, t.term)
	}
	if p.phrase {
		c.phrase = plain(p.text)
	}
	return c
}

// split cuts a query at quotes and exclusions. A quote without its second half is literal.
func split(text string) (parts []part) {
	from, pos := 0, 0
	flush := func(end int) {
		if end > from {
			parts = append(parts, part{text: text[from:end]})
		}
	}
	for pos < len(text) {
		excluded := atExclusion(text, pos)
		start := pos
		if excluded {
			start++
		}
		if body, next, ok := quoted(text, start); ok {
			flush(pos)
			parts = append(parts, part{text: body, phrase: true, excluded: excluded})
			from, pos = next, next
			continue
		}
		if excluded {
			end := start + strings.IndexFunc(text[start:]+" ", unicode.IsSpace)
			flush(pos)
			parts = append(parts, part{text: text[start:end], excluded: true})
			from, pos = end, end
			continue
		}
		_, size := utf8.DecodeRuneInString(text[pos:])
		pos += size
	}
	flush(len(text))
	return parts
}

// atExclusion says whether a minus at pos excludes what follows.
func atExclusion(text string, pos int) bool {
	if text[pos] != '-' {
		return false
	}
	if before, _ := utf8.DecodeLastRuneInString(text[:pos]); pos > 0 && !unicode.IsSpace(before) {
		return false
	}
	rest := text[pos+1:]
	if _, _, ok := quoted(text, pos+1); ok {
		return true
	}
	first, size := utf8.DecodeRuneInString(rest)
	second, _ := utf8.DecodeRuneInString(rest[size:])
	return unicode.IsLetter(first) && (isWordRune(second) || isCJK(first))
}

// quoted reads a phrase in straight or curly quotes at pos, and where the text goes on after it.
func quoted(text string, pos int) (body string, next int, ok bool) {
	for _, marks := range [][2]string{{`"`, `"`}, {"“", "”"}, {"„", "“"}} {
		rest, opens := strings.CutPrefix(text[pos:], marks[0])
		if !opens {
			continue
		}
		body, _, closed := strings.Cut(rest, marks[1])
		if closed && strings.TrimSpace(body) != "" {
			return body, pos + len(marks[0]) + len(body) + len(marks[1]), true
		}
	}
	return "", pos, false
}

// plain is the form in which a phrase and a text are compared: folded, in lower case, blanks as one space.
func plain(text string) string {
	return strings.Join(strings.Fields(strings.ToLower(fold(text))), " ")
}

// holds says whether a phrase stands in a text, both plain, at the borders of words.
func holds(text, phrase string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], phrase)
		if at < 0 || phrase == "" {
			return false
		}
		start, end := from+at, from+at+len(phrase)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		first, _ := utf8.DecodeRuneInString(phrase)
		last, _ := utf8.DecodeLastRuneInString(phrase)
		if border(before, first) && border(after, last) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		from = start + size
	}
}

// border says whether a word ends between an inner rune and its neighbour outside.
func border(outside, inside rune) bool {
	return !isWordRune(outside) || !isWordRune(inside) || isCJK(outside) || isCJK(inside)
}
