// Package action holds the one table of what a curator can do in the workbench. Footer, help, palette, key bindings and
// the keys document are all made from it, so none of them can say something else than what a key does. It is pure: no
// terminal, no network, no clock.
package action

import (
	"slices"
	"strings"
)

// ID names an action. It is stable: the config file binds keys to it.
type ID string

// Context is a place where actions are available. Layers are contexts too.
type Context string

// Contexts. Global actions are available on every screen, but not while a layer (dialog, help, palette, a text field)
// is on top: the top layer consumes every key.
const (
	Global     Context = "global"
	Conflicts  Context = "conflicts"
	Pair       Context = "pair"
	Search     Context = "search"
	Reader     Context = "reader"
	Drafts     Context = "drafts"
	Drift      Context = "drift"
	Suppressed Context = "suppressed"
	Proposals  Context = "proposals"
	Proposal   Context = "proposal" // one of them
	Health     Context = "health"
	Audit      Context = "audit"
	Gate       Context = "start" // the screens before there is a working connection
	Confirm    Context = "confirm"
	Help       Context = "help"
	Field      Context = "field" // a text field: letters are text
	Why        Context = "why"
	Returned   Context = "returned" // acts that were not done
	Session    Context = "session"  // its statistics
	Views      Context = "views"    // saved filters of the queue
)

// Layers lists the contexts that lie over a screen: in them no global key works.
var Layers = []Context{Gate, Confirm, Help, Field, Why, Returned, Session, Views}

// Action is one thing to do. Its handler is found by ID in the screen that owns the context, or in the root for Global.
type Action struct {
	ID       ID
	Keys     []string // defaults, in Bubble Tea's names: "j", "enter", "ctrl+d", "space"; the first is shown
	Label    string   // one to three words, for footer and palette
	Help     string   // one sentence
	Contexts []Context
	Footer   int                // place in the footer, 1 first; 0 = not there
	Enabled  func(State) string // nil or "" = available; else the reason why not
}

// Why gives the reason why the action cannot be done now, or "".
func (a Action) Why(s State) string {
	if a.Enabled == nil {
		return ""
	}
	return a.Enabled(s)
}

// In says whether the action belongs to a context.
func (a Action) In(c Context) bool { return slices.Contains(a.Contexts, c) }

// Key is the key shown for the action, or "" when it has none.
func (a Action) Key() string {
	if len(a.Keys) == 0 {
		return ""
	}
	return a.Keys[0]
}

// Table is the set of actions with their keys in force.
type Table struct{ actions []Action }

// New makes a table. Order is kept: it is the order of help and document.
func New(actions []Action) Table { return Table{actions: actions} }

// All gives every action in order.
func (t Table) All() []Action { return t.actions }

// ByID finds an action.
func (t Table) ByID(id ID) (Action, bool) {
	for _, a := range t.actions {
		if a.ID == id {
			return a, true
		}
	}
	return Action{}, false
}

// Lookup finds what a key does, asking the contexts from the top down.
func (t Table) Lookup(key string, contexts ...Context) (Action, bool) {
	for _, c := range contexts {
		for _, a := range t.actions {
			if a.In(c) && slices.Contains(a.Keys, key) {
				return a, true
			}
		}
	}
	return Action{}, false
}

// Available gives the actions of the contexts, top context first, each once.
func (t Table) Available(contexts ...Context) []Action {
	var out []Action
	seen := map[ID]bool{}
	for _, c := range contexts {
		for _, a := range t.actions {
			if a.In(c) && !seen[a.ID] {
				seen[a.ID] = true
				out = append(out, a)
			}
		}
	}
	return out
}

// Footer gives the actions shown at the foot of a screen, in their order.
func (t Table) Footer(contexts ...Context) []Action {
	var out []Action
	for _, a := range t.Available(contexts...) {
		if a.Footer > 0 {
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b Action) int { return a.Footer - b.Footer })
	return out
}

// Find filters actions by a typed text: the one whose key it is, then those whose label starts with it, then those with
// each of its words in label, help or name.
func Find(actions []Action, typed string) []Action {
	words := strings.Fields(strings.ToLower(typed))
	if len(words) == 0 {
		return actions
	}
	var byKey, byLabel, rest []Action
	for _, a := range actions {
		switch {
		case slices.Contains(a.Keys, strings.TrimSpace(typed)):
			byKey = append(byKey, a)
		case !matches(a, words):
		case strings.HasPrefix(strings.ToLower(a.Label), words[0]):
			byLabel = append(byLabel, a)
		default:
			rest = append(rest, a)
		}
	}
	return slices.Concat(byKey, byLabel, rest)
}

func matches(a Action, words []string) bool {
	text := strings.ToLower(a.Label + " " + a.Help + " " + string(a.ID))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
