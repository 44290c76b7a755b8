package action

// IDs that the root or a screen handles.
const (
	ScreenConflicts ID = "screen.conflicts"
	ScreenPair      ID = "screen.pair"
	ScreenSearch    ID = "screen.search"

	ScreenDrafts     ID = "screen.drafts"
	ScreenDrift      ID = "screen.drift"
	ScreenSuppressed ID = "screen.suppressed"
	ScreenProposals  ID = "screen.proposals"
	ScreenHealth     ID = "screen.health"
	ScreenAudit      ID = "screen.audit"

	HelpOpen    ID = "help"
	PaletteOpen ID = "palette"
	Undo        ID = "undo"
	Redo        ID = "redo"
	Execute     ID = "execute"
	Refresh     ID = "refresh"
	Statistics  ID = "statistics"
	Quit        ID = "quit"
	Back        ID = "back"

	Down     ID = "down"
	Up       ID = "up"
	PageDown ID = "page-down"
	PageUp   ID = "page-up"
	Top      ID = "top"
	Bottom   ID = "bottom"

	Open   ID = "conflicts.open"
	Filter ID = "conflicts.filter"
	Sort   ID = "conflicts.sort"
	States ID = "conflicts.state"

	Dismiss   ID = "judge.dismiss"
	KeepLeft  ID = "judge.keep-left"
	KeepRight ID = "judge.keep-right"
	MergeBoth ID = "judge.merge"
	Skip      ID = "judge.skip"
	Defer     ID = "judge.defer"
	Note      ID = "judge.note"

	WhyPair     ID = "pair.why"
	NextChange  ID = "pair.next-change"
	PrevChange  ID = "pair.previous-change"
	NextPair    ID = "pair.next"
	PrevPair    ID = "pair.previous"
	OtherPane   ID = "pair.pane"
	Layout      ID = "pair.layout"
	ChangesOnly ID = "pair.changes-only"
	Whitespace  ID = "pair.whitespace"
	Copy        ID = "copy"

	Accept ID = "layer.accept" // run the marked entry, save the text
	Cancel ID = "layer.cancel"
	Yes    ID = "confirm.yes"
	No     ID = "confirm.no"
	Retry  ID = "start.retry"
)

var (
	moving    = []Context{Conflicts, Search, Pair, Reader, Drafts, Drift, Suppressed, Proposals, Proposal, Health, Audit, Why}
	scrolling = append([]Context{Confirm, Returned, Session, Views}, moving...)
	judging   = []Context{Conflicts, Pair}
)

// Default is the table with the keys as shipped.
func Default() Table {
	var all []Action
	for _, group := range [][]Action{judgeActions, pairActions, listActions, MarkActions, ViewActions, SearchActions, DraftActions, MoreActions, SuppressedActions, ProposalActions, moveActions, globalActions, layerActions} {
		all = append(all, group...)
	}
	return New(all)
}

var judgeActions = []Action{
	{ID: Dismiss, Keys: []string{"a"}, Label: "both stand", Help: "Dismiss the conflict: both articles stand. Acts at once, can be taken back.", Contexts: judging, Footer: 1, Enabled: judgeableOrMarked},
	{ID: KeepLeft, Keys: []string{"h", "left"}, Label: "keep left", Help: "Keep the left article; the right one becomes superseded when verdicts are executed.", Contexts: []Context{Pair}, Footer: 2, Enabled: judgeableSeen},
	{ID: KeepRight, Keys: []string{"l", "right"}, Label: "keep right", Help: "Keep the right article; the left one becomes superseded when verdicts are executed.", Contexts: []Context{Pair}, Footer: 3, Enabled: judgeableSeen},
	{ID: MergeBoth, Keys: []string{"m"}, Label: "merge", Help: "Ask for a merged draft of both when verdicts are executed; neither is retired.", Contexts: []Context{Pair}, Footer: 4, Enabled: judgeableSeen},
	{ID: Skip, Keys: []string{"s"}, Label: "skip", Help: "Leave this pair for later in this session; nothing is recorded.", Contexts: judging, Footer: 5, Enabled: judgeableOrMarked},
	{ID: Defer, Keys: []string{"d"}, Label: "defer", Help: "Put this pair away until tomorrow, on this machine only.", Contexts: judging, Footer: 6, Enabled: judgeableOrMarked},
	{ID: Note, Keys: []string{"e"}, Label: "note", Help: "Write why: the note is kept with the verdict as its evidence.", Contexts: []Context{Pair}, Footer: 7, Enabled: judgeable},
}

var pairActions = []Action{
	{ID: WhyPair, Keys: []string{"w"}, Label: "why", Help: "Show why this pair is here: flag, similarity, differing words, evidence, history.", Contexts: []Context{Pair, Why}, Footer: 8, Enabled: shown},
	{ID: NextChange, Keys: []string{"n"}, Label: "next change", Help: "Go to the next difference between the two texts.", Contexts: []Context{Pair}, Footer: 9, Enabled: changes},
	{ID: PrevChange, Keys: []string{"N"}, Label: "previous change", Help: "Go to the previous difference.", Contexts: []Context{Pair}, Enabled: changes},
	{ID: NextPair, Keys: []string{"J", "]"}, Label: "next pair", Help: "Show the next pair without judging this one.", Contexts: []Context{Pair}, Enabled: rows},
	{ID: PrevPair, Keys: []string{"K", "["}, Label: "previous pair", Help: "Show the previous pair.", Contexts: []Context{Pair}, Enabled: rows},
	{ID: OtherPane, Keys: []string{"tab"}, Label: "other side", Help: "Move the mark between left and right: copying takes the marked side.", Contexts: []Context{Pair}, Enabled: shown},
	{ID: Layout, Keys: []string{"t"}, Label: "layout", Help: "Change the view: side by side, stacked, in one text.", Contexts: []Context{Pair}, Enabled: shown},
	{ID: ChangesOnly, Keys: []string{"f"}, Label: "only changes", Help: "Show only what differs, or the full texts again.", Contexts: []Context{Pair}, Enabled: shown},
	{ID: Whitespace, Keys: []string{"i"}, Label: "ignore spaces", Help: "Count a difference in white space only as none, or as one again.", Contexts: []Context{Pair}, Enabled: shown},
	{ID: Copy, Keys: []string{"y"}, Label: "copy", Help: "Copy the marked article's title, id and text to the clipboard of the terminal.", Contexts: []Context{Pair}, Enabled: shown},
}

var listActions = []Action{
	{ID: Open, Keys: []string{"enter"}, Label: "open", Help: "Show the selected pair side by side.", Contexts: []Context{Conflicts}, Footer: 1, Enabled: openable},
	{ID: Filter, Keys: []string{"/"}, Label: "filter", Help: "Narrow the queue: kind:asserted category:decision by:name over:0.95 under:0.99 older:7d newer:24h.", Contexts: []Context{Conflicts}, Footer: 7},
	{ID: Sort, Keys: []string{"o"}, Label: "sort", Help: "Change the order: impact, newest, oldest.", Contexts: []Context{Conflicts}, Footer: 8},
	{ID: States, Keys: []string{"tab"}, Label: "open/to execute/settled", Help: "Change which pairs are listed: open, judged and waiting for execution, settled.", Contexts: []Context{Conflicts}, Footer: 9},
}

var moveActions = []Action{
	{ID: Down, Keys: []string{"j", "down"}, Label: "down", Help: "Move down.", Contexts: scrolling},
	{ID: Up, Keys: []string{"k", "up"}, Label: "up", Help: "Move up.", Contexts: scrolling},
	{ID: PageDown, Keys: []string{"pgdown", "ctrl+d", "ctrl+f"}, Label: "page down", Help: "Move down by a page.", Contexts: scrolling},
	{ID: PageUp, Keys: []string{"pgup", "ctrl+u", "ctrl+b"}, Label: "page up", Help: "Move up by a page.", Contexts: scrolling},
	{ID: Top, Keys: []string{"g", "home"}, Label: "top", Help: "Go to the first row or line.", Contexts: scrolling},
	{ID: Bottom, Keys: []string{"G", "end"}, Label: "bottom", Help: "Go to the last row or line.", Contexts: scrolling},
}

var globalActions = []Action{
	{ID: Undo, Keys: []string{"u"}, Label: "undo", Help: "Take back your newest act that can still be taken back. Works after a restart and from another machine.", Contexts: []Context{Global}, Footer: 20, Enabled: undoable},
	{ID: Redo, Keys: []string{"U"}, Label: "redo", Help: "Do again what was taken back last.", Contexts: []Context{Global}, Enabled: redoable},
	{ID: Execute, Keys: []string{"X"}, Label: "execute", Help: "Apply the verdicts that wait: superseded articles leave the search, merges become drafts. Asks first.", Contexts: []Context{Global}, Enabled: executable},
	{ID: Back, Keys: []string{"esc"}, Label: "back", Help: "Go back one step. Never loses work.", Contexts: []Context{Global}},
	{ID: Refresh, Keys: []string{"ctrl+r"}, Label: "read again", Help: "Read everything on screen from the server again.", Contexts: []Context{Global}},
	{ID: ScreenConflicts, Keys: []string{"1"}, Label: "Conflicts", Help: "The queue of pairs that may contradict or repeat each other.", Contexts: []Context{Global}},
	{ID: ScreenPair, Keys: []string{"2"}, Label: "Pair", Help: "The selected pair, side by side.", Contexts: []Context{Global}, Enabled: pairScreen},
	{ID: ScreenDrafts, Keys: []string{"3"}, Label: "Drafts", Help: "Drafts beside their nearest neighbour.", Contexts: []Context{Global}, Enabled: here(ScreenDrafts, "Drafts")},
	{ID: ScreenDrift, Keys: []string{"4"}, Label: "Drift", Help: "Submissions that differed from what was stored.", Contexts: []Context{Global}, Enabled: here(ScreenDrift, "Drift")},
	{ID: ScreenSuppressed, Keys: []string{"5"}, Label: "Suppressed", Help: "Articles hidden from reading.", Contexts: []Context{Global}, Enabled: here(ScreenSuppressed, "Suppressed")},
	{ID: ScreenProposals, Keys: []string{"6"}, Label: "Proposals", Help: "Bulk proposals that wait for a person.", Contexts: []Context{Global}, Enabled: here(ScreenProposals, "Proposals")},
	{ID: ScreenSearch, Keys: []string{"7"}, Label: "Search", Help: "Search the wiki and read an article.", Contexts: []Context{Global}, Enabled: here(ScreenSearch, "Search")},
	{ID: ScreenHealth, Keys: []string{"8"}, Label: "Health", Help: "How the wiki is: what needs a look, what waits for a person, the index, what was written.", Contexts: []Context{Global}, Enabled: here(ScreenHealth, "Health")},
	{ID: ScreenAudit, Keys: []string{"9"}, Label: "Audit", Help: "Who did what.", Contexts: []Context{Global}, Enabled: here(ScreenAudit, "Audit")},
	{ID: Statistics, Keys: []string{"S"}, Label: "statistics", Help: "Show how this session goes: what was judged, how fast, and how long the rest would take.", Contexts: []Context{Global}},
	{ID: PaletteOpen, Keys: []string{":", "ctrl+k"}, Label: "palette", Help: "Find any action by name and run it.", Contexts: []Context{Global}},
	{ID: HelpOpen, Keys: []string{"?"}, Label: "help", Help: "Show what can be done here; type to search, enter runs it.", Contexts: []Context{Global}, Footer: 21},
	{ID: Quit, Keys: []string{"q", "ctrl+c"}, Label: "quit", Help: "Leave. Acts that have not reached the server are kept and sent at the next start.", Contexts: []Context{Global, Gate}, Footer: 22},
}

var layerActions = []Action{
	{ID: Retry, Keys: []string{"r", "enter"}, Label: "try again", Help: "Ask the server again.", Contexts: []Context{Gate}, Footer: 1},
	{ID: Yes, Keys: []string{"y"}, Label: "yes", Help: "Do it.", Contexts: []Context{Confirm}, Footer: 2},
	{ID: No, Keys: []string{"n", "esc", "enter", "q", "ctrl+c"}, Label: "no", Help: "Leave everything as it is.", Contexts: []Context{Confirm}, Footer: 1},
	{ID: Accept, Keys: []string{"enter"}, Label: "accept", Help: "Run the marked entry, or keep the text.", Contexts: []Context{Help, Field, Returned}, Footer: 1},
	{ID: Cancel, Keys: []string{"esc", "ctrl+c"}, Label: "close", Help: "Close this layer; a text being written is kept.", Contexts: []Context{Help, Field, Why, Returned, Session, Views}, Footer: 2},
}

func pairScreen(s State) string {
	if s.Pair || s.Selected {
		return ""
	}
	return "no pair is selected"
}
