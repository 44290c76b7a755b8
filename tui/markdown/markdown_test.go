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
<http://example.com/n>.

• stop
• copy the files

1. one
2. two

│ a quote

  make run

────────────────────`, plain("# Deploy\n\nRun **make** and _wait_ for `ok`. See [notes](http://example.com/n).\n\n- stop\n- copy the files\n\n1. one\n2. two\n\n> a quote\n\n```sh\nmake run\n```\n\n---\n", 44))
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

func TestBlocks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"wrapped items hang", "- one that is long enough to be wrapped\n  - inner that is long enough too\n\n10. ten\n", "• one that is long enough to be\n  wrapped\n  • inner that is long enough too\n\n10. ten"},
		{"loose list", "- a\n\n- b\n", "• a\n\n• b"},
		{"tasks", "- [x] done\n- [ ] open\n", "• [x] done\n• [ ] open"},
		{"hard breaks", "one  \ntwo\nthree\n", "one\ntwo three"},
		{"code keeps its spaces", "```go\nif x {\n\treturn\n}\n```\n", "  if x {\n      return\n  }"},
		{"table", "| name | port |\n|---|---|\n| gateway | 8081 |\n| a name that needs two rows, yes | 1 |\n", "name                         │ port\n─────────────────────────────┼─────\ngateway                      │ 8081\na name that needs two rows,  │ 1\nyes                          │ "},
		{"links", "<https://a.example> and [https://b.example](https://b.example) and ![logo](l.png)", "https://a.example and\nhttps://b.example and [image: logo]\n<l.png>"},
		{"references", "a &lt; b &amp; c &#35; \\* d", "a < b & c # * d"},
		{"html", "<div>\nraw\n</div>\n\nin <b>line</b>\n", "  <div>\n  raw\n  </div>\n\nin <b>line</b>"},
		{"struck", "~~old~~ new", "~~old~~ new"},
		{"nothing", " \n\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, plain(c.in, 35))
		})
	}
}

func TestDeepNesting(t *testing.T) {
	t.Parallel()
	requireSafe(t, strings.Repeat("> ", 500)+"deep", 40, theme.For(colorprofile.ASCII, true))
	requireSafe(t, strings.Repeat("- ", 500)+"deep", 40, theme.For(colorprofile.ASCII, true))
	require.Contains(t, plain(strings.Repeat("> ", 5)+"deep", 40), "deep")
}

// BenchmarkRender renders a text of the largest size of an article.
func BenchmarkRender(b *testing.B) {
	body := strings.Repeat("Some *emphasis* and **more** with `code`, a [link](https://example.com) and so on, until the line is over.\n\n- a\n- b\n\n", 4200)
	dark := theme.For(colorprofile.TrueColor, true)
	for b.Loop() {
		markdown.Render(body, 80, dark)
	}
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
