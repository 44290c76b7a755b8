package action

import (
	"fmt"
	"strings"
)

// contextTitles names the places in the order of the keys document.
var contextTitles = []struct {
	context Context
	title   string
}{
	{Conflicts, "Conflicts: the queue"},
	{Pair, "Pair: two articles side by side"},
	{Search, "Search"},
	{Reader, "Reader"},
	{Drafts, "Drafts"},
	{Drift, "Drift"},
	{Suppressed, "Suppressed"},
	{Proposals, "Proposals: the list"},
	{Proposal, "Proposal: one bulk proposal and its articles"},
	{Health, "Health"},
	{Audit, "Audit"},
	{Why, "Why this pair"},
	{Global, "Everywhere but in dialogs and text fields"},
	{Help, "Help and palette"},
	{Field, "Text fields"},
	{Confirm, "Confirmation"},
	{Returned, "Acts that were not done"},
	{Views, "Saved views of the queue"},
	{Session, "Statistics of the session"},
	{Gate, "Start and connection screens"},
}

// Title names a context for people.
func Title(c Context) string {
	for _, t := range contextTitles {
		if t.context == c {
			return t.title
		}
	}
	return string(c)
}

// Markdown writes the keys document: every action by place, with its keys and its name for the config file.
func (t Table) Markdown() string {
	var b strings.Builder
	b.WriteString("# Keys of wiki-tui\n\nMade from the table of actions by `wiki-tui keys --markdown`; do not edit. Bind other keys in\n" +
		"`$XDG_CONFIG_HOME/wiki/tui.yaml`:\n\n```yaml\nkeys:\n  judge.dismiss: [x]\n  undo: [z, ctrl+z]\n```\n")
	for _, place := range contextTitles {
		fmt.Fprintf(&b, "\n## %s\n\n| keys | action | name | what it does |\n|---|---|---|---|\n", place.title)
		for _, a := range t.Available(place.context) {
			fmt.Fprintf(&b, "| %s | %s | `%s` | %s |\n", keyCells(a.Keys), a.Label, a.ID, strings.ReplaceAll(a.Help, "|", "\\|"))
		}
	}
	return b.String()
}

func keyCells(keys []string) string {
	cells := make([]string, len(keys))
	for i, k := range keys {
		cells[i] = "`" + strings.ReplaceAll(k, "|", "\\|") + "`"
	}
	return strings.Join(cells, " ")
}
