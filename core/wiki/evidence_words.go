package wiki

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// units maps the names of a unit to its base and the factor to it, so that "60 s" and "1 minute" are one quantity.
var units = []struct {
	names  []string
	base   string
	factor float64
}{
	{[]string{"ns", "nanoseconds", "nanosecond"}, "ns", 1},
	{[]string{"us", "µs", "microseconds", "microsecond"}, "ns", 1e3},
	{[]string{"ms", "msec", "milliseconds", "millisecond"}, "ns", 1e6},
	{[]string{"s", "sec", "secs", "seconds", "second"}, "ns", 1e9},
	{[]string{"min", "mins", "minutes", "minute"}, "ns", 60e9},
	{[]string{"h", "hr", "hrs", "hours", "hour"}, "ns", 3600e9},
	{[]string{"days", "day"}, "ns", 86400e9},
	{[]string{"weeks", "week"}, "ns", 7 * 86400e9},
	{[]string{"months", "month"}, "month", 1},
	{[]string{"years", "year"}, "month", 12},
	{[]string{"bytes", "byte", "B"}, "byte", 1},
	{[]string{"kB", "KB"}, "byte", 1e3},
	{[]string{"MB"}, "byte", 1e6},
	{[]string{"GB"}, "byte", 1e9},
	{[]string{"TB"}, "byte", 1e12},
	{[]string{"KiB"}, "byte", 1 << 10},
	{[]string{"MiB"}, "byte", 1 << 20},
	{[]string{"GiB"}, "byte", 1 << 30},
	{[]string{"TiB"}, "byte", 1 << 40},
	{[]string{"mm"}, "mm", 1},
	{[]string{"cm"}, "mm", 10},
	{[]string{"km"}, "mm", 1e6},
	{[]string{"Hz"}, "Hz", 1},
	{[]string{"kHz"}, "Hz", 1e3},
	{[]string{"MHz"}, "Hz", 1e6},
	{[]string{"GHz"}, "Hz", 1e9},
	{[]string{"mg"}, "mg", 1},
	{[]string{"g", "grams", "gram"}, "mg", 1e3},
	{[]string{"kg"}, "mg", 1e6},
	{[]string{"lbs", "lb"}, "lb", 1},
	{[]string{"ml", "mL"}, "ml", 1},
	{[]string{"l", "L", "liters", "liter", "litres", "litre"}, "ml", 1e3},
	{[]string{"m", "meters", "meter", "metres", "metre"}, "mm", 1e3},
	{[]string{"feet", "ft"}, "ft", 1},
	{[]string{"kbps", "kbit/s"}, "kbps", 1},
	{[]string{"Mbps", "Mbit/s"}, "kbps", 1e3},
	{[]string{"Gbps", "Gbit/s"}, "kbps", 1e6},
	{[]string{"W"}, "W", 1},
	{[]string{"kW"}, "W", 1e3},
	{[]string{"mV"}, "mV", 1},
	{[]string{"V"}, "mV", 1e3},
	{[]string{"am", "AM"}, "am", 1},
	{[]string{"pm", "PM"}, "pm", 1},
	{[]string{"percent"}, "%", 1},
}

func unitNames() string {
	var names []string
	for _, u := range units {
		names = append(names, u.names...)
	}
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) }) // the longest alternative first
	return strings.Join(names, "|")
}

// canonicalQuantity writes a number and its unit in base units: "1,000 ms" and "1 s" come out alike.
func canonicalQuantity(token string) string {
	token = strings.NewReplacer(",", "", "−", "-").Replace(token)
	number := leadingNumber(token)
	unit := strings.Trim(token[len(number):], " -")
	value, err := strconv.ParseFloat(strings.TrimLeft(number, "$€£¥"), 64)
	if err != nil {
		return token
	}
	for _, u := range units {
		if slices.Contains(u.names, unit) {
			value, unit = value*u.factor, u.base
			break
		}
	}
	currency := strings.Trim(number, "-0123456789.")
	return currency + strconv.FormatFloat(value, 'g', -1, 64) + unit
}

// numberWords are numbers written out. "one" is left out: it is a pronoun far more often; so are "first" and "once", which
// order and join sentences: against "second" and "twice" those alone tell.
var numberWords = map[string]string{
	"zero": "0", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
	"ten": "10", "eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50",
	"sixty": "60", "hundred": "100", "thousand": "1000", "million": "1e+06",
	"second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th", "twice": "2x",
}

// writtenQuantity reads a number that is written out, with the unit beside it: "three months" and "3 months" are one, "three
// weeks" is another; "two-second" and "twenty-five" are one word each. It gives nothing for any other word.
func writtenQuantity(word, next string) (value, shown string) {
	parts := strings.Split(strings.ToLower(word), "-")
	numbers, told := make([]string, len(parts)), false
	for i, part := range parts {
		numbers[i] = part
		if number := numberWords[part]; number != "" {
			numbers[i], told = number, true
		}
	}
	switch {
	case !told:
		return "", ""
	case len(parts) == 1 && isUnit(next):
		return canonicalQuantity(numbers[0] + " " + next), word + " " + next
	case len(parts) == 2 && isUnit(parts[1]): // "second" is a number and a unit
		return canonicalQuantity(numbers[0] + " " + parts[1]), word
	}
	return strings.Join(numbers, "-"), word
}

func isUnit(word string) bool {
	for _, u := range units {
		if slices.Contains(u.names, word) {
			return true
		}
	}
	return false
}

var negations = map[string]bool{
	"not": true, "no": true, "never": true, "cannot": true, "without": true, "neither": true, "nor": true, "none": true,
	"nothing": true, "nobody": true, "nowhere": true, "unless": true,
}

// fillers stand between a negation and what it negates without changing that.
var fillers = map[string]bool{
	"be": true, "been": true, "is": true, "are": true, "was": true, "were": true, "to": true, "the": true, "a": true,
	"an": true, "any": true, "have": true, "has": true, "had": true, "do": true, "does": true, "did": true, "yet": true,
	"ever": true, "longer": true, "need": true,
}

// abbreviations look like identifiers and are none.
var abbreviations = map[string]bool{"e.g": true, "i.e": true, "a.k.a": true, "and/or": true, "w/o": true}

// tellingWord classifies a word. A negation is told by what it negates (next), so that "is not enabled" and "isn't enabled"
// are one, and "A is not, B is" and "A is, B is not" are two.
func tellingWord(word, next string) (kind, value, shown string) {
	lower := strings.ToLower(strings.ReplaceAll(word, "’", "'"))
	switch {
	case negations[lower] || strings.HasSuffix(lower, "n't"):
		return KindNegation, "not " + stem(next), strings.TrimSpace(word + " " + next)
	case !abbreviations[lower] && looksLikeIdentifier(word):
		return KindIdentifier, word, word
	}
	return "", "", ""
}

// looksLikeIdentifier tells names of things (snake_case, camelCase, pkg.Func, sha256, HTTP) from prose. Hyphens and single
// slashes join ordinary words, and an apostrophe makes no name.
func looksLikeIdentifier(word string) bool {
	if strings.ContainsAny(word, "'’") {
		return false
	}
	var digits, lowerThenUpper, upper, letters int
	var before rune
	for _, r := range word {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsUpper(r):
			upper++
			letters++
			if unicode.IsLower(before) {
				lowerThenUpper++
			}
		case unicode.IsLetter(r):
			letters++
		}
		before = r
	}
	marks := strings.ContainsAny(word, "_.:#@") || strings.Count(word, "/") > 1 || strings.Contains(word, "->")
	acronym := letters >= 2 && upper == letters
	return marks || digits > 0 || lowerThenUpper > 0 || acronym
}

// nextContentWord gives the first word after a negation that carries meaning, looking a few words ahead.
func nextContentWord(rest [][]int, text string) string {
	for _, m := range rest[:min(len(rest), 4)] {
		group, token := matchedGroup(m, text)
		if group == "word" && fillers[strings.ToLower(token)] {
			continue
		}
		return strings.ToLower(strings.Trim(token, "` "))
	}
	return ""
}

// adjoiningWord gives the word that follows the place end with nothing but a space between.
func adjoiningWord(end int, rest [][]int, text string) string {
	if len(rest) == 0 || text[end:rest[0][0]] != " " {
		return ""
	}
	group, token := matchedGroup(rest[0], text)
	if group != "word" {
		return ""
	}
	return token
}

// stem cuts the commonest endings, enough to let "returns" meet "return".
func stem(word string) string {
	for _, ending := range []string{"ing", "ed", "es", "s"} {
		if cut, ok := strings.CutSuffix(word, ending); ok && len(cut) >= 4 {
			return strings.TrimSuffix(cut, "e")
		}
	}
	return strings.TrimSuffix(word, "e")
}

// antonyms are words that turn a statement round without a negation.
var antonyms = [][2]string{
	{"enabled", "disabled"},
	{"enable", "disable"},
	{"enables", "disables"},
	{"true", "false"},
	{"allow", "deny"},
	{"allowed", "denied"},
	{"allowed", "forbidden"},
	{"always", "never"},
	{"required", "optional"},
	{"must", "may"},
	{"before", "after"},
	{"synchronous", "asynchronous"},
	{"synchronously", "asynchronously"},
	{"public", "private"},
	{"minimum", "maximum"},
	{"least", "most"},
	{"increase", "decrease"},
	{"increases", "decreases"},
	{"include", "exclude"},
	{"includes", "excludes"},
	{"success", "failure"},
	{"safe", "unsafe"},
	{"up", "down"},
	{"accepted", "rejected"},
	{"supported", "unsupported"},
	{"encrypted", "unencrypted"},
	{"deprecated", "recommended"},
}

// opposites finds the antonyms of which each text has one and not the other.
func opposites(first, second string) []Difference {
	a, b := wordSet(first), wordSet(second)
	var found []Difference
	for _, pair := range antonyms {
		for _, p := range [][2]string{pair, {pair[1], pair[0]}} {
			if a[p[0]] && !a[p[1]] && b[p[1]] && !b[p[0]] {
				found = append(found, Difference{Kind: KindNegation, First: p[0], Second: p[1]})
			}
		}
	}
	return found
}

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		set[strings.ToLower(word)] = true
	}
	return set
}
