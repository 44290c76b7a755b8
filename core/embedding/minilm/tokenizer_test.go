package minilm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func tokenizer(t testing.TB) *Tokenizer {
	t.Helper()
	m, err := Default()
	require.NoError(t, err)
	return m.tokenizer
}

func TestTokensEqualTheReference(t *testing.T) {
	t.Parallel()
	tok := tokenizer(t)
	texts, refs := references(t)
	for i, text := range texts {
		ids := append([]int32{tok.cls}, tok.Tokens(text)...)
		require.Equal(t, refs[i].IDs, append(ids, tok.sep), "%q", text)
	}
}

func TestTokenizerEdges(t *testing.T) {
	t.Parallel()
	tok := tokenizer(t)
	pieces := func(words ...string) []int32 {
		ids := []int32{}
		for _, w := range words {
			id, ok := tok.begin[w]
			if rest, inner := strings.CutPrefix(w, "##"); inner && rest != "" {
				id, ok = tok.inner[rest]
			}
			require.True(t, ok, w)
			ids = append(ids, id)
		}
		return ids
	}
	for text, want := range map[string][]int32{
		"":                         {},
		" \t\r\n\u00a0\u3000":      {},
		"\x00\u200b\ufffd\u0301":   {}, // NUL, format character, replacement character, an accent alone
		"unaffable":                pieces("una", "##ffa", "##ble"),
		"Café CAFE\u0301":          pieces("cafe", "cafe"),
		"a\u200bb":                 pieces("ab"), // dropped, not a border
		"日本":                       pieces("日", "本"),
		"#":                        pieces("#"),
		"##":                       pieces("#", "#"),
		"[CLS]":                    pieces("[", "cl", "##s", "]"), // a marker in a text is text
		"🦖":                        {tok.unk},
		strings.Repeat("a", 101):   {tok.unk},
		strings.Repeat("é", 101):   {tok.unk},
		"x" + string([]byte{0xff}): pieces("x"), // not UTF-8: the byte reads as U+FFFD
	} {
		require.Equal(t, want, tok.Tokens(text), "%q", text)
	}
	require.Greater(t, len(tok.Tokens(strings.Repeat("a", 100))), 1, "a word of 100 is still split")
}

func FuzzTokens(f *testing.F) {
	texts, _ := references(f)
	for _, text := range texts {
		f.Add(text)
	}
	tok := tokenizer(f)
	last := int32(len(tok.begin) + len(tok.inner))
	f.Fuzz(func(t *testing.T, text string) {
		for _, id := range tok.Tokens(text) {
			require.True(t, id >= 0 && id < last)
		}
	})
}
