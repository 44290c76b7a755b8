package openapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/google/uuid"
)

// Schemas makes schemas of Go types as encoding/json writes them. A named struct becomes a component and is referred to; a
// field is required unless it says omitempty, and may be null only where it is a pointer that is always written.
type Schemas struct {
	components map[string]*jsonschema.Schema
	comments   Comments
	types      map[string]reflect.Type // what each component was made from
}

// byType are the types that write themselves.
var byType = map[reflect.Type]func() *jsonschema.Schema{
	reflect.TypeFor[uuid.UUID](): func() *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Format: "uuid"} },
	reflect.TypeFor[uuid.NullUUID](): func() *jsonschema.Schema {
		return &jsonschema.Schema{Types: []string{"string", "null"}, Format: "uuid"}
	},
	reflect.TypeFor[time.Time]():       func() *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Format: "date-time"} },
	reflect.TypeFor[json.RawMessage](): func() *jsonschema.Schema { return &jsonschema.Schema{} },
}

// Of gives a value's schema. It panics on a type that JSON cannot hold: the types are the program's own.
func (s *Schemas) Of(v any) *jsonschema.Schema { return s.of(reflect.TypeOf(v)) }

func (s *Schemas) of(t reflect.Type) *jsonschema.Schema {
	if t == nil {
		return &jsonschema.Schema{}
	}
	if f, known := byType[t]; known {
		return f()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return nullable(s.of(t.Elem()))
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Float64:
		return &jsonschema.Schema{Type: "number"}
	case reflect.Interface:
		return &jsonschema.Schema{}
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: s.of(t.Elem())}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: s.of(t.Elem())}
	case reflect.Struct:
		return s.named(t)
	}
	panic(fmt.Sprintf("openapi: %s has no form in JSON", t))
}

// nullable allows null besides what s allows.
func nullable(s *jsonschema.Schema) *jsonschema.Schema {
	switch {
	case s.Ref != "":
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s, {Type: "null"}}}
	case s.Type != "":
		s.Types, s.Type = []string{s.Type, "null"}, ""
	}
	return s
}

// named refers to a struct's component, and makes it when it is met first.
func (s *Schemas) named(t reflect.Type) *jsonschema.Schema {
	name := t.Name()
	ref := &jsonschema.Schema{Ref: "#/components/schemas/" + name}
	if other, made := s.types[name]; made {
		if other != t {
			panic(fmt.Sprintf("openapi: two types are called %s: %s and %s", name, other, t))
		}
		return ref
	}
	s.types[name] = t
	object := &jsonschema.Schema{Type: "object", Description: s.comments.ofType(name), Properties: map[string]*jsonschema.Schema{}}
	s.components[name] = object
	s.fields(t, object)
	return ref
}

// fields adds a struct's fields; those of an embedded one are its own.
func (s *Schemas) fields(t reflect.Type, object *jsonschema.Schema) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			s.fields(f.Type, object)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		object.PropertyOrder = append(object.PropertyOrder, name)
		optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		field := f.Type
		if optional && field.Kind() == reflect.Pointer {
			field = field.Elem() // a nil one is left out
		}
		p := s.of(field)
		if about := s.comments.ofField(t.Name(), f.Name); about != "" {
			if p.Ref != "" {
				p = &jsonschema.Schema{AllOf: []*jsonschema.Schema{p}}
			}
			p.Description = about
		}
		object.Properties[name] = p
		if !optional {
			object.Required = append(object.Required, name)
		}
	}
}
