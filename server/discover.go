package server

import (
	"wiki/server/api"
	"wiki/server/mcp"
)

// discoveryPath is where a program that knows only the server's address begins (RFC 8615).
const discoveryPath = "/.well-known/wiki"

// discover says what is where. Paths are relative to the address that the caller reached the server by, which the server
// behind a proxy does not know.
func (s *Server) discover(*request) (*answer, error) {
	return ok(api.Discovery{
		Name: "wiki", Version: s.settings.Version, APIVersion: api.Version, API: apiPrefix, MCP: mcp.Path, OpenAPI: openapiPath, Docs: docsPath, Health: "/health",
		Whoami: apiPrefix + "/whoami", Events: apiPrefix + "/events", Authentication: "Authorization: Bearer wk_...",
		Guide: mcp.Guide(),
	}), nil
}
