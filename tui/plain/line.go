package plain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiki/tui"
	"wiki/tui/action"
)

// line does what a person wrote: text while one is typed, else the name of an action, or keys.
func (s *session) line(ctx context.Context, line string) (wrong string) {
	now, _ := s.model.now()
	line = strings.TrimRight(line, "\r")
	switch {
	case now.Typing && line == "":
		s.send(ctx, tui.Do{ID: action.Cancel})
		return ""
	case now.Typing:
		return s.text(ctx, line)
	}
	switch word := strings.TrimSpace(line); word {
	case "":
		clear(s.shown) // say all of it again
		return ""
	case "?":
		return s.offers(now)
	default:
		if _, known := find(now.Actions, word); known {
			return s.do(ctx, word)
		}
		for _, key := range strings.Fields(word) {
			if wrong = s.do(ctx, key); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

// find finds an action by its name, its label or one of its keys.
func find(offers []tui.Offer, word string) (tui.Offer, bool) {
	for _, same := range []func(tui.Offer) bool{
		func(o tui.Offer) bool { return string(o.Name) == word },
		func(o tui.Offer) bool { return slices.Contains(o.Keys, word) },
		func(o tui.Offer) bool { return strings.EqualFold(o.Label, word) },
	} {
		if i := slices.IndexFunc(offers, same); i >= 0 {
			return offers[i], true
		}
	}
	return tui.Offer{}, false
}

func (s *session) do(ctx context.Context, word string) (wrong string) {
	now, _ := s.model.now()
	offer, known := find(now.Actions, word)
	switch {
	case !known:
		return fmt.Sprintf("there is no %q here; ? lists what can be done", word)
	case offer.Why != "":
		return offer.Label + ": " + offer.Why
	case offer.Name == action.HelpOpen || offer.Name == action.PaletteOpen:
		return s.offers(now) // a list to choose from by keys is nothing without them
	}
	s.send(ctx, tui.Do{ID: offer.Name})
	return ""
}

// text types a text in the place of what was there, and accepts it.
func (s *session) text(ctx context.Context, text string) (wrong string) {
	if now, _ := s.model.now(); !now.Typing {
		return "no text is asked for here"
	}
	for _, clearing := range []rune{'e', 'u'} { // to the end, and away with what was there
		s.program.Send(tea.KeyPressMsg{Code: clearing, Mod: tea.ModCtrl})
	}
	s.program.Send(tea.PasteMsg{Content: text})
	s.send(ctx, tui.Do{ID: action.Accept})
	return ""
}

// offers lists what can be done.
func (s *session) offers(now tui.Situation) string {
	if s.JSON {
		return "" // they are in every answer
	}
	var b strings.Builder
	b.WriteString("What can be done here, by key or by name:")
	for _, o := range now.Actions {
		key := ""
		if len(o.Keys) > 0 {
			key = o.Keys[0]
		}
		fmt.Fprintf(&b, "\n%s, %s: %s", key, o.Label, o.Help)
		if o.Why != "" {
			b.WriteString(" Not now: " + o.Why + ".")
		}
	}
	return b.String()
}

// tellPlain says what has changed: rows that were said before are not said again, so that a move says the row moved to.
func (s *session) tellPlain(now tui.Situation, said string) error {
	var out []string
	if head := now.Screen; !s.shown["screen "+head] {
		out = append(out, head+", "+now.Link)
	}
	shown := map[string]bool{"screen " + now.Screen: true}
	for _, r := range now.Rows {
		r = spoken(r)
		if r == "" {
			continue
		}
		row, marked := strings.CutPrefix(r, "> ")
		mark := "row " + row
		shown[mark] = true
		if marked {
			shown["selected "+row] = true
			if s.shown["selected "+row] {
				continue
			}
			r = "selected: " + row
		} else if s.shown[mark] {
			continue
		}
		out = append(out, r)
	}
	if now.Note != "" && !s.shown["note "+now.Note] {
		out = append(out, now.Note)
	}
	shown["note "+now.Note] = true
	s.shown = shown
	if said != "" {
		out = append(out, said)
	}
	prompt := "> "
	if now.Typing {
		prompt = "text, or nothing to leave it: "
	}
	_, err := fmt.Fprintf(s.Out, "%s\n%s", strings.Join(out, "\n"), prompt)
	return err
}

// spoken is a row without what is only drawn: lines of frames, columns of numbers that are said beside them, and the room
// between.
func spoken(row string) string {
	row = strings.Map(func(r rune) rune {
		if r >= 0x2500 && r <= 0x259f {
			return ' '
		}
		return r
	}, row)
	marked := strings.HasPrefix(row, "> ")
	row = strings.Join(strings.Fields(strings.TrimPrefix(row, "> ")), " ")
	if marked && row != "" {
		return "> " + row
	}
	return row
}
