package action

// IDs of the saved views of the conflict queue.
const (
	ViewsOpen ID = "conflicts.views"
	ViewPick  ID = "views.pick"
	ViewSave  ID = "views.save"
	ViewDrop  ID = "views.delete"
)

// ViewActions keep filters of the queue under names, each curator's own, on the server.
var ViewActions = []Action{
	{ID: ViewsOpen, Keys: []string{"V"}, Label: "views", Help: "Show the saved views: a filter, a state and an order of the queue under a name.", Contexts: []Context{Conflicts}, Footer: 23},
	{ID: ViewPick, Keys: []string{"enter"}, Label: "show it", Help: "List the queue as the selected view has it.", Contexts: []Context{Views}, Footer: 1, Enabled: viewSelected},
	{ID: ViewSave, Keys: []string{"s"}, Label: "save this filter", Help: "Keep the filter, state and order that the queue has now under a name.", Contexts: []Context{Views}, Footer: 2},
	{ID: ViewDrop, Keys: []string{"x"}, Label: "delete", Help: "Delete the selected view, or bring a deleted one back while it is still listed.", Contexts: []Context{Views}, Footer: 3, Enabled: viewSelected},
}

func viewSelected(s State) string {
	switch {
	case s.SetUnread:
		return "the views have not arrived yet"
	case !s.Chosen:
		return "no view is saved yet: s saves this filter"
	}
	return ""
}
