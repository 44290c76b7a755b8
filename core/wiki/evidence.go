package wiki

import (
	"regexp"
	"strings"
	"unicode"
)

// Evidence beyond cosine (SPEC §3): a vector calls "port 8080" and "port 8081" one thing. Differences finds the tokens
// that tell two near-identical texts apart, so that such a pair is never called a duplicate and a curator sees why.

// Kinds of Difference.
const (
	KindNumber     = "number"
	KindVersion    = "version"
	KindIdentifier = "identifier"
	KindDate       = "date"
	KindUnit       = "unit"
	KindNegation   = "negation"
)

// MaxDifferences bounds what Differences returns: beyond it the texts are plainly two.
const MaxDifferences = 20

// telling is one token that carries a fact: Value is compared, Text is shown.
type telling struct {
	kind, value, text string
}

// Differences lists the telling tokens in which two texts differ, at most MaxDifferences, in the order of the first. An
// empty result means that the texts state the same numbers, versions, identifiers, dates, units and negations; it does not
// mean that they are equal. A token that one text merely repeats more often is no difference; the same tokens in another
// order are ("limit 10, burst 20" against "limit 20, burst 10").
func Differences(first, second string) []Difference {
	a, b := tellingTokens(first), tellingTokens(second)
	var found []Difference
	for _, kind := range []string{KindVersion, KindDate, KindNumber, KindIdentifier, KindNegation} {
		found = append(found, differencesOfKind(kind, a[kind], b[kind])...)
	}
	found = append(found, opposites(first, second)...)
	return found[:min(len(found), MaxDifferences)]
}

func differencesOfKind(kind string, a, b []telling) []Difference {
	onlyA, onlyB := missingIn(a, b), missingIn(b, a)
	if len(onlyA) == 0 && len(onlyB) == 0 {
		return swapped(kind, a, b)
	}
	var found []Difference
	for i := range max(len(onlyA), len(onlyB)) {
		d := Difference{Kind: kind}
		if i < len(onlyA) {
			d.First = onlyA[i].text
		}
		if i < len(onlyB) {
			d.Second = onlyB[i].text
		}
		if kind == KindNumber && sameFigure(d.First, d.Second) {
			d.Kind = KindUnit
		}
		found = append(found, d)
	}
	return found
}

// missingIn gives the distinct tokens of a that b does not have at all, in order.
func missingIn(a, b []telling) []telling {
	have := make(map[string]bool, len(b))
	for _, t := range b {
		have[t.value] = true
	}
	var missing []telling
	for _, t := range a {
		if !have[t.value] {
			have[t.value] = true
			missing = append(missing, t)
		}
	}
	return missing
}

// swapped finds values that changed places: the same tokens, each as often, in another order.
func swapped(kind string, a, b []telling) []Difference {
	if kind == KindIdentifier || len(a) != len(b) {
		return nil // prose names things in any order; repetition says nothing
	}
	count := map[string]int{}
	for i := range a {
		count[a[i].value]++
		count[b[i].value]--
	}
	for _, n := range count {
		if n != 0 {
			return nil
		}
	}
	var found []Difference
	for i := range a {
		if a[i].value != b[i].value {
			found = append(found, Difference{Kind: kind, First: a[i].text, Second: b[i].text})
		}
	}
	return found
}

// bareMonths are those that date a text without a day or a year; May and March are words of prose too, so that lower case
// names no month and May alone none.
const bareMonths = `(?:January|February|March|April|June|July|August|September|October|November|December)`

const months = `(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)`

// tellingPattern finds candidates; the first alternative that matches at a place wins, so the specific stand first.
var tellingPattern = regexp.MustCompile(strings.Join([]string{
	`(?P<date>\b\d{4}[-/]\d{1,2}[-/]\d{1,2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?\b` +
		`|\b\d{1,2}(?:st|nd|rd|th)? ` + months + `\b\.?(?: \d{4}\b)?` +
		`|\b` + months + `\b\.? \d{1,4}(?:st|nd|rd|th)?\b(?:,? \d{4}\b)?` +
		`|\b\d{1,2}:\d{2}(?::\d{2})?(?: ?[aApP]\.?[mM]\b)?` +
		`|\b` + bareMonths + `\b` +
		`|(?i:\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b))`,
	"(?P<code>`[^`\n]{1,120}`|#[0-9A-Fa-f]{3,8}\\b)",
	`(?P<operator>[!<>]=|[≤≥≠])`,
	`(?P<version>\bv?\d+(?:\.\d+){2,}(?:[-+][0-9A-Za-z.]*[0-9A-Za-z])?\b|\b[vV]\d+(?:\.\d+)*\b)`,
	`(?P<flag>(?:^|[\s(])--?[A-Za-z][\w-]*)`,
	`(?P<word>\p{L}[\p{L}\p{N}_]*(?:(?:[./:#@'’-]|::|://|->)+[\p{L}\p{N}_]+)*)`,
	`(?P<number>[-−]?[$€£¥]?(?:\d{1,3}(?:,\d{3})+\b|\p{N}+)(?:\.\d+)?(?:[ -]?(?:` + unitNames() + `)\b| ?%|°[CF]?)?)`,
}, "|"))

var groupNames = tellingPattern.SubexpNames()

func tellingTokens(text string) map[string][]telling {
	found := map[string][]telling{}
	add := func(kind, value, shown string) {
		found[kind] = append(found[kind], telling{kind, value, strings.TrimSpace(shown)})
	}
	matches := tellingPattern.FindAllStringSubmatchIndex(text, -1)
	for i, m := range matches {
		group, token := matchedGroup(m, text)
		switch group {
		case "date":
			add(KindDate, strings.ToLower(token), token)
		case "version":
			add(KindVersion, strings.TrimPrefix(strings.ToLower(token), "v"), token)
		case "operator":
			add(KindNegation, operators.Replace(token), token)
		case "code", "flag":
			token = strings.Trim(token, "` \t\n(")
			add(KindIdentifier, token, token)
		case "number":
			add(KindNumber, canonicalQuantity(token), token)
		case "word":
			if value, shown := writtenQuantity(token, adjoiningWord(m[1], matches[i+1:], text)); value != "" {
				add(KindNumber, value, shown)
				continue
			}
			kind, value, shown := tellingWord(token, nextContentWord(matches[i+1:], text))
			if kind != "" {
				add(kind, value, shown)
			}
		}
	}
	return found
}

// operators writes each comparison in one way.
var operators = strings.NewReplacer("!=", "≠", "<=", "≤", ">=", "≥")

func matchedGroup(m []int, text string) (name, token string) {
	for g := 1; g < len(groupNames); g++ {
		if m[2*g] >= 0 {
			return groupNames[g], text[m[2*g]:m[2*g+1]]
		}
	}
	return "", ""
}

func leadingNumber(quantity string) string {
	end := strings.IndexFunc(quantity, func(r rune) bool { return !strings.ContainsRune("0123456789.,-−$€£¥", r) && !unicode.IsNumber(r) })
	if end < 0 {
		return quantity
	}
	return strings.TrimRight(quantity[:end], "-−") // of "5-minute"
}

// sameFigure says whether two quantities show one figure in two units.
func sameFigure(first, second string) bool {
	return first != "" && second != "" && figure(first) == figure(second)
}

// figure is a quantity without its unit, in digits or in words.
func figure(quantity string) string {
	if number := leadingNumber(quantity); number != "" {
		return number
	}
	word, _, _ := strings.Cut(quantity, " ")
	return strings.ToLower(word)
}
