package mcp

import (
	"net/http"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiki/core/wiki"
)

// tool is one line of the table: a route, and what an agent must know to call it.
type tool struct {
	name     string
	does     string
	least    wiki.Role // as the route's
	method   string
	path     string             // below /api/v1; {name} is an argument
	takes    *jsonschema.Schema // its arguments
	reads    bool               // changes nothing, whatever its method
	destroys bool               // takes something out of sight
}

// takes makes the schema of a tool's arguments from their struct: field names and what is required from the json tags,
// descriptions from the jsonschema tags.
func takes[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // the structs are constants of this package
	}
	return s
}

// offered is the tool as a client lists it.
func (t tool) offered() *sdk.Tool {
	closed, destroys := false, t.destroys
	return &sdk.Tool{
		Name: t.name, Description: t.does, InputSchema: t.takes,
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: t.readOnly(), DestructiveHint: &destroys, OpenWorldHint: &closed},
	}
}

func (t tool) readOnly() bool { return t.reads || t.method == http.MethodGet }
