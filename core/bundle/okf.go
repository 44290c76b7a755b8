package bundle

import (
	"path"
	"slices"
	"strings"

	"wiki/core/wiki"
)

// typeCategories maps the types of OKF concepts to categories. A type that names a category is that one; all others are
// reference (facts §9.5).
var typeCategories = map[string]wiki.Category{
	"runbook": "playbook", "skill": "playbook", "procedure": "playbook", "how-to": "playbook",
	"policy": "decision", "adr": "decision", "faq": "question",
}

// fillOKF takes what an OKF concept's front matter says. All of it is kept in metadata.okf, so that an export can give
// it back; what it claims about its own trust is advisory and shown, never acted on.
func fillOKF(doc *Document, h header) {
	if len(h.fields) > 0 {
		doc.Metadata[MetaOKF] = h.fields
	}
	kind := strings.ToLower(h.text("type"))
	doc.Category = "reference"
	for _, c := range []wiki.Category{wiki.Category(h.text("loopctl_category")), wiki.Category(kind), typeCategories[kind]} {
		if wiki.CheckCategory(c) == nil {
			doc.Category = c
			break
		}
	}
	doc.Tags = wiki.SanitiseTags(h.list("tags"))
	if a := advisory(h.fields); len(a) > 0 {
		doc.Metadata[MetaAdvisory] = a
	}
	if !h.present {
		doc.warn("", "it has no front matter, which OKF requires")
	} else if h.text("type") == "" {
		doc.warn("type", "it has no type, which OKF requires; it is read as a reference")
	}
}

func (d *Document) warn(field, message string) {
	d.Warnings = append(d.Warnings, Warning{Field: field, Message: message})
}

// advisory reads the trust and lifecycle families (OKF §5.2 to §5.5).
func advisory(fields map[string]any) map[string]any {
	out := map[string]any{}
	if by := verifiers(fields["verified"]); len(by) > 0 {
		out["verified_by"] = by
		human := slices.ContainsFunc(by, func(v any) bool { s, _ := v.(string); return strings.HasPrefix(s, "human:") })
		out["trust"] = "machine-confirmed"
		if human {
			out["trust"] = "human-reviewed"
		}
	}
	switch fields["status"] {
	case "deprecated":
		out["deprecated"] = true
	case "draft":
		out["draft"] = true
	}
	if at, ok := fields["stale_after"].(string); ok {
		out["stale_after"] = at
	}
	return out
}

// verifiers gives the actors of the verified field, which is a list of events or a single one.
func verifiers(value any) []any {
	events, ok := value.([]any)
	if !ok {
		events = []any{value}
	}
	var by []any
	for _, e := range events {
		if event, ok := e.(map[string]any); ok && event["by"] != nil {
			by = append(by, event["by"])
		}
	}
	return by
}

// detectSample bounds how many pages are looked into to find out what a folder is.
const detectSample = 20

// detect finds out whether a folder is an OKF bundle: its root index.md says so, or it has one and most of the first
// pages carry a type.
func (s *Source) detect() Format {
	listing, err := s.header("index.md")
	if err != nil {
		return FormatMarkdown
	}
	if listing.text("okf_version") != "" {
		return FormatOKF
	}
	pages, typed := 0, 0
	for _, f := range s.files {
		if f.Skip != "" || f.Err != nil || slices.Contains(reserved, path.Base(f.Path)) {
			continue
		}
		if pages++; pages > detectSample {
			break
		}
		if h, err := s.header(f.Path); err == nil && h.text("type") != "" {
			typed++
		}
	}
	if typed > 0 && 2*typed > min(pages, detectSample) {
		return FormatOKF
	}
	return FormatMarkdown
}

// header reads the front matter of one file.
func (s *Source) header(p string) (header, error) {
	raw, err := s.readBytes(p)
	if err != nil {
		return header{}, err
	}
	text, err := decode(raw)
	if err != nil {
		return header{}, err
	}
	return splitHeader(text)
}
