package markdown

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"wiki/tui/text"
)

func itoa(n int) string { return strconv.Itoa(n) }

// inline renders what is inside a paragraph, a heading or a cell.
func (r *renderer) inline(parent ast.Node, style ink) []span {
	var out []span
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		out = append(out, r.inlineNode(n, style)...)
	}
	return out
}

func (r *renderer) inlineNode(n ast.Node, style ink) []span {
	switch n := n.(type) {
	case *ast.Text:
		return []span{{r.words(n), style}}
	case *ast.String:
		return []span{{text.Inert(string(n.Value)), style}}
	case *ast.CodeSpan:
		return []span{{"`" + plain(r.inline(n, style)) + "`", code}}
	case *ast.Emphasis:
		sign, inner := "*", style|italic
		if n.Level > 1 {
			sign, inner = "**", style|bold
		}
		return r.signed(sign, r.inline(n, inner), inner)
	case *east.Strikethrough: // crossed out is not shown by every terminal
		return around("~~", r.inline(n, style), style)
	case *ast.Link:
		return r.linked(r.inline(n, link), string(n.Destination))
	case *ast.AutoLink:
		return []span{{text.InertLine(string(n.URL(r.src))), link}}
	case *ast.Image:
		return r.linked([]span{{"[image: " + plain(r.inline(n, style)) + "]", style}}, string(n.Destination))
	case *ast.RawHTML:
		var s strings.Builder
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			s.Write(segment.Value(r.src))
		}
		return []span{{text.Inert(s.String()), muted}}
	case *east.TaskCheckBox:
		if n.IsChecked {
			return []span{{"[x] ", style}}
		}
		return []span{{"[ ] ", style}}
	}
	return r.inline(n, style)
}

// words gives a text node's text, references and escapes resolved, and only then made inert. A line break in the source is
// a space, unless it's a hard one.
func (r *renderer) words(n *ast.Text) string {
	raw := n.Segment.Value(r.src)
	if _, code := n.Parent().(*ast.CodeSpan); !code && !n.IsRaw() {
		raw = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(raw)))
	}
	s := text.Inert(string(raw))
	switch {
	case n.HardLineBreak():
		s += "\n"
	case n.SoftLineBreak():
		s += " "
	}
	return s
}

// signed puts the markup's sign around text where styles may not show.
func (r *renderer) signed(sign string, spans []span, style ink) []span {
	if !r.signs {
		return spans
	}
	return around(sign, spans, style)
}

func around(sign string, spans []span, style ink) []span {
	return append(append([]span{{sign, style}}, spans...), span{sign, style})
}

// linked adds where a link goes, as text, unless its text says so already.
func (r *renderer) linked(label []span, to string) []span {
	to = text.InertLine(to)
	if to == "" || to == plain(label) {
		return label
	}
	return append(label, span{" <" + to + ">", muted})
}

func plain(spans []span) string {
	var s strings.Builder
	for _, x := range spans {
		s.WriteString(x.text)
	}
	return s.String()
}
