package bundle

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"wiki/core/wiki"
)

// generic are titles that say nothing without the folder they stand in (facts §9.5).
var generic = []string{"index", "readme", "_index", "overview", "introduction", "intro", "home", "main", "notes", "note", "todo", "untitled", "about", "summary", "faq", "changelog", "usage"}

// nameIt chooses the title (front matter, else heading, else file name) and takes a heading that only repeats it off the
// body.
func (s *Source) nameIt(doc *Document, h header, p page) {
	doc.Title, doc.Body = h.text("title"), h.body
	if doc.Title == "" {
		doc.Title = p.heading
	}
	if doc.Title == "" {
		doc.Title = norm.NFC.String(stem(doc.Path))
	}
	repeats := p.heading == doc.Title && !p.verbose
	if repeats && strings.TrimSpace(p.rest) != "" {
		doc.Body = p.rest
	}
	doc.Body = strings.TrimLeft(doc.Body, "\n")
	if slices.Contains(generic, strings.ToLower(doc.Title)) {
		doc.Title = s.folderOf(doc.Path) + ": " + doc.Title
	}
	if utf8.RuneCountInString(doc.Title) > wiki.MaxTitleRunes {
		whole := doc.Title
		doc.Title = strings.TrimSpace(string([]rune(whole)[:wiki.MaxTitleRunes-1])) + "…"
		doc.Body = h.body // where the heading still has all of it
		if p.heading != whole {
			doc.Body = whole + "\n\n" + h.body
		}
		doc.Warnings = append(doc.Warnings, Warning{Field: "title", Message: "the title is too long and was cut; the body has all of it"})
	}
}

func (s *Source) folderOf(p string) string {
	if dir := path.Dir(p); dir != "." {
		return norm.NFC.String(path.Base(dir))
	}
	return norm.NFC.String(s.name)
}
