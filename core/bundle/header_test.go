package bundle

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"wiki/core/shareddata"
)

// Case 71: an unquoted colon in a title must neither cost the header nor put it into the body.
func TestBrokenFrontMatterIsReadFieldByField(t *testing.T) {
	t.Parallel()
	doc := note(t, "---\ntitle: Deploys: how we do them\ntags: [ops, deploy]\nsummary: \"quoted\" and more\nowner: @team\nlist:\n  - a: b: c\n  - d\n---\ntext")
	require.Equal(t, "Deploys: how we do them", doc.Title)
	require.Equal(t, "text", doc.Body)
	require.Equal(t, []string{"ops", "deploy"}, doc.Tags)
	fields := doc.Metadata[MetaFrontMatter].(map[string]any)
	require.Equal(t, `"quoted" and more`, fields["summary"])
	require.Equal(t, "@team", fields["owner"])
	require.Contains(t, fields["list"], "a: b: c")
	require.Equal(t, Warning{Line: 2, Field: "title", Message: "the value is not valid YAML and is read as plain text; put it in quotes"}, doc.Warnings[0])
	require.Len(t, doc.Warnings, 4)
}

func TestOddFrontMatter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content, title, body string
		warnings             int
	}{
		"markup in a title":       {"---\ntitle: *Stars*\n---\nx", "*Stars*", "x", 1},
		"brackets in a title":     {"---\ntitle: [Draft] Plan\n---\nx", "[Draft] Plan", "x", 1},
		"percent":                 {"---\ntitle: %done\n---\nx", "%done", "x", 1},
		"tab":                     {"---\ntitle:\tTabbed\n---\nx", "Tabbed", "x", 0},
		"twice":                   {"---\ntitle: One\ntitle: Two\n---\nx", "One", "x", 2},
		"line without a key":      {"---\ntitle: One\nstray words here\n---\nx", "One", "x", 1},
		"blanks after the fence":  {"---  \ntitle: One\n---\t\nx", "One", "x", 0},
		"closed by dots":          {"---\ntitle: One\n...\nx", "One", "x", 0},
		"empty":                   {"---\n---\nx", "file name", "x", 0},
		"never closed":            {"---\ntitle: One\n\nx", "file name", "---\ntitle: One\n\nx", 1},
		"a rule, not a fence":     {"---\n\nSome prose.\n\n---\n\nx", "file name", "---\n\nSome prose.\n\n---\n\nx", 0},
		"a list between rules":    {"---\n- a\n- b\n---\nx", "file name", "---\n- a\n- b\n---\nx", 0},
		"a rule at the end":       {"---", "file name", "---", 0},
		"folded":                  {"---\ntitle: >\n  One\n  two\n---\nx", "One two", "x", 0},
		"quoted colon":            {"---\ntitle: \"One: two\"\n---\nx", "One: two", "x", 0},
		"carriage returns":        {"---\r\ntitle: One\r\n---\r\nx\r\ny", "One", "x\ny", 0},
		"old carriage returns":    {"---\rtitle: One\r---\rx", "One", "x", 0},
		"byte order mark":         {"\uFEFF---\ntitle: One\n---\nx", "One", "x", 0},
		"decomposed":              {"---\ntitle: Cafe\u0301\n---\nx", "Caf\u00e9", "x", 0},
		"a comment":               {"---\n# nothing here\ntitle: One\n---\nx", "One", "x", 0},
		"a second block in a doc": {"---\ntitle: One\n---\nx\n\n---\ntitle: Two\n---\n", "One", "x\n\n---\ntitle: Two\n---\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := note(t, c.content)
			require.Equal(t, c.title, doc.Title)
			require.Equal(t, c.body, doc.Body)
			require.Len(t, doc.Warnings, c.warnings, "%v", doc.Warnings)
		})
	}
}

// Case 73: a hash that changes only by line ends makes every file on another system a changed one.
func TestHashIgnoresHowTheTextIsWritten(t *testing.T) {
	t.Parallel()
	want := note(t, "---\ntitle: Caf\u00e9\n---\nx\n").FileHash
	for _, same := range []string{"---\r\ntitle: Caf\u00e9\r\n---\r\nx\r\n", "\uFEFF---\ntitle: Cafe\u0301\n---\nx\n"} {
		require.Equal(t, want, note(t, same).FileHash)
	}
	require.NotEqual(t, want, note(t, "---\ntitle: Caf\u00e9\n---\nX\n").FileHash)
}

func TestAliasBombIsNotExpanded(t *testing.T) {
	t.Parallel()
	bomb := "---\na: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		ref := fmt.Sprintf("*%c,", c-1)
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(ref, 9), ","))
	}
	doc := note(t, bomb+"---\ntext")
	require.Equal(t, "text", doc.Body)
	raw, err := json.Marshal(doc.Metadata)
	require.NoError(t, err)
	require.Less(t, len(raw), 10_000)
}

func TestEscapedNULDoesNotReachTheDatabase(t *testing.T) {
	t.Parallel()
	doc := note(t, "---\nkey: \"a\\0b\"\n---\ntext")
	require.NotContains(t, fmt.Sprint(doc.Metadata), "\x00")
	_, err := folder(t, FormatMarkdown, map[string]string{"a.md": "---\ntitle: \"a\\0b\"\n---\ntext"}).Read("a.md")
	requireInvalid(t, err, "title", "NUL")
}

// suiteMarks are how the test suite writes what can't be seen.
var suiteMarks = strings.NewReplacer("␣", " ", "————»", "\t", "———»", "\t", "——»", "\t", "—»", "\t", "»", "\t", "←", "\r", "⇔", "\uFEFF", "↵", "", "∎\n", "")

func TestYAMLSuiteNeitherPanicsNorLosesText(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(shareddata.Dir(t, "yaml-test-suite"), "src", "*.yaml"))
	require.NoError(t, err)
	require.Len(t, paths, 351)
	cases, recovered, asText := 0, 0, 0
	for _, p := range paths {
		raw, err := os.ReadFile(p)
		require.NoError(t, err)
		var list []struct{ Yaml string }
		require.NoError(t, yaml.Unmarshal(raw, &list), p)
		for _, c := range list {
			if c.Yaml == "" {
				continue
			}
			cases++
			text, err := decode([]byte("---\n" + suiteMarks.Replace(c.Yaml) + "\n---\nThe body.\n"))
			require.NoError(t, err)
			h, err := splitHeader(text)
			require.NoError(t, err)
			require.True(t, strings.HasSuffix(h.body, "The body.\n"), p)
			kept, err := json.Marshal(h.fields)
			require.NoError(t, err, p)
			switch {
			case !h.present:
				asText++
				require.Equal(t, text, h.body, p)
			case len(h.warnings) > 0:
				recovered++
				block := strings.TrimSuffix(strings.TrimPrefix(text, "---\n"), h.body)
				requireWordsKept(t, p, block, string(kept)+h.unread)
			}
		}
	}
	t.Logf("%d cases: %d are text, %d were recovered", cases, asText, recovered)
	require.Greater(t, cases, 350)
}

// anchor is the name or the tag of a node: YAML's own, not text.
var anchor = regexp.MustCompile(`[&!]\S+`)

// requireWordsKept asserts that every word of a recovered block is kept somewhere.
func requireWordsKept(t *testing.T, path, block, kept string) {
	t.Helper()
	for _, line := range strings.Split(block, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "#") || strings.TrimSpace(line) == "..." {
			continue
		}
		line, _, _ = strings.Cut(line, " #")
		line = anchor.ReplaceAllString(line, "")
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r < 'A' || r > 'z' || (r > 'Z' && r < 'a') }) {
			require.Contains(t, kept, word, "%s:\n%s", path, block)
		}
	}
}

func FuzzHeader(f *testing.F) {
	f.Add("---\ntitle: a: b\n---\nbody")
	f.Add("---\na: &a [*a]\n---\n")
	f.Add("---\r\n? key\r\n: - value\r\n---")
	f.Fuzz(func(t *testing.T, raw string) {
		text, err := decode([]byte(raw))
		if err != nil {
			return
		}
		h, err := splitHeader(text)
		if err != nil {
			return
		}
		require.True(t, strings.HasSuffix(text, h.body))
		_, err = json.Marshal(h.fields)
		require.NoError(t, err)
		parsePage(h.body)
	})
}
