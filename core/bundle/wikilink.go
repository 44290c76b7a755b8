package bundle

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// wikilink is [[target]], [[target#part]], [[target|label]] or ![[target]], as Obsidian writes links.
type wikilink struct {
	ast.BaseInline
	target, label string
}

var kindWikilink = ast.NewNodeKind("Wikilink")

func (*wikilink) Kind() ast.NodeKind { return kindWikilink }

func (w *wikilink) Dump(source []byte, level int) { ast.DumpHelper(w, source, level, nil, nil) }

// wikilinkPriority is before the parser of ordinary links, and after that of code, where brackets are text.
const wikilinkPriority = 150

type wikilinks struct{}

func (wikilinks) Trigger() []byte { return []byte{'!', '['} }

func (wikilinks) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	rest, ok := strings.CutPrefix(strings.TrimPrefix(string(line), "!"), "[[")
	if !ok {
		return nil
	}
	inner, _, closed := strings.Cut(rest, "]]")
	if !closed || strings.ContainsAny(inner, "[]") {
		return nil
	}
	target, label, aliased := strings.Cut(inner, "|")
	target, _, _ = strings.Cut(strings.TrimSuffix(target, `\`), "#") // in a table, the bar is written \|
	if target = strings.TrimSpace(target); target == "" {
		return nil // a link to a part of the same page
	}
	if !aliased {
		label = inner
	}
	block.Advance(bytes.Index(line, []byte("]]")) + len("]]"))
	return &wikilink{target: target, label: strings.TrimSpace(label)}
}
