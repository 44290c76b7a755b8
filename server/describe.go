package server

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/server/mcp"
	"wiki/server/openapi"
)

const bearerScheme = "key"

// description is the API in OpenAPI 3.1, made once from the table of routes, the operations and the wire types.
var description = sync.OnceValues(func() (*openapi.Document, error) {
	comments, err := openapi.ReadComments(api.Source)
	if err != nil {
		return nil, err
	}
	doc, schemas := openapi.New(openapi.Info{Title: "The wiki", Version: api.Version, Description: mcp.Guide()}, comments)
	doc.Security = []map[string][]string{{bearerScheme: {}}}
	doc.Components.SecuritySchemes[bearerScheme] = openapi.SecurityScheme{Type: "http", Scheme: "bearer", Description: "A key, wk_ and 40 characters."}
	doc.Components.Responses["Failure"] = &openapi.Response{
		Description: "Refused, or failed. error.code is stable; error.remediation says what to do.", Content: openapi.JSON(schemas.Of(api.Failure{})),
	}
	for _, r := range table() {
		o, described := operations[r.method+" "+r.path]
		if !described {
			return nil, fmt.Errorf("server: %s %s is not described", r.method, r.path)
		}
		add(doc, apiPrefix+r.path, r.method, o.describe(schemas, r))
	}
	for path, o := range map[string]operation{
		healthPath:    {does: "Whether the process answers", data: api.Health{}},
		readyPath:     {does: "Whether the server can do its work", data: api.Health{}},
		discoveryPath: {does: "What is where", data: api.Discovery{}},
	} {
		d := o.describe(schemas, route{method: get, path: path})
		d.Security = []map[string][]string{{}}
		add(doc, path, get, d)
	}
	return doc, nil
})

func add(doc *openapi.Document, path, method string, o *openapi.Operation) {
	if doc.Paths[path] == nil {
		doc.Paths[path] = map[string]*openapi.Operation{}
	}
	doc.Paths[path][strings.ToLower(method)] = o
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// describe makes the description of a route.
func (o operation) describe(schemas *openapi.Schemas, r route) *openapi.Operation {
	d := &openapi.Operation{
		ID: operationID(r), Tags: []string{groupOf(r.path)}, Summary: o.does,
		Responses: map[string]*openapi.Response{"default": {Ref: "#/components/responses/Failure"}},
	}
	if r.least > wiki.RoleNone {
		d.Description = "Least role: " + r.least.String() + "."
	}
	for _, m := range placeholder.FindAllStringSubmatch(r.path, -1) {
		kind := &jsonschema.Schema{Type: "string"}
		if m[1] == "n" {
			kind = &jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(1.0)}
		}
		d.Parameters = append(d.Parameters, openapi.Parameter{Name: m[1], In: "path", Required: true, Schema: kind})
	}
	for _, p := range o.query {
		d.Parameters = append(d.Parameters, p.describe())
	}
	if r.method != get {
		d.Parameters = append(d.Parameters, openapi.Parameter{
			Name: api.HeaderIdempotencyKey, In: "header", Description: "Names the act, so that it is done once however often it is sent.", Schema: &jsonschema.Schema{Type: "string"},
		})
	}
	if o.body != nil {
		_, optional := o.body.(api.Reason)
		d.RequestBody = &openapi.RequestBody{Required: !optional, Content: openapi.JSON(schemas.Of(o.body))}
	}
	for status, answer := range o.answers(schemas) {
		d.Responses[strconv.Itoa(status)] = answer
	}
	return d
}

// groupOf is the heading that a route stands under.
func groupOf(path string) string {
	words := strings.Split(strings.Trim(path, "/"), "/")
	if words[0] != "knowledge" {
		return strings.TrimPrefix(words[0], ".")
	}
	switch word := strings.Split(words[1], "-")[0]; word {
	case "conflicts", "drift", "bulk":
		return word
	}
	return words[0]
}

// operationID is a name for programs: the method and the path's words.
func operationID(r route) string {
	words := strings.FieldsFunc(r.path, func(c rune) bool { return strings.ContainsRune("/{}_-.", c) })
	return strings.ToLower(r.method) + "_" + strings.Join(words, "_")
}

func (o operation) answers(schemas *openapi.Schemas) map[int]*openapi.Response {
	switch {
	case o.data == nil:
		return map[int]*openapi.Response{http.StatusNoContent: {Description: "Done."}}
	case o.plain != "":
		return map[int]*openapi.Response{http.StatusOK: {Description: o.does + ".", Content: map[string]openapi.Media{o.plain: {Schema: schemas.Of(o.data)}}}}
	}
	envelope := &jsonschema.Schema{
		Type: "object", Required: []string{"data"}, PropertyOrder: []string{"data", "meta"},
		Properties: map[string]*jsonschema.Schema{"data": o.dataSchema(schemas), "meta": schemas.Of(api.Meta{})},
	}
	answers := map[int]*openapi.Response{http.StatusOK: {Description: o.does + ".", Content: openapi.JSON(envelope)}}
	if o.also != 0 {
		answers[o.also] = &openapi.Response{Description: http.StatusText(o.also) + ".", Content: openapi.JSON(envelope)}
	}
	return answers
}

func (o operation) dataSchema(schemas *openapi.Schemas) *jsonschema.Schema {
	several, ok := o.data.(oneOf)
	if !ok {
		return schemas.Of(o.data)
	}
	s := &jsonschema.Schema{}
	for _, v := range several {
		s.AnyOf = append(s.AnyOf, schemas.Of(v))
	}
	return s
}

func (p parameter) describe() openapi.Parameter {
	out := openapi.Parameter{Name: p.name, In: "query", Description: p.about}
	switch p.kind {
	case "number":
		out.Schema = &jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(float64(p.least)), Maximum: jsonschema.Ptr(float64(p.most))}
	case "fraction":
		out.Schema = &jsonschema.Schema{Type: "number", Minimum: jsonschema.Ptr(0.0), Maximum: jsonschema.Ptr(1.0)}
	case "flag":
		out.Schema = &jsonschema.Schema{Type: "boolean"}
	case "id":
		out.Schema = &jsonschema.Schema{Type: "string", Format: "uuid"}
	case "day":
		out.Schema = &jsonschema.Schema{Type: "string", Format: "date"}
	case "list":
		apart := false
		out.Schema, out.Style, out.Explode = &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}}, "form", &apart
	case "choice":
		out.Schema = &jsonschema.Schema{Type: "string"}
		for _, word := range p.of {
			if word != "" {
				out.Schema.Enum = append(out.Schema.Enum, word)
			}
		}
	default:
		out.Schema = &jsonschema.Schema{Type: "string"}
	}
	return out
}
