package bundle

import (
	"net/url"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// page is what a body's markdown tells about it.
type page struct {
	heading string // the plain text of the heading that names the page; empty when there is none
	verbose bool   // the heading has more than that text (markup, links): it has to stay in the body
	rest    string // the body after the heading, when the heading begins it
	links   []Link
}

var markdown = goldmark.New(goldmark.WithParserOptions(parser.WithInlineParsers(util.Prioritized(wikilinks{}, wikilinkPriority))))

// parsePage finds the heading that names a page and its links. A page is named by its first heading of level 1, else by
// the heading of any level that begins it; a heading in the middle ("Usage") names a part.
func parsePage(body string) page {
	source := []byte(body)
	doc := markdown.Parser().Parse(text.NewReader(source))
	var p page
	heading := namingHeading(doc)
	if heading != nil {
		p.heading = strings.Join(strings.Fields(plainText(heading, source)), " ")
		raw := strings.TrimSpace(string(heading.Lines().Value(source)))
		p.verbose = raw != p.heading
		if heading == doc.FirstChild() {
			p.rest = afterHeading(body, heading)
		}
	}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n := n.(type) {
			case *ast.Link:
				p.addLink(string(n.Destination))
			case *wikilink:
				p.links = append(p.links, Link{Target: n.target, Wiki: true})
			}
		}
		return ast.WalkContinue, nil
	})
	return p
}

func namingHeading(doc ast.Node) *ast.Heading {
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level == 1 && h.Lines().Len() > 0 {
			return h
		}
	}
	if h, ok := doc.FirstChild().(*ast.Heading); ok && h.Lines().Len() > 0 {
		return h
	}
	return nil
}

// afterHeading gives what follows a heading that begins the body: after its line, and after the underline of the other
// kind of heading.
func afterHeading(body string, h *ast.Heading) string {
	last := h.Lines().At(h.Lines().Len() - 1)
	_, rest, _ := strings.Cut(body[last.Start:], "\n")
	if !strings.HasPrefix(strings.TrimLeft(body, " \n"), "#") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return strings.TrimLeft(rest, "\n")
}

func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n := n.(type) {
			case *ast.Text:
				b.Write(n.Segment.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			case *ast.String:
				b.Write(n.Value)
			case *ast.AutoLink:
				b.Write(n.Label(source))
			case *wikilink:
				b.WriteString(n.label)
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// addLink keeps a link to another page of the folder.
func (p *page) addLink(destination string) {
	u, err := url.Parse(destination)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" || !isPage(u.Path) {
		return
	}
	p.links = append(p.links, Link{Target: path.Clean(u.Path)})
}
