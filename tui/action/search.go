package action

// IDs of the search screen and its reader.
const (
	SearchEdit   ID = "search.edit"
	SearchOpen   ID = "search.open"
	SearchWhy    ID = "search.explain"
	SearchMode   ID = "search.mode"
	ReaderLinks  ID = "reader.links"
	ReaderPast   ID = "reader.versions"
	ReaderSource ID = "reader.source"
)

// SearchActions are those of the search screen and its reader.
var SearchActions = []Action{
	{ID: SearchEdit, Keys: []string{"/", "i"}, Label: "search", Help: "Type a question or words; enter searches.", Contexts: []Context{Search}, Footer: 1},
	{ID: SearchOpen, Keys: []string{"enter"}, Label: "read", Help: "Read the selected article.", Contexts: []Context{Search}, Footer: 2, Enabled: results},
	{ID: SearchWhy, Keys: []string{"w"}, Label: "why here", Help: "Show how the selected result got its place.", Contexts: []Context{Search}, Footer: 3, Enabled: results},
	{ID: SearchMode, Keys: []string{"tab"}, Label: "mode", Help: "Search by words and meaning together, by words only, by meaning only.", Contexts: []Context{Search}, Footer: 4},
	{ID: ReaderLinks, Keys: []string{"L"}, Label: "links", Help: "Show the articles linked from and to this one.", Contexts: []Context{Reader}, Footer: 1, Enabled: reading},
	{ID: ReaderPast, Keys: []string{"v"}, Label: "versions", Help: "Show earlier versions and what changed.", Contexts: []Context{Reader}, Footer: 2, Enabled: reading},
	{ID: ReaderSource, Keys: []string{"t"}, Label: "source", Help: "Show the text as written, or rendered again.", Contexts: []Context{Reader}, Footer: 3, Enabled: reading},
	{ID: "reader.copy", Keys: []string{"y"}, Label: "copy", Help: "Copy the article's title, id and text to the clipboard of the terminal.", Contexts: []Context{Reader}, Enabled: reading},
}
