package action

// IDs of the marks of the conflict queue.
const (
	MarkPair  ID = "conflicts.mark"
	MarkRange ID = "conflicts.range"
	MarkAll   ID = "conflicts.mark-all"
	MarkNone  ID = "conflicts.unmark"
)

// MarkActions choose pairs of the queue to be judged, skipped or deferred together.
var MarkActions = []Action{
	{ID: MarkPair, Keys: []string{"space"}, Label: "mark", Help: "Mark the selected pair, or the range, or take the mark off: both stand, skip and defer act on all marked pairs, after showing what becomes of each.", Contexts: []Context{Conflicts}, Footer: 21, Enabled: markable},
	{ID: MarkRange, Keys: []string{"v"}, Label: "range", Help: "Start a range at the selected pair, or end it; space marks the range.", Contexts: []Context{Conflicts}, Enabled: markable},
	{ID: MarkAll, Keys: []string{"*"}, Label: "mark all", Help: "Mark every pair that the filter lets through, or take all those marks off.", Contexts: []Context{Conflicts}, Enabled: markable},
	{ID: MarkNone, Keys: []string{"M"}, Label: "unmark all", Help: "Take off every mark, of pairs behind another filter too.", Contexts: []Context{Conflicts}, Enabled: marked},
}

func markable(s State) string {
	if s.Listed != "" && s.Listed != "open" {
		return "only open pairs can be judged: tab lists them"
	}
	return rows(s)
}

func marked(s State) string {
	if s.Marked == 0 {
		return "no pair is marked"
	}
	return ""
}

// judgeableOrMarked is the condition of a verdict on the selected pair, or on the marked ones.
func judgeableOrMarked(s State) string {
	if s.Marked == 0 {
		return judgeable(s)
	}
	return ""
}
