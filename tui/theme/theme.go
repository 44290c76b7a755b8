// Package theme turns what the terminal can show into styles. It is the only place with colours.
//
// No meaning is carried by colour alone: a selected row has a marker too, changed words are underlined or bracketed,
// states are words.
package theme

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Theme is a set of styles for one kind of terminal.
type Theme struct {
	Name string // dark, light, dark16, light16 or mono; part of the key of whatever is cached by theme
	Dark bool
	// Signs asks for signs around changed words ([-old-] {+new+}), because there are no colours to tell them.
	Signs  bool
	Styles Styles
}

// Styles are the styles by what they mean.
type Styles struct {
	Text, Muted, Strong lipgloss.Style
	Border, Focus       lipgloss.Style // a pane's frame, and that of the pane with the keys
	Title               lipgloss.Style // of a screen, an article, a dialog
	Accent, Link        lipgloss.Style
	Heading, Code       lipgloss.Style // in an article's text
	Key, KeyLabel       lipgloss.Style // in the footer and in help
	Disabled            lipgloss.Style // an action that can't be done now
	Danger              lipgloss.Style // errors, acts that can't be undone
	Caution             lipgloss.Style // degraded, waiting, suppressed
	Good                lipgloss.Style // curated, done
	Selected            lipgloss.Style // the row under the cursor
	Bar                 lipgloss.Style // header and footer
	Tab, ActiveTab      lipgloss.Style
	Match               lipgloss.Style // what a search found
	Removed, Added      lipgloss.Style // text of a paragraph that only one side has
	RemovedWord         lipgloss.Style // words that only the first side has
	AddedWord           lipgloss.Style
	Dimmed              lipgloss.Style // the screen below a dialog
}

// For gives the theme for a terminal's colour profile and background. Without colours (NO_COLOR, a dumb terminal) it is
// mono, whatever the background.
func For(profile colorprofile.Profile, dark bool) *Theme {
	switch {
	case profile <= colorprofile.ASCII:
		return mono()
	case profile == colorprofile.ANSI && dark:
		return build("dark16", true, dark16Palette)
	case profile == colorprofile.ANSI:
		return build("light16", false, light16Palette)
	case dark:
		return build("dark", true, darkPalette)
	default:
		return build("light", false, lightPalette)
	}
}

func build(name string, dark bool, p palette) *Theme {
	s := Styles{
		Text: ink(p.text, ""), Muted: ink(p.muted, ""), Strong: ink(p.text, "").Bold(true),
		Border: ink(p.border, ""), Focus: ink(p.accent, "").Bold(true),
		Title:  ink(p.text, "").Bold(true),
		Accent: ink(p.accent, ""), Link: ink(p.link, "").Underline(true),
		Heading: ink(p.accent, "").Bold(true), Code: ink(p.key, ""),
		Key: ink(p.key, "").Bold(true), KeyLabel: ink(p.muted, ""), Disabled: ink(p.muted, ""),
		Danger: ink(p.danger, "").Bold(true), Caution: ink(p.caution, ""), Good: ink(p.good, ""),
		Selected: ink(p.selectedText, p.selectedBack).Bold(true),
		Bar:      ink(p.barText, p.barBack),
		Tab:      ink(p.muted, p.barBack), ActiveTab: ink(p.accent, p.barBack).Bold(true).Underline(true),
		Match:   ink(p.matchText, p.matchBack),
		Removed: ink(p.removed, ""), Added: ink(p.added, ""),
		RemovedWord: ink(p.removedWord, p.removedBack).Underline(true),
		AddedWord:   ink(p.addedWord, p.addedBack).Underline(true),
		Dimmed:      ink(p.muted, ""),
	}
	if p.selectedBack == "" {
		s.Selected = s.Selected.Reverse(true)
	}
	if p.barBack == "" {
		s.Bar = s.Bar.Reverse(true)
		s.Tab, s.ActiveTab = s.Bar, ink(p.accent, "").Bold(true).Underline(true)
	}
	return &Theme{Name: name, Dark: dark, Styles: s}
}

// mono has no colours: bold, underline, reverse and words carry the meaning.
func mono() *Theme {
	plain := lipgloss.NewStyle()
	bold, under, reverse := plain.Bold(true), plain.Underline(true), plain.Reverse(true)
	return &Theme{Name: "mono", Dark: true, Signs: true, Styles: Styles{
		Text: plain, Muted: plain, Strong: bold, Border: plain, Focus: bold, Title: bold, Accent: bold, Link: under,
		Heading: bold, Code: plain,
		Key: bold, KeyLabel: plain, Disabled: plain, Danger: bold, Caution: bold, Good: bold,
		Selected: reverse, Bar: reverse, Tab: reverse, ActiveTab: bold.Underline(true), Match: bold.Underline(true),
		Removed: plain, Added: plain, RemovedWord: under, AddedWord: under.Bold(true), Dimmed: plain,
	}}
}

// ink is a style with a foreground and a background; "" leaves the terminal's own.
func ink(fore, back string) lipgloss.Style {
	s := lipgloss.NewStyle()
	if fore != "" {
		s = s.Foreground(lipgloss.Color(fore))
	}
	if back != "" {
		s = s.Background(lipgloss.Color(back))
	}
	return s
}

// none says whether a style leaves a colour to the terminal.
func none(c color.Color) bool {
	_, unset := c.(lipgloss.NoColor)
	return c == nil || unset
}
