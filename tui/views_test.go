package tui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/action"
)

// filtered types a filter.
func (l *lab) filtered(text string) {
	l.press("/")
	l.typed(text)
	l.press("enter")
}

func TestAViewIsSavedPickedAndDeleted(t *testing.T) {
	t.Parallel()
	l := newLab(t, 12)
	l.press("V")
	l.shows("No view is saved.", "s saves: open by impact")
	l.press("esc")
	l.filtered("kind:asserted older:2d")
	l.press("o", "V", "s")
	l.typed("Disputes")
	l.shows("saves open by newest, kind:asserted older:2d, in the place of what has the name")
	l.press("enter")
	l.shows("> Disputes", "open by newest, kind:asserted older:2d")
	l.press("esc")
	l.shows("view: Disputes")
	l.press("esc")
	l.lacks("view:")
	require.Equal(t, 12, l.model.queue.Queue.Len())

	l.pass(1)
	l.open() // on another machine
	l.press("V", "enter")
	l.shows("by newest", "view: Disputes", "filter: kind:as")
	require.Equal(t, 2, l.model.queue.Queue.Len())
	l.press("tab")
	l.lacks("view:") // it is another list now

	l.press("V", "x")
	l.shows("deleted: x brings it back")
	views, err := l.server.ConflictViews(t.Context())
	require.NoError(t, err)
	require.Empty(t, views)
	l.press("x")
	l.shows("kind:asserted")
	views, err = l.server.ConflictViews(t.Context())
	require.NoError(t, err)
	require.Equal(t, api.ConflictQuery{State: "open", Sort: "newest", Kind: "asserted", MinAgeHours: 48}, views[0].Filter)
}

func TestViewsAreListedByNameAndKeepTheirPlace(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.press("V")
	for _, name := range []string{"beta", "Alpha", "gamma"} {
		l.press("s")
		l.typed(name)
		l.press("enter")
		l.shows("> " + name)
	}
	l.press("g", "j")
	l.shows("> beta")
	l.press("s")
	require.Equal(t, []action.Context{action.Field}, l.model.queue.Contexts(), "letters are text")
	l.press("esc")
	l.shows("> beta")
	l.press("s", "enter")
	l.shows("> beta") // no name: nothing is saved
	l.press("s")
	l.typed("gamma")
	l.press("enter")
	l.shows("> gamma")
	require.Len(t, l.model.queue.Contexts(), 1)
}

func TestAViewThatCannotBeReadOrSavedSaysWhy(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.server.Fail(wiki.Errorf(wiki.CodeTimeout, "the query took too long"))
	l.press("V")
	l.shows("The saved views could not be read.", "the query took too long")
	l.server.Fail(nil)
	l.press("esc", "V")
	l.server.Fail(&wiki.Error{Code: wiki.CodeInvalid, Message: "50 views are kept already", Remedy: "delete one first"})
	l.press("s")
	l.typed("one more")
	l.press("enter")
	l.shows("! 50 views are kept already: delete one first", "name: one more")
	l.server.Fail(nil)
	l.press("enter")
	l.shows("> one more")
}

// What was asked from a list of views that was closed since does not show in the next one.
func TestALateAnswerOfClosedViewsIsDropped(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	cmd := l.model.queue.Do(action.ViewsOpen)
	l.press("esc", "V")
	old := cmd()
	_, err := l.server.SaveConflictView(t.Context(), api.NewConflictView{Name: "new", Filter: api.ConflictQuery{State: "open", Sort: "impact"}})
	require.NoError(t, err)
	l.press("esc", "V")
	l.shows("> new")
	l.send(old)
	l.shows("> new")
}

// A view that is saved before the others have been read stays in their list.
func TestAViewThatIsSavedWhileTheOthersAreReadIsKept(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	filter := api.ConflictQuery{State: "open", Sort: "impact"}
	_, err := l.server.SaveConflictView(t.Context(), api.NewConflictView{Name: "old", Filter: filter})
	require.NoError(t, err)
	read := l.model.queue.Do(action.ViewsOpen)() // asked, and answered, before the save; heard after it
	l.press("s")
	l.typed("mine")
	l.press("enter")
	l.send(read)
	l.shows("> mine", "  old")
}
