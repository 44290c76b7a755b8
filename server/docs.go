package server

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/yuin/goldmark"

	"wiki/server/openapi"
)

// Where the API's description is, for programs and for people.
const (
	openapiPath = "/openapi.json"
	docsPath    = "/docs"
)

// page is a text that is the same for everybody, with its ETag.
type page struct {
	kind, tag string
	text      []byte
}

func newPage(kind string, text []byte) page {
	sum := sha256.Sum256(text)
	return page{kind: kind, tag: `"` + hex.EncodeToString(sum[:8]) + `"`, text: text}
}

var descriptionPage = sync.OnceValues(func() (page, error) {
	doc, err := description()
	if err != nil {
		return page{}, err
	}
	raw, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		return page{}, fmt.Errorf("server: write the description: %w", err)
	}
	return newPage("application/json; charset=utf-8", append(raw, '\n')), nil
})

//go:embed docs.html
var docsHTML string

var docsPage = sync.OnceValues(func() (page, error) {
	doc, err := description()
	if err != nil {
		return page{}, err
	}
	t, err := template.New("docs").Funcs(template.FuncMap{"kind": kindOf, "refs": refsOf, "needs": needs}).Parse(docsHTML)
	if err != nil {
		return page{}, fmt.Errorf("server: read the page's template: %w", err)
	}
	var out bytes.Buffer
	content, err := pageOf(doc)
	if err != nil {
		return page{}, err
	}
	if err := t.Execute(&out, content); err != nil {
		return page{}, fmt.Errorf("server: write the page: %w", err)
	}
	return newPage("text/html; charset=utf-8", out.Bytes()), nil
})

// static answers with a page that never changes while the server runs. It needs no key: it says what any caller may know.
func (s *Server) static(made func() (page, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p, err := made()
		if err != nil {
			s.fail(w, r, err)
			return
		}
		h := w.Header()
		h.Set("Cache-Control", "public, max-age=3600")
		h.Set("ETag", p.tag)
		h.Set("Content-Type", p.kind)
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'")
		if matches(r.Header.Get("If-None-Match"), p.tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(p.text) // fails only when the caller is gone
	}
}

// docsGroup is the routes under one first segment.
type docsGroup struct {
	Name   string
	Routes []docsRoute
}

type docsRoute struct {
	Method, Path string
	*openapi.Operation
}

type docsType struct {
	Name   string
	Schema *jsonschema.Schema
}

func pageOf(doc *openapi.Document) (any, error) {
	var guide bytes.Buffer
	if err := goldmark.Convert([]byte(doc.Info.Description), &guide); err != nil {
		return nil, fmt.Errorf("server: write the guide: %w", err)
	}
	groups := map[string][]docsRoute{}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			if o := doc.Paths[path][method]; o != nil {
				groups[o.Tags[0]] = append(groups[o.Tags[0]], docsRoute{strings.ToUpper(method), path, o})
			}
		}
	}
	var list []docsGroup
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		list = append(list, docsGroup{name, groups[name]})
	}
	var types []docsType
	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		types = append(types, docsType{name, doc.Components.Schemas[name]})
	}
	return struct {
		*openapi.Document
		Guide  template.HTML
		Groups []docsGroup
		Types  []docsType
	}{doc, template.HTML(guide.String()), list, types}, nil
}

const schemaPrefix = "#/components/schemas/"

// kindOf says in words what a schema allows.
func kindOf(s *jsonschema.Schema) string {
	switch {
	case s == nil:
		return ""
	case s.Ref != "":
		return strings.TrimPrefix(s.Ref, schemaPrefix)
	case len(s.AllOf) == 1:
		return kindOf(s.AllOf[0])
	case len(s.AnyOf) > 0:
		words := make([]string, len(s.AnyOf))
		for i, one := range s.AnyOf {
			words[i] = kindOf(one)
		}
		return strings.Join(words, " or ")
	case len(s.Enum) > 0:
		return strings.Trim(fmt.Sprint(s.Enum), "[]")
	case s.Type == "array":
		return "list of " + kindOf(s.Items)
	case s.Type == "object" && s.Properties["data"] != nil:
		return kindOf(s.Properties["data"])
	case s.Type == "object" && s.AdditionalProperties != nil:
		return "map of " + kindOf(s.AdditionalProperties)
	case len(s.Types) > 0:
		return strings.Join(s.Types, " or ")
	case s.Type == "":
		return "anything"
	case s.Format != "":
		return s.Type + ", " + s.Format
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf("%s, %.0f to %.0f", s.Type, *s.Minimum, *s.Maximum)
	default:
		return s.Type
	}
}

// refsOf names the components that a schema speaks of directly, for the page's links.
func refsOf(s *jsonschema.Schema) []string {
	if s == nil {
		return nil
	}
	if s.Ref != "" {
		return []string{strings.TrimPrefix(s.Ref, schemaPrefix)}
	}
	var out []string
	for _, one := range append(append([]*jsonschema.Schema{s.Items, s.AdditionalProperties, s.Properties["data"]}, s.AllOf...), s.AnyOf...) {
		out = append(out, refsOf(one)...)
	}
	return out
}

func needs(s *jsonschema.Schema, name string) bool { return slices.Contains(s.Required, name) }
