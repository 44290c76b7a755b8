package diff

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// unit is what a reader takes for one thing: a paragraph, a list item, a heading, a line of code or of a table, with the
// line ends and empty lines that follow it.
type unit struct {
	text   string
	key    string // equal keys mean equal units; text itself unless white space is ignored
	id     int32  // equal keys have equal ids
	tokens []token
	bag    []int32 // sorted numbers of its words: what similarity is measured on
	ready  bool    // tokens and bag are made, on demand
}

// token is a word, a run of white space or a piece of punctuation: text[from:to] of its unit.
type token struct {
	id       int32
	from, to int32
	kind     tokenKind
}

// First guesses at how much memory is needed: what tokens (spaces counted) and units of prose have at least.
const (
	bytesPerToken = 3
	bytesPerUnit  = 5
)

// chunk is how many elements room takes from the allocator at once: units are many and small.
const chunk = 4096

// room gives an empty slice that can hold n elements. One that outgrows it moves, as slices do.
func room[T any](from *[]T, n int) []T {
	if cap(*from)-len(*from) < n {
		*from = make([]T, 0, max(n, chunk))
	}
	at := len(*from)
	*from = (*from)[:at+n]
	return (*from)[at : at : at+n]
}

type tokenKind uint8

const (
	punctuation tokenKind = iota
	word
	space
)

// split cuts a text into units. Joined, they are the text.
func (c *comparer) split(s string) []unit {
	units := make([]unit, 0, min(strings.Count(s, "\n"), len(s)/bytesPerUnit)+1)
	start, fenced, blank, coded := 0, false, true, false
	for at := 0; at < len(s); {
		end := at + strings.IndexByte(s[at:], '\n') + 1
		if end == at {
			end = len(s)
		}
		line := strings.TrimLeft(s[at:end], " \t")
		indented := strings.HasPrefix(s[at:end], "    ") || s[at] == '\t'
		code := indented && (blank || fenced || coded) // indented code
		empty := strings.TrimSpace(line) == ""
		fence := strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
		if !empty && at > start && (blank || fenced || fence || code || coded || startsUnit(line)) {
			units = append(units, c.unit(s[start:at]))
			start = at
		}
		coded = code && !empty
		blank = empty || !fenced && strings.HasPrefix(line, "#") // a heading ends with its line
		if fence {
			fenced, blank = !fenced, true
		}
		at = end
	}
	if start < len(s) {
		units = append(units, c.unit(s[start:]))
	}
	return units
}

// startsUnit says whether a line begins a list item, a heading, a quote or a row of a table.
func startsUnit(line string) bool {
	digits := strings.TrimLeft(line, "0123456789")
	if n := len(line) - len(digits); n > 0 && n < 4 {
		return strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") ")
	}
	for _, mark := range []string{"- ", "* ", "+ ", "#", "|", ">"} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

func (c *comparer) unit(s string) unit {
	if c.IgnoreSpace {
		return unit{text: s, key: strings.Join(strings.Fields(s), " ")}
	}
	return unit{text: s, key: s}
}

func (c *comparer) prepareAll(units []unit) {
	for i := range units {
		c.prepare(&units[i])
	}
}

// prepare makes a unit's tokens and bag.
func (c *comparer) prepare(u *unit) {
	if u.ready {
		return
	}
	u.ready = true
	u.tokens = room(&c.tokens, 1+len(u.text)/bytesPerToken)
	for it := words.FromString(u.text); it.Next(); {
		kind := kindOf(it.Value())
		last := len(u.tokens) - 1
		if kind == space && last >= 0 && u.tokens[last].kind == space {
			u.tokens[last].to = int32(it.End())
			continue
		}
		u.tokens = append(u.tokens, token{from: int32(it.Start()), to: int32(it.End()), kind: kind})
	}
	u.bag = room(&c.bags, (1+len(u.tokens))/2)
	for i := range u.tokens {
		t := &u.tokens[i]
		t.id = c.number(u.text[t.from:t.to], t.kind)
		if t.kind == word {
			u.bag = append(u.bag, t.id)
		}
	}
	sortIDs(u.bag)
}

func (c *comparer) number(s string, kind tokenKind) int32 {
	if kind == space && c.IgnoreSpace {
		s = " "
	}
	id, ok := c.words[s]
	if !ok {
		id = int32(len(c.words))
		c.words[s] = id
	}
	return id
}

func kindOf(s string) tokenKind {
	r, _ := utf8.DecodeRuneInString(s)
	switch {
	case unicode.IsSpace(r):
		return space
	case unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_':
		return word
	}
	return punctuation
}
