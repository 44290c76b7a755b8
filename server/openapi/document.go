// Package openapi describes an HTTP API in OpenAPI 3.1, with schemas made from the wire types themselves: what the server
// encodes is what the document says.
package openapi

import (
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// Document is an OpenAPI description.
type Document struct {
	OpenAPI    string                           `json:"openapi"`
	Info       Info                             `json:"info"`
	Tags       []Tag                            `json:"tags,omitempty"`
	Security   []map[string][]string            `json:"security,omitempty"`
	Paths      map[string]map[string]*Operation `json:"paths"` // by path, then by method in lower case
	Components Components                       `json:"components"`
}

// Info names the API.
type Info struct {
	Title       string `json:"title"`
	Version     string `json:"version"`
	Description string `json:"description,omitempty"`
}

// Tag is a group of operations.
type Tag struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// Components are what operations refer to.
type Components struct {
	Schemas         map[string]*jsonschema.Schema `json:"schemas"`
	Responses       map[string]*Response          `json:"responses,omitempty"`
	SecuritySchemes map[string]SecurityScheme     `json:"securitySchemes,omitempty"`
}

// SecurityScheme says how a caller shows who it is.
type SecurityScheme struct {
	Type        string `json:"type"`
	Scheme      string `json:"scheme,omitempty"`
	Description string `json:"description,omitempty"`
}

// Operation is one method of one path.
type Operation struct {
	ID          string                `json:"operationId"`
	Tags        []string              `json:"tags,omitempty"`
	Summary     string                `json:"summary"`
	Description string                `json:"description,omitempty"`
	Security    []map[string][]string `json:"security,omitempty"`
	Parameters  []Parameter           `json:"parameters,omitempty"`
	RequestBody *RequestBody          `json:"requestBody,omitempty"`
	Responses   map[string]*Response  `json:"responses"` // by status, or default
}

// Parameter is what a call takes outside its body.
type Parameter struct {
	Name        string             `json:"name"`
	In          string             `json:"in"` // path, query or header
	Description string             `json:"description,omitempty"`
	Required    bool               `json:"required,omitempty"`
	Schema      *jsonschema.Schema `json:"schema"`
	Style       string             `json:"style,omitempty"`
	Explode     *bool              `json:"explode,omitempty"`
}

// RequestBody is a call's body.
type RequestBody struct {
	Required bool             `json:"required,omitempty"`
	Content  map[string]Media `json:"content"`
}

// Media is a body of one media type.
type Media struct {
	Schema *jsonschema.Schema `json:"schema"`
}

// Response is an answer, or refers to one.
type Response struct {
	Ref         string           `json:"$ref,omitempty"`
	Description string           `json:"description,omitempty"`
	Content     map[string]Media `json:"content,omitempty"`
}

// JSON is a body in JSON.
func JSON(s *jsonschema.Schema) map[string]Media { return map[string]Media{"application/json": {s}} }

// New makes an empty document. Comments are those of the wire types' fields.
func New(info Info, comments Comments) (*Document, *Schemas) {
	d := &Document{
		OpenAPI: "3.1.0", Info: info, Paths: map[string]map[string]*Operation{},
		Components: Components{Schemas: map[string]*jsonschema.Schema{}, Responses: map[string]*Response{}, SecuritySchemes: map[string]SecurityScheme{}},
	}
	return d, &Schemas{components: d.Components.Schemas, comments: comments, types: map[string]reflect.Type{}}
}
