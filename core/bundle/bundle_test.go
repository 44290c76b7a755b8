package bundle

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
)

// folder writes files into a new folder and opens it.
func folder(t testing.TB, format Format, files map[string]string) *Source {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(content), 0o644))
	}
	return open(t, dir, format)
}

func open(t testing.TB, dir string, format Format) *Source {
	t.Helper()
	s, err := Open(dir, format)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// note reads a folder's only file.
func note(t testing.TB, content string) Document {
	t.Helper()
	doc, err := folder(t, FormatMarkdown, map[string]string{"sub/file name.md": content}).Read("sub/file name.md")
	require.NoError(t, err)
	return doc
}

func requireInvalid(t testing.TB, err error, field, message string) {
	t.Helper()
	var e *wiki.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, wiki.CodeInvalid, e.Code)
	require.Equal(t, field, e.Field)
	require.Contains(t, e.Message, message)
}

func TestTitle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, title, body string }{
		"front matter":              {"---\ntitle: From the header\n---\n# Heading\n\ntext", "From the header", "# Heading\n\ntext"},
		"front matter and heading":  {"---\ntitle: Same\n---\n# Same\n\ntext", "Same", "text"},
		"heading":                   {"# Heading\n\ntext", "Heading", "text"},
		"heading underlined":        {"Heading\n=======\n\ntext", "Heading", "text"},
		"closed heading":            {"# Heading #\n\ntext", "Heading", "text"},
		"heading with markup":       {"# Use `grep` *now*\n\ntext", "Use grep now", "# Use `grep` *now*\n\ntext"},
		"heading later":             {"intro\n\n# Heading\n\ntext", "Heading", "intro\n\n# Heading\n\ntext"},
		"lower heading begins":      {"## Heading\n\ntext", "Heading", "text"},
		"lower heading later":       {"intro\n\n## Usage\n\ntext", "file name", "intro\n\n## Usage\n\ntext"},
		"file name":                 {"just text", "file name", "just text"},
		"heading only":              {"# Heading\n", "Heading", "# Heading\n"},
		"a number stays as written": {"---\ntitle: 1.10\n---\ntext", "1.10", "text"},
		"a date stays as written":   {"---\ntitle: 2024-01-02\n---\ntext", "2024-01-02", "text"},
		"null title":                {"---\ntitle:\n---\n# Heading\n\ntext", "Heading", "text"},
		"generic":                   {"# README\n\ntext", "sub: README", "text"},
		"not a heading":             {"```\n# comment\n```\n", "file name", "```\n# comment\n```\n"},
		"symbols":                   {"# !\n\ntext", "!", "text"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := note(t, c.content)
			require.Equal(t, c.title, doc.Title)
			require.Equal(t, c.body, doc.Body)
			require.Empty(t, doc.Warnings)
		})
	}
}

// Case 70: cut on a character's border. The whole title stays in the body.
func TestLongTitleIsCut(t *testing.T) {
	t.Parallel()
	long := ""
	for range 60 {
		long += "Überlänge "
	}
	doc := note(t, "# "+long+"\n\ntext")
	require.Len(t, []rune(doc.Title), wiki.MaxTitleRunes)
	require.Contains(t, doc.Body, long[:len(long)-1])
	require.Len(t, doc.Warnings, 1)
	doc = note(t, "---\ntitle: "+long+"\n---\ntext")
	require.Contains(t, doc.Body, long[:len(long)-1])
}

func TestNoteFields(t *testing.T) {
	t.Parallel()
	doc := note(t, "---\ncategory: Playbook\ntags: [a b, '#c', 7, idem-x]\naliases: Other name, Third\nrating: .nan\nnested: {k: [1, 2.5, true, null]}\n---\ntext")
	require.Equal(t, wiki.Category("playbook"), doc.Category)
	require.Equal(t, []string{"a-b", "c", "7"}, doc.Tags)
	require.Equal(t, []string{"Other name", "Third"}, doc.Aliases)
	fields := doc.Metadata[MetaFrontMatter].(map[string]any)
	require.Equal(t, "NaN", fields["rating"])
	require.Equal(t, []any{"a b", "#c", uint64(7), "idem-x"}, fields["tags"], "the originals are kept")
	require.Equal(t, "sub/file name.md", doc.Metadata[MetaSourcePath])

	plain := note(t, "text")
	require.Equal(t, wiki.Category("reference"), plain.Category)
	require.Empty(t, plain.Tags)
	require.Equal(t, []string{"one", "two"}, note(t, "---\ntags: one two\n---\nx").Tags)
}

func TestLinks(t *testing.T) {
	t.Parallel()
	doc := note(t, "See [a](../other.md#part), [b](/root/page.md), [web](https://example.org/x.md), [img](pic.png),\n"+
		"[[Wiki page]], [[Deep/Page#Part|label]], ![[Embedded]], `[[code]]`, [[#here]] and [spaces](with%20space.md).\n\n    [[code block]]\n\n| [[Cell\\|x]] |\n")
	require.Equal(t, []Link{
		{"../other.md", false},
		{"/root/page.md", false},
		{"Wiki page", true},
		{"Deep/Page", true},
		{"Embedded", true},
		{"with space.md", false},
		{"Cell", true},
	}, doc.Links)
}

func TestResolve(t *testing.T) {
	t.Parallel()
	x := NewIndex()
	x.Add(Document{Path: "a/one.md", Title: "First page", Aliases: []string{"Uno"}})
	x.Add(Document{Path: "b/Cafe\u0301.md", Title: "Coffee"}) // NFD
	x.Add(Document{Path: "b/two.md", Title: "Second"})
	x.Add(Document{Path: "c/two.md", Title: "Third"})
	for target, want := range map[string]string{
		"one": "a/one.md", "ONE": "a/one.md", "First page": "a/one.md", "uno": "a/one.md", "Caf\u00e9": "b/Cafe\u0301.md",
		"a/one": "a/one.md", "c/two": "c/two.md", "a/one.md": "a/one.md",
		"two": "", "nowhere": "", "../../etc/passwd": "",
	} {
		got, ok := x.Resolve("z/from.md", Link{Target: target, Wiki: true})
		require.Equal(t, want != "", ok, target)
		if ok {
			require.Equal(t, want, got, target)
		}
	}
	got, ok := x.Resolve("b/from.md", Link{Target: "two", Wiki: true})
	require.True(t, ok, "the page beside it wins")
	require.Equal(t, "b/two.md", got)
	got, ok = x.Resolve("b/from.md", Link{Target: "../a/one.md"})
	require.True(t, ok)
	require.Equal(t, "a/one.md", got)
	got, ok = x.Resolve("b/from.md", Link{Target: "/a/one.md"})
	require.True(t, ok)
	require.Equal(t, "a/one.md", got)
	_, ok = x.Resolve("a/one.md", Link{Target: "one.md"})
	require.False(t, ok, "a page doesn't link to itself")
}
