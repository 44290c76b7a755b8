package wiki

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what a machine may make of two pages.
const (
	mergedKeeps = 0.6  // the least share of a page's words that the merged text has
	mergedAdds  = 0.3  // the largest share of its words that neither page has
	mergedFew   = 5    // words that neither page has and that are always allowed: a short text has few words
	mergedGrows = 1.25 // of the two pages' length together
	mergedSlack = 500  // bytes on top of that: headings, and who says what
	wordRunes   = 4    // the shortest word that counts: shorter ones are the grammar's
)

// CleanMerged is CleanBody for a text that a language model wrote out of pages, each given as its title and body. The model
// is not trusted (case 26: a refusal was kept as content): every number, version, date, identifier, negation and link of the
// pages has to be in its text, none may be there that they do not have, most of their words have to be kept and few be new.
// The error is CodeInvalid on "body" and says what is wrong in one sentence.
func CleanMerged(text string, pages ...string) (string, error) {
	text, err := CleanBody(withoutFence(text))
	if err != nil {
		return "", err
	}
	all := strings.Join(pages, "\n\n")
	if strings.ContainsRune(text, utf8.RuneError) && !strings.ContainsRune(all, utf8.RuneError) {
		return "", Invalid("body", "the text has lost characters")
	}
	if most := int(mergedGrows*float64(len(all))) + mergedSlack; len(text) > most {
		return "", Invalid("body", "the text has %d bytes, which is more than the pages come to", len(text))
	}
	if err := sameFacts(text, all); err != nil {
		return "", err
	}
	return text, sameWords(text, pages)
}

// withoutFence takes away the code fence that models like to put around a whole markdown text.
func withoutFence(text string) string {
	inner := strings.TrimSpace(text)
	first, rest, _ := strings.Cut(inner, "\n")
	switch strings.TrimSpace(first) {
	case "```markdown", "```md", "~~~markdown", "~~~md":
	default:
		return text
	}
	body, closed := strings.CutSuffix(rest, first[:3])
	if !closed {
		return text
	}
	return strings.TrimRight(body, " \t\n") + "\n"
}

// listMark is a list's numbering: it orders the lines, and moves with them.
var listMark = regexp.MustCompile(`(?m)^[ \t]*\d{1,3}[.)][ \t]`)

// linkPattern finds what leads to another page: an address, a wikilink, the target of a markdown link.
var linkPattern = regexp.MustCompile(`https?://[^\s<>"')\]]+|\[\[[^\]\n]+\]\]|\]\([^)\s]+`)

func sameFacts(text, all string) error {
	text, all = listMark.ReplaceAllString(text, "- "), listMark.ReplaceAllString(all, "- ")
	have, want := tellingTokens(text), tellingTokens(all)
	have["link"], want["link"] = links(text), links(all)
	for _, kind := range []string{"link", KindVersion, KindDate, KindNumber, KindIdentifier, KindNegation} {
		if lost := missingIn(want[kind], have[kind]); len(lost) > 0 {
			return Invalid("body", "the text leaves out %q of the pages", clip(lost[0].text))
		}
		if made := missingIn(have[kind], want[kind]); len(made) > 0 {
			return Invalid("body", "the text says %q, which the pages do not", clip(made[0].text))
		}
	}
	return nil
}

func links(text string) []telling {
	var found []telling
	for _, link := range linkPattern.FindAllString(text, -1) {
		link = strings.TrimRight(strings.TrimPrefix(link, "]("), ".,;:!?")
		found = append(found, telling{"link", link, link})
	}
	return found
}

func sameWords(text string, pages []string) error {
	have := contentWords(text)
	said := map[string]bool{}
	for _, page := range pages {
		words := contentWords(page)
		kept := 0
		for word := range words {
			said[word] = true
			if have[word] {
				kept++
			}
		}
		if float64(kept) < mergedKeeps*float64(len(words)) {
			return Invalid("body", "the text keeps %d of the %d words of a page", kept, len(words))
		}
	}
	added := 0
	for word := range have {
		if !said[word] {
			added++
		}
	}
	if added > mergedFew && float64(added) > mergedAdds*float64(len(have)) {
		return Invalid("body", "of %d words of the text %d are of neither page", len(have), added)
	}
	return nil
}

// contentWords are the words that carry a text's meaning, by their stems.
func contentWords(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if utf8.RuneCountInString(word) >= wordRunes {
			words[stem(strings.ToLower(word))] = true
		}
	}
	return words
}
