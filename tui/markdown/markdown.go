// Package markdown renders an article's text for the terminal. What comes out is inert but for styles, whatever went in:
// each piece of text is made inert after the parser resolved what stood for it (&#27; is an escape character).
//
// It's written on goldmark and not on glamour, which costs 60 ms of start-up (it registers some 300 syntax highlighters),
// does not indent wrapped list items, and writes links as escape sequences that would have to be taken out again.
package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"wiki/tui/text"
	"wiki/tui/theme"
)

const (
	// MaxWidth is the widest column of prose in columns: longer rows are hard to read on, whatever the terminal.
	MaxWidth = 100
	// minWidth is the narrowest column that deep nesting leaves.
	minWidth = 8
	// maxDepth is how deep lists and quotes nest before the rest is shown as written.
	maxDepth = 12
)

// Render gives the rows of a markdown text at a width in columns (at most MaxWidth is used).
func Render(markdown string, width int, th *theme.Theme) []string {
	src := []byte(text.Inert(markdown))
	p := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(append(parser.DefaultInlineParsers(),
			util.Prioritized(extension.NewStrikethroughParser(), 500), util.Prioritized(extension.NewTaskCheckBoxParser(), 0))...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), util.Prioritized(extension.NewTableParagraphTransformer(), 200))...),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)))
	width = max(1, min(width, MaxWidth))
	r := renderer{src: src, inks: inksOf(th), signs: th.Signs}
	rows := r.blocks(p.Parse(gtext.NewReader(src)), width, 0, false)
	for i, row := range rows { // deep nesting may leave no room
		rows[i] = ansi.Truncate(row, width, text.Ellipsis)
	}
	return rows
}

// Source gives the rows of a text as written, wrapped.
func Source(body string, width int) []string {
	return text.Wrap(text.Inert(body), min(width, MaxWidth))
}

type renderer struct {
	src   []byte
	inks  inks
	signs bool
}

// blocks renders the blocks inside a node, an empty row between them unless they are tight.
func (r *renderer) blocks(parent ast.Node, width, depth int, tight bool) []string {
	var rows []string
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		own := r.block(n, width, depth)
		if len(own) == 0 {
			continue
		}
		if len(rows) > 0 && !tight {
			rows = append(rows, "")
		}
		rows = append(rows, own...)
	}
	return rows
}

func (r *renderer) block(n ast.Node, width, depth int) []string {
	if depth > maxDepth {
		return r.lines(n, width)
	}
	switch n := n.(type) {
	case *ast.Heading:
		sign := span{strings.Repeat("#", n.Level) + " ", heading}
		return r.flow(append([]span{sign}, r.inline(n, heading)...), width)
	case *ast.Paragraph, *ast.TextBlock:
		return r.flow(r.inline(n, body), width)
	case *ast.ThematicBreak:
		return []string{r.inks.paint(border, strings.Repeat("─", min(width, 20)))}
	case *ast.CodeBlock, *ast.FencedCodeBlock, *ast.HTMLBlock:
		return prefixed(r.lines(n, width-2), "  ", "  ")
	case *ast.Blockquote:
		bar := r.inks.paint(border, "│") + " "
		return prefixed(r.blocks(n, max(minWidth, width-2), depth+1, false), bar, bar)
	case *ast.List:
		return r.list(n, width, depth)
	case *east.Table:
		return r.table(n, width)
	}
	return r.blocks(n, width, depth+1, false)
}

// lines gives a block's lines as written: code keeps its breaks and its spaces.
func (r *renderer) lines(n ast.Node, width int) []string {
	var s strings.Builder
	if n.Type() == ast.TypeBlock {
		for i := range n.Lines().Len() {
			line := n.Lines().At(i)
			s.Write(line.Value(r.src))
		}
	}
	if html, ok := n.(*ast.HTMLBlock); ok && html.HasClosure() {
		s.Write(html.ClosureLine.Value(r.src))
	}
	return r.flow([]span{{strings.TrimRight(s.String(), "\n"), code}}, width)
}

func prefixed(rows []string, first, rest string) []string {
	for i := range rows {
		if i == 0 {
			rows[i] = first + rows[i]
		} else {
			rows[i] = rest + rows[i]
		}
	}
	return rows
}

// list renders items with their rows indented below their marks.
func (r *renderer) list(l *ast.List, width, depth int) []string {
	var rows []string
	number := l.Start
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if l.IsOrdered() {
			mark = itoa(number) + ". "
			number++
		}
		own := r.blocks(item, max(minWidth, width-len([]rune(mark))), depth+1, l.IsTight)
		if len(own) == 0 {
			own = []string{""}
		}
		if len(rows) > 0 && !l.IsTight {
			rows = append(rows, "")
		}
		rows = append(rows, prefixed(own, mark, strings.Repeat(" ", text.Width(mark)))...)
	}
	return rows
}

// span is text in one ink.
type span struct {
	text string
	ink  ink
}

// flow wraps spans into rows.
func (r *renderer) flow(spans []span, width int) []string {
	var all strings.Builder
	for _, s := range spans {
		all.WriteString(s.text)
	}
	s := all.String()
	if strings.TrimSpace(s) == "" {
		return nil
	}
	var rows []string
	at, i := 0, 0 // where spans[i] starts in s
	for _, line := range text.WrapRanges(s, width) {
		var row strings.Builder
		for i < len(spans) && at+len(spans[i].text) <= line.Start {
			at, i = at+len(spans[i].text), i+1
		}
		for k, from := i, at; k < len(spans) && from < line.End; k++ {
			to := from + len(spans[k].text)
			if piece := s[max(from, line.Start):min(to, line.End)]; piece != "" {
				row.WriteString(r.inks.paint(spans[k].ink, piece))
			}
			from = to
		}
		rows = append(rows, row.String())
	}
	return rows
}
