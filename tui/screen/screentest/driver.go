// Package screentest drives one screen in a test, as the root would: keys are looked up in the table of actions, and commands
// run at once.
package screentest

import (
	"context"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"wiki/tui/action"
	"wiki/tui/screen"
	"wiki/tui/text"
	"wiki/tui/theme"
)

// Now is the time in all screen tests.
var Now = time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)

// Sizes are those at which screens are kept as golden files.
var Sizes = [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 60}}

// Driver holds the screen.
type Driver struct {
	screen.Screen
	Sent  []tea.Msg     // messages for the root
	Deeds []screen.Deed // acts for the outbox; a question before one is answered with yes

	t     *testing.T
	table action.Table
}

// Env is an environment without colours, at Now.
func Env() *screen.Env { return EnvIn(theme.For(colorprofile.ASCII, true)) }

// EnvIn is an environment with a theme.
func EnvIn(th *theme.Theme) *screen.Env {
	return screen.NewEnv(context.Background(), th, func() time.Time { return Now })
}

// Start shows a screen.
func Start(t *testing.T, s screen.Screen, width, height int) *Driver {
	d := &Driver{Screen: s, t: t, table: action.Default()}
	d.SetSize(width, height)
	d.Run(d.Entered())
	return d
}

// Run runs a command and all that comes of it.
func (d *Driver) Run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			d.Run(c)
		}
	case screen.Note, screen.ShowPair, screen.ReadArticle:
		d.Sent = append(d.Sent, msg)
	case screen.Deed:
		d.give(msg)
	default:
		d.Run(d.Heard(msg))
	}
}

// Tell gives the screen a message.
func (d *Driver) Tell(msg tea.Msg) *Driver {
	d.Run(d.Heard(msg))
	return d
}

// Press presses keys. One whose action cannot be done now fails the test.
func (d *Driver) Press(keys ...string) *Driver {
	d.t.Helper()
	for _, k := range keys {
		contexts := d.Contexts()
		if contexts[0] != action.Field {
			contexts = append(contexts, action.Global)
		}
		a, ok := d.table.Lookup(k, contexts...)
		var st action.State
		d.Facts(&st)
		switch {
		case ok && a.Why(st) != "":
			d.t.Fatalf("%s: %s", k, a.Why(st))
		case ok && a.ID == action.Back:
			cmd, _ := d.Back()
			d.Run(cmd)
		case ok && d.did(a.ID):
		case ok:
			d.Run(d.Do(a.ID))
		case contexts[0] == action.Field:
			code, _ := utf8.DecodeRuneInString(k)
			d.Run(d.Key(tea.KeyPressMsg{Code: code, Text: k}))
		}
	}
	return d
}

// did hands an act to the outbox, as the root would, when the action is one.
func (d *Driver) did(id action.ID) bool {
	s, acting := d.Screen.(screen.Acting)
	if !acting {
		return false
	}
	deed := s.Deed(id)
	if deed == nil {
		return false
	}
	d.give(*deed)
	return true
}

func (d *Driver) give(deed screen.Deed) {
	d.Deeds = append(d.Deeds, deed)
	d.Tell(screen.Given{Act: deed.Act})
}

// Why gives the reason why a key does nothing now, "" when it does something.
func (d *Driver) Why(key string) string {
	a, ok := d.table.Lookup(key, append(d.Contexts(), action.Global)...)
	require.True(d.t, ok, "%s is no key here", key)
	var st action.State
	d.Facts(&st)
	return a.Why(st)
}

// Type presses a key for each character.
func (d *Driver) Type(s string) *Driver {
	d.t.Helper()
	for _, r := range s {
		d.Press(string(r))
	}
	return d
}

// Text is what the screen shows, without styles and without the spaces at the ends of rows.
func (d *Driver) Text() string {
	rows := strings.Split(ansi.Strip(d.View()), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return strings.Join(rows, "\n") + "\n"
}

// RequireFits holds for every screen: as many rows as there is room, none too wide.
func (d *Driver) RequireFits(width, height int) {
	d.t.Helper()
	rows := strings.Split(ansi.Strip(d.View()), "\n")
	require.Len(d.t, rows, height)
	for _, r := range rows {
		require.LessOrEqual(d.t, text.Width(r), width, "%q", r)
	}
}

// RequireInert holds for every screen: nothing that a server says acts on the terminal.
func (d *Driver) RequireInert() {
	d.t.Helper()
	view := d.View()
	require.NotContains(d.t, view, "\x1b]")
	require.NotContains(d.t, view, "\x1b[2J")
	bare := ansi.Strip(view)
	require.Equal(d.t, text.Inert(bare), bare)
}

// Evil is text that would act on a terminal.
const Evil = "a\x1b]0;owned\ab\u202ec\x9b31m\nd\x07 **\x1b[2J** &#27;[2J"
