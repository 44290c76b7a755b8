package minilm

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWordRunes is the longest word that is split into pieces; a longer one is one unknown token, as in the reference
// tokeniser (BERT, uncased).
const maxWordRunes = 100

// Tokenizer splits text into word pieces. It is safe for use by several goroutines at once.
type Tokenizer struct {
	begin         map[string]int32 // pieces that begin a word
	inner         map[string]int32 // pieces that go on with one, without their "##"
	unk, cls, sep int32
}

// newTokenizer indexes a vocabulary. The special tokens must be in it.
func newTokenizer(vocab []string) (*Tokenizer, error) {
	t := &Tokenizer{begin: make(map[string]int32, len(vocab)), inner: map[string]int32{}}
	for i, piece := range vocab {
		if rest, ok := strings.CutPrefix(piece, "##"); ok && rest != "" {
			t.inner[rest] = int32(i)
		} else {
			t.begin[piece] = int32(i)
		}
	}
	for name, id := range map[string]*int32{"[UNK]": &t.unk, "[CLS]": &t.cls, "[SEP]": &t.sep} {
		var ok bool
		if *id, ok = t.begin[name]; !ok {
			return nil, fmt.Errorf("%w: the vocabulary has no %s", ErrContainer, name)
		}
	}
	return t, nil
}

// Tokens gives the word pieces of text, without the markers that open and close a section.
func (t *Tokenizer) Tokens(text string) []int32 {
	ids := make([]int32, 0, len(text)/4+8)
	word := make([]byte, 0, 64)
	flush := func() {
		if len(word) > 0 {
			ids = t.pieces(ids, string(word))
			word = word[:0]
		}
	}
	for _, r := range norm.NFD.String(strings.ToLower(text)) {
		switch {
		case r == 0 || r == unicode.ReplacementChar: // dropped, as the reference does
		case r == ' ' || r == '\t' || r == '\n' || r == '\r' || unicode.Is(unicode.Zs, r):
			flush()
		case unicode.Is(unicode.C, r): // control and format characters
		case unicode.Is(unicode.Mn, r): // accents, set apart by the decomposition
		case isCJK(r) || isPunct(r): // each a word of its own
			flush()
			ids = t.pieces(ids, string(r))
		default:
			word = utf8.AppendRune(word, r)
		}
	}
	flush()
	return ids
}

// pieces appends the longest-match-first split of one word, or one unknown token when there is none.
func (t *Tokenizer) pieces(ids []int32, word string) []int32 {
	if len(word) > maxWordRunes && len([]rune(word)) > maxWordRunes {
		return append(ids, t.unk)
	}
	base := len(ids)
	vocab := t.begin
	for rest := word; rest != ""; vocab = t.inner {
		id, n := longest(vocab, rest)
		if n == 0 {
			return append(ids[:base], t.unk)
		}
		ids, rest = append(ids, id), rest[n:]
	}
	return ids
}

// longest finds the longest piece that rest begins with; n is its length in bytes, 0 when there is none.
func longest(vocab map[string]int32, rest string) (id int32, n int) {
	for n = len(rest); n > 0; n-- {
		if n < len(rest) && rest[n]&0xC0 == 0x80 { // inside a character
			continue
		}
		if id, ok := vocab[rest[:n]]; ok {
			return id, n
		}
	}
	return 0, 0
}

func isPunct(r rune) bool {
	ascii := (r >= 33 && r <= 47) || (r >= 58 && r <= 64) || (r >= 91 && r <= 96) || (r >= 123 && r <= 126)
	return ascii || unicode.IsPunct(r)
}

// isCJK says whether r is a Chinese ideograph by the reference tokeniser's ranges (kana and hangul are not).
func isCJK(r rune) bool {
	return (r >= 0x4E00 && r <= 0x9FFF) || (r >= 0x3400 && r <= 0x4DBF) || (r >= 0x20000 && r <= 0x2A6DF) ||
		(r >= 0x2A700 && r <= 0x2B73F) || (r >= 0x2B740 && r <= 0x2B81F) || (r >= 0x2B820 && r <= 0x2CEAF) ||
		(r >= 0xF900 && r <= 0xFAFF) || (r >= 0x2F800 && r <= 0x2FA1F)
}
