package markdown

import (
	"strings"

	"charm.land/lipgloss/v2"

	"wiki/tui/theme"
)

// ink is a style in a byte: one of the bases, and bold and italic beside it. A style itself takes half a kilobyte, which a
// long text would copy a hundred thousand times.
type ink uint8

const (
	body ink = iota
	heading
	link
	code
	muted
	border
	bases

	bold   ink = 1 << 6
	italic ink = 1 << 7
)

// inks are the styles of a theme by ink.
type inks struct {
	base  [bases]lipgloss.Style
	codes map[ink][2]string // what a style puts before and after a text
}

func inksOf(th *theme.Theme) inks {
	s := th.Styles
	return inks{
		base:  [bases]lipgloss.Style{body: s.Text, heading: s.Heading, link: s.Link, code: s.Code, muted: s.Muted, border: s.Border},
		codes: map[ink][2]string{},
	}
}

// paint draws text without line breaks.
func (k inks) paint(i ink, s string) string {
	codes, ok := k.codes[i]
	if !ok {
		style := k.base[i&^(bold|italic)].Bold(i&bold != 0 || k.base[i&^(bold|italic)].GetBold()).Italic(i&italic != 0)
		codes[0], codes[1], _ = strings.Cut(style.Render("x"), "x")
		k.codes[i] = codes
	}
	return codes[0] + s + codes[1]
}
