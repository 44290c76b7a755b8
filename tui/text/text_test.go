package text_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/core/shareddata"
	"wiki/tui/text"
)

func TestInert(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"plain", "Plain text.\nTwo lines.", "Plain text.\nTwo lines."},
		{"colour", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m"},
		{"title of the window", "a\x1b]0;owned\x07b", "a␛]0;owned␇b"},
		{"C1 introducer", "a\u009b31mb", "a⟨9B⟩31mb"},
		{"NUL, BEL, backspace, DEL", "a\x00b\x07c\x08d\x7f", "a␀b␇c␈d␡"},
		{"line ends", "a\r\nb\rc\u2028d\u2029e\u0085f\vg\fh", "a\nb\nc\nd\ne\nf\ng\nh"},
		{"tab", "a\tb\n\tc\n世\td", "a   b\n    c\n世  d"},
		{"override", "user\u202etxt.exe", "user⟨RLO⟩txt.exe"},
		{"isolate", "\u2066x\u2069", "⟨LRI⟩x⟨PDI⟩"},
		{"hidden message", "hi\U000e0061\U000e0062\U000e0063 there", "hi⟨hidden abc⟩ there"},
		{"hidden message at the end", "hi\U000e0061", "hi⟨hidden a⟩"},
		{"zero width", "zero\u200bwidth\ufeff \u2060and soft\u00adhyphen", "zerowidth and softhyphen"},
		{"joined emoji", "👩\u200d👩\u200d👧 ❤\ufe0f 👍🏽", "👩👩👧 ❤ 👍"},
		{"Persian keeps its joiner", "می\u200cخواهم", "می\u200cخواهم"},
		{"accents stay", "e\u0301 and é", "e\u0301 and é"},
		{"stacked marks", "a" + strings.Repeat("\u0300", 30), "a" + strings.Repeat("\u0300", 4)},
		{"mark alone", "\u0301x\n\u0301y", "◌\u0301x\n◌\u0301y"},
		{"mark on a space", "a \u0301b\t\u0301", "a ◌\u0301b    ◌\u0301"},
		{"invalid", "a\xffb\xc3", "a\ufffdb\ufffd"},
		{"filler", "a\u3164b", "ab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, text.Inert(c.in))
		})
	}
	require.Equal(t, "one title, in one line", text.InertLine("  one title,\n\tin  one line\n"))
}

// requireInert is the property that the terminal's safety rests on.
func requireInert(t require.TestingT, in string) {
	out := text.Inert(in)
	require.True(t, utf8.ValidString(out))
	for _, r := range out {
		bad := r != '\n' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r))
		require.False(t, bad, "%U of %q", r, in)
	}
	require.Equal(t, out, text.Inert(out), "not stable: %q", in)
}

func requireWrapped(t require.TestingT, in string, width int) {
	inert := text.Inert(in)
	end := 0
	for _, r := range text.WrapRanges(inert, width) {
		require.GreaterOrEqual(t, r.Start, end)
		require.Empty(t, strings.Trim(inert[end:r.Start], " \u3000\n"), "lost text")
		require.True(t, text.Width(inert[r.Start:r.End]) <= width || utf8.RuneCountInString(inert[r.Start:r.End]) < 16 && width < 3, "%q", inert[r.Start:r.End])
		end = r.End
	}
	require.Empty(t, strings.Trim(inert[end:], " \u3000\n"))
	line := text.InertLine(in)
	require.LessOrEqual(t, text.Width(text.Truncate(line, width)), width)
	require.Equal(t, width, text.Width(text.Pad(line, width)))
}

func TestProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
			rapid.StringOf(rapid.RuneFrom([]rune("ab  \t\n世界（）。é\u0301\u200d👩👧\u200b\u202e🇩🇪"))),
		).Draw(t, "s")
		requireInert(t, s)
		requireWrapped(t, s, rapid.IntRange(2, 30).Draw(t, "width"))
	})
}

func FuzzInert(f *testing.F) {
	f.Add("\x1b]8;;http://x\x07link\x1b]8;;\x07", 10)
	f.Add("\u202e\u2066 世界 👩\u200d👩", 3)
	f.Fuzz(func(t *testing.T, s string, width int) {
		requireInert(t, s)
		requireWrapped(t, s, 2+max(0, width)%100)
	})
}

func TestNaughtyStrings(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(shareddata.Dir(t, "naughty-strings"), "blns.json"))
	require.NoError(t, err)
	var all []string
	require.NoError(t, json.Unmarshal(raw, &all))
	for _, s := range all {
		requireInert(t, s)
		requireWrapped(t, s, 17)
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		width    int
		want     []string
	}{
		{"empty", "", 10, []string{""}},
		{"words", "the quick brown fox", 10, []string{"the quick", "brown fox"}},
		{"exact", "the quick brown", 9, []string{"the quick", "brown"}},
		{"paragraphs", "one\n\ntwo", 10, []string{"one", "", "two"}},
		{"long word", "see pneumonoultra now", 8, []string{"see", "pneumono", "ultra", "now"}},
		{"indentation stays", "  code here", 8, []string{"  code", "here"}},
		{"deep indentation", strings.Repeat(" ", 30) + "x", 8, []string{"", "x"}},
		{"Chinese", "这是一个测试。好", 8, []string{"这是一个", "测试。好"}},
		{"no line starts with a full stop", "这是一个。好", 8, []string{"这是一", "个。好"}},
		{"emoji", "👩👩👩👩", 4, []string{"👩👩", "👩👩"}},
		{"accents", "e\u0301e\u0301e\u0301e\u0301", 2, []string{"e\u0301e\u0301", "e\u0301e\u0301"}},
		{"spaces hang", "ab    cd", 3, []string{"ab", "cd"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, text.Wrap(c.in, c.width))
		})
	}
}

func TestTruncate(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a title", text.Truncate("a title", 7))
	require.Equal(t, "a tit…", text.Truncate("a title", 6))
	require.Equal(t, "世…", text.Truncate("世界地", 4))
	require.Equal(t, "世… ", text.Pad("世界地", 4))
	require.Equal(t, "   12", text.PadLeft("12", 5))
	require.Empty(t, text.Truncate("x", 0))
}
