package action

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Binding gives an action other keys. Line is where the config file says so.
type Binding struct {
	ID   ID
	Keys []string
	Line int
}

// Rebind makes a table in which the bound actions have the given keys instead of their own. The error names the line of
// the first binding that cannot stand: an unknown action, a key that does not exist, or a key that another action already
// has in the same place.
func (t Table) Rebind(bindings []Binding) (Table, error) {
	actions := slices.Clone(t.actions)
	lines := map[ID]int{}
	for _, b := range bindings {
		i := slices.IndexFunc(actions, func(a Action) bool { return a.ID == b.ID })
		switch {
		case i < 0:
			return t, fmt.Errorf("line %d: there is no action %q; `wiki-tui keys` lists them", b.Line, b.ID)
		case lines[b.ID] != 0:
			return t, fmt.Errorf("line %d: %s is bound on line %d already; write all its keys there", b.Line, b.ID, lines[b.ID])
		}
		for _, k := range b.Keys {
			if why := badKey(k); why != "" {
				return t, fmt.Errorf("line %d: %s: %q is no key: %s", b.Line, b.ID, k, why)
			}
		}
		actions[i].Keys = b.Keys
		lines[b.ID] = b.Line
	}
	out := New(actions)
	if c, found := out.Clash(); found {
		line, bound, other := lines[c.First], c.First, c.Second
		if lines[c.Second] > line {
			line, bound, other = lines[c.Second], c.Second, c.First
		}
		return t, fmt.Errorf("line %d: %s cannot have the key %q: in the same place it does %s", line, bound, c.Key, other)
	}
	return out, nil
}

// Clash is one key that would do two things in one place.
type Clash struct {
	Key           string
	First, Second ID
}

// Clash finds the first key with two actions in one context, or in a screen's context and the global one.
func (t Table) Clash() (Clash, bool) {
	for i, a := range t.actions {
		for _, b := range t.actions[i+1:] {
			if !meet(a, b) {
				continue
			}
			for _, k := range a.Keys {
				if slices.Contains(b.Keys, k) {
					return Clash{Key: k, First: a.ID, Second: b.ID}, true
				}
			}
		}
	}
	return Clash{}, false
}

// meet says whether two actions are ever available at the same time.
func meet(a, b Action) bool {
	for _, c := range a.Contexts {
		if b.In(c) || (c == Global && onScreen(b)) || (b.In(Global) && !slices.Contains(Layers, c)) {
			return true
		}
	}
	return false
}

func onScreen(a Action) bool {
	return slices.ContainsFunc(a.Contexts, func(c Context) bool { return !slices.Contains(Layers, c) })
}

// namedKeys are the keys that have a name; the rest are single characters.
var namedKeys = []string{
	"enter", "esc", "tab", "space", "backspace", "delete", "insert", "up", "down", "left", "right", "home", "end", "pgup", "pgdown",
	"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
}

var modifiers = []string{"ctrl", "alt", "shift", "super"}

// badKey says why a key's name is none, or "".
func badKey(k string) string {
	parts := strings.Split(k, "+")
	if k == "+" || strings.HasSuffix(k, "++") {
		parts = append(strings.Split(strings.TrimSuffix(k, "+"), "+"), "+")
		parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	}
	name := parts[len(parts)-1]
	for _, m := range parts[:len(parts)-1] {
		if !slices.Contains(modifiers, m) {
			return m + " is no modifier (ctrl, alt, shift, super)"
		}
	}
	switch {
	case slices.Contains(namedKeys, name):
		return ""
	case utf8.RuneCountInString(name) != 1:
		return "write one character, or one of " + strings.Join(namedKeys, ", ")
	case slices.Contains(parts[:len(parts)-1], "shift"):
		return "write the character that shift gives, such as \"A\""
	}
	return ""
}
