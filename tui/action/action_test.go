package action_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/tui/action"
)

func TestDefaultKeysDoNotClash(t *testing.T) {
	t.Parallel()
	c, found := action.Default().Clash()
	require.False(t, found, "%+v", c)
}

func TestEveryActionIsDescribed(t *testing.T) {
	t.Parallel()
	seen := map[action.ID]bool{}
	for _, a := range action.Default().All() {
		require.False(t, seen[a.ID], "%s stands twice", a.ID)
		seen[a.ID] = true
		require.NotEmpty(t, a.Label, a.ID)
		require.True(t, strings.HasSuffix(a.Help, "."), a.ID)
		require.NotEmpty(t, a.Contexts, a.ID)
		require.NotEmpty(t, a.Keys, a.ID)
	}
}

func TestLookupAsksTheTopContextFirst(t *testing.T) {
	t.Parallel()
	table := action.Default()
	a, ok := table.Lookup("enter", action.Conflicts, action.Global)
	require.True(t, ok)
	require.Equal(t, action.Open, a.ID)
	_, ok = table.Lookup("u", action.Confirm)
	require.False(t, ok, "a layer hides the global keys")
	a, ok = table.Lookup("u", action.Pair, action.Global)
	require.True(t, ok)
	require.Equal(t, action.Undo, a.ID)
}

func TestConfirmationIsNeverGivenByEnter(t *testing.T) {
	t.Parallel()
	a, ok := action.Default().Lookup("enter", action.Confirm)
	require.True(t, ok)
	require.Equal(t, action.No, a.ID)
}

func TestADisabledActionSaysWhy(t *testing.T) {
	t.Parallel()
	table := action.Default()
	reason := func(id action.ID, s action.State) string {
		a, ok := table.ByID(id)
		require.True(t, ok)
		return a.Why(s)
	}
	open := action.State{Role: "user", Linked: true, Rows: 1, Selected: true, Pair: true, Open: true}
	require.Empty(t, reason(action.KeepLeft, open))
	loading := open
	loading.Loading = true
	require.Contains(t, reason(action.KeepLeft, loading), "not arrived")
	held := open
	held.HeldBy = "ana"
	require.Contains(t, reason(action.Dismiss, held), "ana")
	require.Contains(t, reason(action.Execute, open), "no verdict waits")
	open.Waiting, open.Role = 2, "agent"
	require.Contains(t, reason(action.Execute, open), "role user")
	require.Contains(t, reason("screen.drafts", open), "not part of this version")
}

func TestRebind(t *testing.T) {
	t.Parallel()
	bind := func(b ...action.Binding) (action.Table, error) { return action.Default().Rebind(b) }
	table, err := bind(action.Binding{ID: action.Dismiss, Keys: []string{"x"}, Line: 3})
	require.NoError(t, err)
	a, ok := table.Lookup("x", action.Pair)
	require.True(t, ok)
	require.Equal(t, action.Dismiss, a.ID)
	_, ok = table.Lookup("a", action.Pair)
	require.False(t, ok)

	for name, c := range map[string]struct {
		b    []action.Binding
		want string
	}{
		"clash in one place":   {[]action.Binding{{ID: action.Dismiss, Keys: []string{"s"}, Line: 4}}, "line 4: judge.dismiss cannot have the key \"s\": in the same place it does judge.skip"},
		"clash with global":    {[]action.Binding{{ID: action.Undo, Keys: []string{"m"}, Line: 7}}, "line 7: undo cannot have the key \"m\""},
		"no such action":       {[]action.Binding{{ID: "fly", Keys: []string{"m"}, Line: 2}}, "line 2: there is no action \"fly\""},
		"no such key":          {[]action.Binding{{ID: action.Undo, Keys: []string{"hyper+z"}, Line: 2}}, "line 2: undo: \"hyper+z\" is no key"},
		"shift and a letter":   {[]action.Binding{{ID: action.Undo, Keys: []string{"shift+z"}, Line: 2}}, "is no key"},
		"bound twice":          {[]action.Binding{{ID: action.Undo, Keys: []string{"z"}, Line: 2}, {ID: action.Undo, Keys: []string{"Z"}, Line: 5}}, "line 5: undo is bound on line 2"},
		"clash of two changed": {[]action.Binding{{ID: action.Skip, Keys: []string{"z"}, Line: 2}, {ID: action.Defer, Keys: []string{"z"}, Line: 3}}, "line 3: judge.defer"},
	} {
		_, err := bind(c.b...)
		require.ErrorContains(t, err, c.want, name)
	}
	_, err = bind(action.Binding{ID: action.Skip, Keys: []string{"d"}, Line: 2}, action.Binding{ID: action.Defer, Keys: []string{"s"}, Line: 3})
	require.NoError(t, err, "two keys may be exchanged")
	_, err = bind(action.Binding{ID: action.Undo, Keys: []string{"ctrl+z", "f5", "+", "ctrl++"}, Line: 2})
	require.NoError(t, err)
}

func TestFind(t *testing.T) {
	t.Parallel()
	all := action.Default().Available(action.Pair, action.Global)
	require.Equal(t, all, action.Find(all, "  "))
	require.Equal(t, action.MergeBoth, action.Find(all, "mer")[0].ID)
	require.Equal(t, action.Undo, action.Find(all, "u")[0].ID, "by key")
	require.Equal(t, action.KeepLeft, action.Find(all, "superseded left")[0].ID, "by words of the help")
	require.Empty(t, action.Find(all, "zzz"))
}

func TestMarkdownNamesEveryAction(t *testing.T) {
	t.Parallel()
	table := action.Default()
	doc := table.Markdown()
	for _, a := range table.All() {
		require.Contains(t, doc, "`"+string(a.ID)+"`")
	}
}
