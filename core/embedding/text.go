package embedding

import (
	"fmt"
	"math"
	"unicode"
	"unicode/utf8"
)

// overlapShare is the part of a section that it has in common with the one before: 1/8, as the built-in model's 32 of
// 254 tokens.
const overlapShare = 8

// borderShare bounds the search for a border between words, from a section's end backwards.
const borderShare = 10

// cutText cuts a text into sections of at most maxBytes that overlap, between words where there is a border near, and
// never inside a character. A section without words is left out. The provider's tokeniser isn't known here, so lengths are in bytes.
func cutText(text string, maxBytes int) []string {
	maxBytes = max(maxBytes, utf8.UTFMax*overlapShare)
	var parts []string
	for len(text) > maxBytes {
		end := border(text, maxBytes, maxBytes-maxBytes/borderShare)
		if hasWords(text[:end]) {
			parts = append(parts, text[:end])
		}
		start := border(text, end-maxBytes/overlapShare, end-2*maxBytes/overlapShare)
		text = text[start:]
	}
	if hasWords(text) {
		parts = append(parts, text)
	}
	return parts
}

// border finds the place after the last space in text[least:at], else the last character border at or before at.
func border(text string, at, least int) int {
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	for i := at; i > least; {
		r, size := utf8.DecodeLastRuneInString(text[:i])
		if unicode.IsSpace(r) {
			return i
		}
		i -= size
	}
	return at
}

// normalise brings v to length 1. It reports false for a vector without a direction: zero, or with a number that is
// not finite.
func normalise(v []float32) bool {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	if squares == 0 || math.IsNaN(squares) || math.IsInf(squares, 0) {
		return false
	}
	scale := 1 / math.Sqrt(squares)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return true
}

func shortenedID(id string, dims int) string { return fmt.Sprintf("%s@%d", id, dims) }
