package action

// IDs of the drift, the suppressed and the audit screen.
const (
	DriftOpen    ID = "drift.open"
	DriftArticle ID = "drift.article"
	DriftStates  ID = "drift.state"
	DriftAdopt   ID = "drift.adopt"
	DriftDrop    ID = "drift.dismiss"
	DriftNext    ID = "drift.next-change"
	DriftPrev    ID = "drift.previous-change"
	DriftLayout  ID = "drift.layout"
	DriftChanges ID = "drift.changes-only"
	DriftSpaces  ID = "drift.whitespace"

	SuppressedLift    ID = "suppressed.lift"
	SuppressedPreview ID = "suppressed.preview"
	SuppressedArticle ID = "suppressed.article"

	AuditFilter  ID = "audit.filter"
	AuditArticle ID = "audit.article"
	AuditMine    ID = "audit.same-who"
	AuditSame    ID = "audit.same-act"
)

// comparers are the screens that compare what waits with what stands.
var comparers = []Context{Drift, Drafts}

// MoreActions are those of the drift and the audit screen.
var MoreActions = []Action{
	{ID: DriftOpen, Keys: []string{"enter"}, Label: "compare", Help: "Compare what was submitted with the article that stood.", Contexts: []Context{Drift}, Footer: 1, Enabled: chosen},
	{ID: DriftArticle, Keys: []string{"o"}, Label: "read article", Help: "Read the article that stood, in the reader.", Contexts: []Context{Drift}, Footer: 4, Enabled: chosen},
	{ID: DriftAdopt, Keys: []string{"a"}, Label: "adopt", Help: "Make what was submitted the article's next version. Acts at once, can be taken back; the text before it stays in the history.", Contexts: []Context{Drift}, Footer: 2, Enabled: adoptable},
	{ID: DriftDrop, Keys: []string{"d"}, Label: "dismiss", Help: "Close the submission; the article stays as it is. Asks first: a closed one is not opened again.", Contexts: []Context{Drift}, Footer: 3, Enabled: droppable},
	{ID: DriftStates, Keys: []string{"tab"}, Label: "open/adopted/dismissed", Help: "Change which submissions are listed.", Contexts: []Context{Drift}, Footer: 5},
	{ID: DriftNext, Keys: []string{"n"}, Label: "next change", Help: "Go to the next difference.", Contexts: comparers, Footer: 6, Enabled: comparingDrift},
	{ID: DriftPrev, Keys: []string{"N"}, Label: "previous change", Help: "Go to the previous difference.", Contexts: comparers, Enabled: comparingDrift},
	{ID: DriftLayout, Keys: []string{"t"}, Label: "layout", Help: "Change the view: side by side, stacked, in one text.", Contexts: comparers, Enabled: comparingDrift},
	{ID: DriftChanges, Keys: []string{"f"}, Label: "only changes", Help: "Show only what differs, or the full texts again.", Contexts: comparers, Enabled: comparingDrift},
	{ID: DriftSpaces, Keys: []string{"s"}, Label: "ignore spaces", Help: "Count a difference in white space only as none, or as one again.", Contexts: comparers, Enabled: comparingDrift},

	{ID: AuditFilter, Keys: []string{"/"}, Label: "filter", Help: "Narrow the log: by:name act:article.suppress about:ID.", Contexts: []Context{Audit}, Footer: 1},
	{ID: AuditArticle, Keys: []string{"enter", "o"}, Label: "read article", Help: "Read the article that the act was about.", Contexts: []Context{Audit}, Footer: 2, Enabled: withSubject},
	{ID: AuditMine, Keys: []string{"b"}, Label: "same person", Help: "List only what the selected act's principal did.", Contexts: []Context{Audit}, Footer: 3, Enabled: chosen},
	{ID: AuditSame, Keys: []string{"t"}, Label: "same act", Help: "List only acts of the selected kind.", Contexts: []Context{Audit}, Footer: 4, Enabled: chosen},
}

// SuppressedActions are those of the suppressed screen.
var SuppressedActions = []Action{
	{ID: SuppressedLift, Keys: []string{"l"}, Label: "lift", Help: "Let the selected article be found and read again. Acts at once, can be taken back.", Contexts: []Context{Suppressed}, Footer: 1, Enabled: chosen},
	{ID: SuppressedPreview, Keys: []string{"enter", "w"}, Label: "why, and preview", Help: "Show why it is hidden, and what a search for its title answers without it.", Contexts: []Context{Suppressed}, Footer: 2, Enabled: chosen},
	{ID: SuppressedArticle, Keys: []string{"o"}, Label: "read article", Help: "Read the selected article in the reader.", Contexts: []Context{Suppressed}, Footer: 3, Enabled: chosen},
}

func chosen(s State) string {
	if !s.Chosen {
		return "the list is empty"
	}
	return ""
}

func comparingDrift(s State) string {
	if !s.Comparing {
		return "compare it (enter) first"
	}
	return ""
}

func adoptable(s State) string {
	if why := droppable(s); why != "" {
		return why
	}
	if why := comparingDrift(s); why != "" {
		return why + ": what it does is seen before it is done"
	}
	return s.NoText
}

func droppable(s State) string {
	if !s.Chosen {
		return "the list is empty"
	}
	return s.Closed
}

func withSubject(s State) string {
	if !s.About {
		return "this act was not about an article"
	}
	return ""
}
