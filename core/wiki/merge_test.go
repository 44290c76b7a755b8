package wiki_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/core/wiki"
)

func TestMergeBringsSectionsOfOneHeadingTogether(t *testing.T) {
	t.Parallel()
	lead := "Deploy with care.\n\n## Ports\n\nThe proxy listens on 8080.\n\n### TLS\n\nOn 8443.\n\n## Rollback\n\nRun `undo`.\n"
	other := "Deploy with care.\n\n## Ports\n\nThe proxy listens on 8081.\n\n### Metrics\n\nOn 9090.\n\n## Contacts\n\nAsk Ada.\n"
	require.Equal(t, "Deploy with care.\n\n## Ports\n\nThe proxy listens on 8080.\n\nFrom \"Proxy\":\n\nThe proxy listens on 8081.\n\n"+
		"### TLS\n\nOn 8443.\n\n### Metrics\n\nOn 9090.\n\n## Rollback\n\nRun `undo`.\n\n## Contacts\n\nAsk Ada.\n",
		wiki.MergeBodies(lead, other, "Proxy"))
}

func TestMergeOfTitledDocumentsKeepsBothTitles(t *testing.T) {
	t.Parallel()
	require.Equal(t, "# One\n\nText.\n\nFrom \"Two\":\n\nTwo\n\nMore.\n\n## Sub\n\nSame.\n",
		wiki.MergeBodies("# One\n\nText.\n\n## Sub\n\nSame.", "# Two\n\nMore.\n\n## Sub\n\nSame.", "Two"))
}

func TestMergeLeavesCodeWhole(t *testing.T) {
	t.Parallel()
	code := "```sh\n# not a heading\n\nrun\n```"
	require.Equal(t, code+"\n", wiki.MergeBodies(code, code, "x"))
	require.Equal(t, "```\nopen\n```\n\nFrom \"x\":\n\nafter\n", wiki.MergeBodies("```\nopen", "after", "x"), "an open fence must not swallow the other side")
}

// lines are a text's lines with blanks collapsed: the unit that a merge must keep.
func lines(text string) []string {
	var all []string
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if fields := strings.Fields(line); len(fields) > 0 {
			all = append(all, strings.Join(fields, " "))
		}
	}
	return all
}

func TestMergeKeepsEveryLineOfBothSides(t *testing.T) {
	t.Parallel()
	line := rapid.OneOf(
		rapid.SampledFrom([]string{"", "", "# A", "# B", "## C", "### D", "###### E", "```", "~~~~", "```go", "    indented", "- item", "> quote", "====", "####### seven", "#tag"}),
		rapid.StringMatching(`[a-c .#~\x60]{0,6}`),
	)
	text := rapid.Map(rapid.SliceOfN(line, 0, 25), func(l []string) string { return strings.Join(l, "\n") })
	rapid.Check(t, func(t *rapid.T) {
		lead, other := text.Draw(t, "lead"), text.Draw(t, "other")
		merged := wiki.MergeBodies(lead, other, "the other")
		kept := map[string]bool{}
		for _, l := range lines(merged) {
			kept[l] = true
			kept[strings.TrimLeft(l, "# ")] = true
		}
		for _, l := range append(lines(lead), lines(other)...) {
			// A document's own title line may have become text.
			if !kept[l] && !(strings.HasPrefix(l, "# ") && kept[strings.TrimLeft(l, "# ")]) {
				t.Fatalf("lost %q in\n%s", l, merged)
			}
		}
	})
}
