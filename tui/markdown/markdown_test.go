package markdown_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/core/shareddata"
	"wiki/tui/markdown"
	"wiki/tui/text"
	"wiki/tui/theme"
)

var style = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

func plain(body string, width int) string {
	return ansi.Strip(strings.Join(markdown.Render(body, width, theme.For(colorprofile.ASCII, true)), "\n"))
}

func TestRender(t *testing.T) {
	t.Parallel()
	require.Equal(t, `# Deploy

Run **make** and *wait* for `+"`ok`"+`. See notes
http://example.com/n.

• stop
• copy the files

1. one
2. two

│ a quote

  make run

────────`, plain("# Deploy\n\nRun **make** and _wait_ for `ok`. See [notes](http://example.com/n).\n\n- stop\n- copy the files\n\n1. one\n2. two\n\n> a quote\n\n```sh\nmake run\n```\n\n---\n", 44))
}

// requireSafe holds for whatever an article says: styles, line feeds and printable characters reach the terminal, no
// style stays open at a row's end, no row is too wide.
func requireSafe(t require.TestingT, body string, width int, th *theme.Theme) {
	for _, row := range markdown.Render(body, width, th) {
		bare := style.ReplaceAllString(row, "")
		for _, r := range bare {
			require.False(t, unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r), "%U in %q of %q", r, row, body)
		}
		require.LessOrEqual(t, text.Width(bare), width, "%q", row)
		if seqs := style.FindAllString(row, -1); len(seqs) > 0 {
			require.Contains(t, []string{"\x1b[m", "\x1b[0m"}, seqs[len(seqs)-1], "open at the end: %q", row)
		}
	}
}

func TestHostileMarkdown(t *testing.T) {
	t.Parallel()
	dark := theme.For(colorprofile.TrueColor, true)
	for _, body := range []string{
		"&#27;[2J and &#x1b;]0;x&#7; &#x9b;31m &#0; &#x202e;txt &lrm;x&rlm; &zwnj;&Tab;&NewLine;",
		"[a\x1b]8;;x\a](http://x/\x1b[31m) [b](<http://y/&#27;[0m>) ![c&#27;](d&#27;)",
		"`&#27;[31m`\n\n    &#27;[31m\n\n```\n\x1b[31m\u202e\n```\n\n<b>&#27;[31m</b>\n\n| a&#27; | \u202e |\n|-|-|\n| x&#13; | y |\n",
		"# \x1b[31m\n> \x07\n- \x00\n1. \x08\n\n[x]: http://e/&#27;[31m\n[x]\n\n~~a\x9bb~~ **\u2066**",
	} {
		requireSafe(t, body, 40, dark)
		requireSafe(t, body, 10, dark)
	}
	require.Equal(t, "␛[2J", plain("&#27;[2J", 40))
	all := naughty(t)
	for _, s := range all {
		requireSafe(t, s, 30, dark)
	}
	requireSafe(t, strings.Join(all, "\n\n"), 76, dark)
}

func naughty(t *testing.T) []string {
	raw, err := os.ReadFile(filepath.Join(shareddata.Dir(t, "naughty-strings"), "blns.json"))
	require.NoError(t, err)
	var all []string
	require.NoError(t, json.Unmarshal(raw, &all))
	return all
}

func TestAnyMarkdownIsSafe(t *testing.T) {
	t.Parallel()
	dark := theme.For(colorprofile.TrueColor, true)
	piece := rapid.SampledFrom([]string{"# ", "- ", "1. ", "> ", "```", "\n", "\n\n", "    ", "**", "_", "`", "[x](y)", "| a | b |\n|-|-|\n", "世界", "word ", "\x1b[31m", "&#27;", "&lrm;", "<b>", "\u202e", "👩\u200d👩", "e\u0301", "\t", "---\n", "~~", "[^1]"})
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Join(rapid.SliceOf(piece).Draw(t, "pieces"), "")
		requireSafe(t, body, rapid.IntRange(8, 60).Draw(t, "width"), dark)
	})
}

func TestLongTextsComeAsWritten(t *testing.T) {
	t.Parallel()
	rows := markdown.Render(strings.Repeat("**word** ", 40_000), 80, theme.For(colorprofile.ASCII, true))
	require.True(t, strings.HasPrefix(rows[0], "**word** **word**"))
}

func TestCacheForgetsTheOldest(t *testing.T) {
	t.Parallel()
	var c markdown.Cache
	for v := range 20 {
		c.Put(markdown.Key{Article: "a", Version: v}, []string{"x"})
		_, ok := c.Get(markdown.Key{Article: "a", Version: 0})
		require.True(t, ok, "in use")
	}
	_, ok := c.Get(markdown.Key{Article: "a", Version: 1})
	require.False(t, ok)
	_, ok = c.Get(markdown.Key{Article: "a", Version: 19})
	require.True(t, ok)
}
