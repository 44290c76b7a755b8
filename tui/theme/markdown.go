package theme

import "charm.land/glamour/v2/ansi"

// markdown is the look of a rendered article. Without colours, headings, emphasis and code keep their signs.
func markdown(p palette, signs bool) ansi.StyleConfig {
	bold, under, italic := true, true, true
	none, one, two := uint(0), uint(1), uint(2)
	bar := "│ "
	ink := func(color string) ansi.StylePrimitive {
		if color == "" {
			return ansi.StylePrimitive{}
		}
		return ansi.StylePrimitive{Color: &color}
	}
	heading := func(prefix string) ansi.StyleBlock {
		s := ink(p.accent)
		s.Bold, s.Prefix = &bold, prefix
		return ansi.StyleBlock{StylePrimitive: s}
	}
	c := ansi.StyleConfig{
		Document:   ansi.StyleBlock{Margin: &none},
		BlockQuote: ansi.StyleBlock{StylePrimitive: ink(p.muted), Indent: &one, IndentToken: &bar},
		List:       ansi.StyleList{LevelIndent: 2},
		Heading:    ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{BlockSuffix: "\n"}},
		H1:         heading("# "), H2: heading("## "), H3: heading("### "), H4: heading("#### "), H5: heading("##### "), H6: heading("###### "),
		Emph:   ansi.StylePrimitive{Italic: &italic},
		Strong: ansi.StylePrimitive{Bold: &bold},
		Item:   ansi.StylePrimitive{BlockPrefix: "• "}, Enumeration: ansi.StylePrimitive{BlockPrefix: ". "},
		Task:           ansi.StyleTask{Ticked: "[x] ", Unticked: "[ ] "},
		HorizontalRule: ansi.StylePrimitive{Format: "\n────────\n", Color: ink(p.border).Color},
		Link:           ink(p.link), LinkText: ink(p.link), Image: ink(p.link),
		ImageText: ansi.StylePrimitive{Format: "image: {{.text}}"},
		Code:      ansi.StyleBlock{StylePrimitive: ink(p.key)},
		CodeBlock: ansi.StyleCodeBlock{StyleBlock: ansi.StyleBlock{StylePrimitive: ink(p.key), Margin: &two}},
	}
	c.LinkText.Underline = &under
	c.Code.Prefix, c.Code.Suffix = "`", "`"
	if signs {
		c.Emph.BlockPrefix, c.Emph.BlockSuffix = "*", "*"
		c.Strong.BlockPrefix, c.Strong.BlockSuffix = "**", "**"
	}
	return c
}
