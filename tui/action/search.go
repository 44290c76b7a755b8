package action

// IDs of the search screen and its reader.
const (
	SearchEdit ID = "search.edit"
	SearchOpen ID = "search.open"
	SearchWhy  ID = "search.explain"
	SearchMode ID = "search.mode"

	ReaderFollow  ID = "reader.follow"
	ReaderLinks   ID = "reader.links"
	ReaderPast    ID = "reader.versions"
	ReaderSince   ID = "reader.since"
	ReaderSource  ID = "reader.source"
	ReaderCopy    ID = "reader.copy"
	ReaderNext    ID = "reader.next-change"
	ReaderPrev    ID = "reader.previous-change"
	ReaderLayout  ID = "reader.layout"
	ReaderChanges ID = "reader.changes-only"
	ReaderSpaces  ID = "reader.whitespace"
)

// SearchActions are those of the search screen and its reader.
var SearchActions = []Action{
	{ID: SearchEdit, Keys: []string{"/", "i"}, Label: "search", Help: "Type a question or words; enter searches.", Contexts: []Context{Search}, Footer: 1},
	{ID: SearchOpen, Keys: []string{"enter"}, Label: "read", Help: "Read the selected article.", Contexts: []Context{Search}, Footer: 2, Enabled: results},
	{ID: SearchWhy, Keys: []string{"w"}, Label: "why here", Help: "Show how the selected result got its place.", Contexts: []Context{Search}, Footer: 3, Enabled: results},
	{ID: SearchMode, Keys: []string{"tab"}, Label: "mode", Help: "Search by words and meaning together, by words only, by meaning only.", Contexts: []Context{Search}, Footer: 4},
	{ID: ReaderFollow, Keys: []string{"enter"}, Label: "open", Help: "Read the selected linked article, or see what the selected version changed.", Contexts: []Context{Reader}, Footer: 5, Enabled: listing},
	{ID: ReaderLinks, Keys: []string{"L", "l"}, Label: "links", Help: "Show the articles linked from and to this one.", Contexts: []Context{Reader}, Footer: 1, Enabled: reading},
	{ID: ReaderPast, Keys: []string{"v"}, Label: "versions", Help: "Show earlier versions and what each changed.", Contexts: []Context{Reader}, Footer: 2, Enabled: reading},
	{ID: ReaderSince, Keys: []string{"c"}, Label: "changes since", Help: "Compare the selected version with the article as it is now.", Contexts: []Context{Reader}, Footer: 6, Enabled: listingVersions},
	{ID: ReaderSource, Keys: []string{"r"}, Label: "source", Help: "Show the text as written, or rendered again.", Contexts: []Context{Reader}, Footer: 3, Enabled: reading},
	{ID: ReaderCopy, Keys: []string{"y"}, Label: "copy", Help: "Copy the article's title, id and text to the clipboard of the terminal.", Contexts: []Context{Reader}, Footer: 4, Enabled: reading},
	{ID: ReaderNext, Keys: []string{"n"}, Label: "next change", Help: "Go to the next difference between the two versions.", Contexts: []Context{Reader}, Footer: 7, Enabled: comparing},
	{ID: ReaderPrev, Keys: []string{"N"}, Label: "previous change", Help: "Go to the previous difference.", Contexts: []Context{Reader}, Enabled: comparing},
	{ID: ReaderLayout, Keys: []string{"t"}, Label: "layout", Help: "Change the view of the versions: side by side, stacked, in one text.", Contexts: []Context{Reader}, Enabled: comparing},
	{ID: ReaderChanges, Keys: []string{"f"}, Label: "only changes", Help: "Show only what differs between the versions, or the full texts again.", Contexts: []Context{Reader}, Enabled: comparing},
	{ID: ReaderSpaces, Keys: []string{"s"}, Label: "ignore spaces", Help: "Count a difference in white space only as none, or as one again.", Contexts: []Context{Reader}, Enabled: comparing},
}

func listing(s State) string {
	if !s.Listing {
		return "show links (L) or versions (v) first"
	}
	return ""
}

func listingVersions(s State) string {
	if !s.Listing || s.Versions == 0 {
		return "show the versions (v) first"
	}
	return ""
}

func comparing(s State) string {
	if !s.Comparing {
		return "open a version (v) first"
	}
	return ""
}
