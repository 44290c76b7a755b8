// Package mcp offers the HTTP API to agents as tools of the Model Context Protocol. A tool is one route: its arguments
// become the route's path, query or body, and its result is the route's answer, so that what a tool may do, and how it says
// no, is decided in one place.
package mcp

import (
	_ "embed"
	"log/slog"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiki/core/wiki"
)

// Path is where the server answers MCP over streamable HTTP.
const Path = "/mcp"

const name = "wiki"

// Guide tells an agent how to work with the wiki, Markdown.
func Guide() string { return guide }

//go:embed guide.md
var guide string

// Config is what a set of tools works with.
type Config struct {
	Routes  http.RoundTripper // answers the calls; adds the server's address and the key
	Role    wiki.Role         // the key's: tools above it are not offered
	Version string            // of the program
	Log     *slog.Logger      // nil = no log
}

// New makes a server for one key: its tools, its resources and the guide to them.
func New(c Config) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: name, Version: c.Version}, &sdk.ServerOptions{
		Instructions: guide, Logger: c.Log,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
	})
	for _, t := range tools() {
		if c.Role >= t.least {
			s.AddTool(t.offered(), t.handler(c.Routes))
		}
	}
	addResources(s, c.Routes)
	return s
}
