// Package screen is what the root model asks of a screen. Screens are plain structs: the root holds them, routes keys and
// messages to them, and is the only tea.Model. State changes in Do, Heard, Key and Paste only; effects happen in the
// returned commands only, and what a command found out comes back through Heard as a message in the past tense.
package screen

import (
	tea "charm.land/bubbletea/v2"

	"wiki/tui/action"
	"wiki/tui/outbox"
)

// Screen is one screen of the workbench.
type Screen interface {
	// Contexts lists where the screen's actions are looked up, the top one first; the root adds action.Global. While a
	// text field has the keys it is action.Field alone: then no other key acts.
	Contexts() []action.Context
	// Facts fills in what decides which of its actions are available.
	Facts(s *action.State)
	// Entered tells the screen that it is shown now, Left that another one is.
	Entered() tea.Cmd
	Left() tea.Cmd
	// Do runs one of its available actions. Back answers false when there was nothing to go back from.
	Do(id action.ID) tea.Cmd
	Back() (tea.Cmd, bool)
	// Heard takes messages that are no keys, also while another screen is shown. Those of others it ignores.
	Heard(msg tea.Msg) tea.Cmd
	// Key takes a key that no action of action.Field has, and Paste a pasted text, while a text field has the keys.
	Key(k tea.KeyPressMsg) tea.Cmd
	Paste(text string)
	// SetSize gives the room for View, in columns and rows.
	SetSize(width, height int)
	// View draws the screen: exactly height rows of at most width columns.
	View() string
	// Count is the number shown in the tab bar, and whether there is one.
	Count() (int, bool)
}

// Note is a message to the root: a line to show below the screen for a while.
type Note struct {
	Text string
	Bad  bool // something went wrong
}

// Notify makes a command that shows a note.
func Notify(text string, bad bool) tea.Cmd {
	return func() tea.Msg { return Note{Text: text, Bad: bad} }
}

// ShowPair is a message to the root: show this conflict (by api.Conflict.ID) on the Pair screen.
type ShowPair struct{ ID string }

// ReadArticle is a message to the root: show this article in the reader of the Search screen.
type ReadArticle struct{ ID string }

// Answer is a message that carries what the server answered. The root learns from it whether the link is up, whichever
// screen asked.
type Answer interface{ Failure() error }

// Resync is a message to every screen: something on the server has changed, or events were lost. What is on screen is to be
// read again, the curator's place kept.
type Resync struct{}

// Acting is a screen with actions that are acts on what it lists. They are asked for where they need it, and go through the
// outbox; the screen hears of each twice, as Given and as Ended.
type Acting interface {
	Screen
	// Deed gives the act that an available action would be now, nil when the action is none: then it goes to Do. It changes
	// nothing.
	Deed(id action.ID) *Deed
}

// Deed is an act that is to be done. The root gives it its key and time. It is a message to the root too, for an act that an
// editor ended with; such a one asks nothing.
type Deed struct {
	Act outbox.Act
	Ask *Question // nil when undo covers it, or when it was typed out
}

// Question is asked before an act that undo cannot cover. The default answer is No.
type Question struct {
	Title string
	Lines []string
	Verb  string // on the button
}

// Given is a message to every screen: an act was handed to the outbox, from where it will reach the server.
type Given struct{ Act outbox.Act }

// Ended is a message to every screen: the server gave its final answer to an act, or the disk refused it.
type Ended struct {
	Act    outbox.Act
	Result outbox.Result
	Err    error // why it was not done
}
