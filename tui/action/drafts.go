package action

// IDs of the drafts screen.
const (
	DraftOpen    ID = "drafts.open"
	DraftPublish ID = "drafts.publish"
	DraftDiscard ID = "drafts.discard"
	DraftEdit    ID = "drafts.edit"
	DraftMerge   ID = "drafts.merge"
	DraftArticle ID = "drafts.article"
	DraftOther   ID = "drafts.neighbour"
)

// DraftActions are those of the drafts screen; those of a comparison it shares with the drift screen.
var DraftActions = []Action{
	{ID: DraftOpen, Keys: []string{"enter"}, Label: "compare", Help: "Compare the draft with the published article that it is nearest to.", Contexts: []Context{Drafts}, Footer: 1, Enabled: chosen},
	{ID: DraftPublish, Keys: []string{"p"}, Label: "publish", Help: "Publish the draft as it is; the article near to it stands too. Acts at once, can be taken back in this session.", Contexts: []Context{Drafts}, Footer: 2, Enabled: seenDraft},
	{ID: DraftDiscard, Keys: []string{"d"}, Label: "discard", Help: "Archive the draft; its text is kept. Acts at once, can be taken back in this session.", Contexts: []Context{Drafts}, Footer: 3, Enabled: seenDraft},
	{ID: DraftMerge, Keys: []string{"m"}, Label: "merge", Help: "Edit both texts as one, with marks where they differ; what is saved becomes the draft.", Contexts: []Context{Drafts}, Footer: 4, Enabled: mergeable},
	{ID: DraftEdit, Keys: []string{"e"}, Label: "edit", Help: "Edit the draft in your editor ($VISUAL or $EDITOR); what is saved becomes the draft.", Contexts: []Context{Drafts}, Footer: 5, Enabled: seenDraft},
	{ID: DraftArticle, Keys: []string{"o"}, Label: "read draft", Help: "Read the draft in the reader.", Contexts: []Context{Drafts}, Footer: 7, Enabled: chosen},
	{ID: DraftOther, Keys: []string{"O"}, Label: "read neighbour", Help: "Read the article that the draft is nearest to, in the reader.", Contexts: []Context{Drafts}, Enabled: neighboured},
}

func seenDraft(s State) string {
	if why := chosen(s); why != "" {
		return why
	}
	if why := comparingDrift(s); why != "" {
		return why + ": what is decided about is seen before"
	}
	return ""
}

func neighboured(s State) string {
	if why := chosen(s); why != "" {
		return why
	}
	if !s.About {
		return "no article near to this draft was found when it was written"
	}
	return ""
}

func mergeable(s State) string {
	if why := seenDraft(s); why != "" {
		return why
	}
	return neighboured(s)
}
