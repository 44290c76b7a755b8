package api

import (
	"net/http"

	"wiki/core/wiki"
)

// statuses maps each code to its one HTTP status. Server and client share it, so that an error crosses the wire and comes
// back as the same code.
var statuses = map[wiki.Code]int{
	wiki.CodeInternal:         http.StatusInternalServerError,
	wiki.CodeInvalid:          http.StatusUnprocessableEntity,
	wiki.CodeInvalidParameter: http.StatusBadRequest,
	wiki.CodeUnknownField:     http.StatusUnprocessableEntity,
	wiki.CodeMalformed:        http.StatusBadRequest,
	wiki.CodeMediaType:        http.StatusUnsupportedMediaType,
	wiki.CodeMethodNotAllowed: http.StatusMethodNotAllowed,
	wiki.CodeRequestTimeout:   http.StatusRequestTimeout,
	wiki.CodeNotFound:         http.StatusNotFound,
	wiki.CodeKeyMissing:       http.StatusUnauthorized,
	wiki.CodeUnauthorized:     http.StatusUnauthorized,
	wiki.CodeKeyExpired:       http.StatusUnauthorized,
	wiki.CodeForbidden:        http.StatusForbidden,
	wiki.CodeTenantSuspended:  http.StatusForbidden,
	wiki.CodeParentExpired:    http.StatusForbidden,
	wiki.CodeSystemScope:      http.StatusForbidden,
	wiki.CodeTitleConflict:    http.StatusConflict,
	wiki.CodeTransition:       http.StatusUnprocessableEntity,
	wiki.CodeVersionMismatch:  http.StatusPreconditionFailed,
	wiki.CodeGateUnavailable:  http.StatusServiceUnavailable,
	wiki.CodeSelfAsserted:     http.StatusConflict,
	wiki.CodeAlreadyExecuted:  http.StatusConflict,
	wiki.CodeClaimed:          http.StatusConflict,
	wiki.CodeStale:            http.StatusConflict,
	wiki.CodeSemanticDown:     http.StatusServiceUnavailable,
	wiki.CodeOverloaded:       http.StatusTooManyRequests,
	wiki.CodeTimeout:          http.StatusGatewayTimeout,
	wiki.CodeRateLimited:      http.StatusTooManyRequests,
	wiki.CodeTooLarge:         http.StatusRequestEntityTooLarge,
	wiki.CodeKeyReused:        http.StatusUnprocessableEntity,
	wiki.CodeReservedTag:      http.StatusUnprocessableEntity,
	wiki.CodeConfirmRemoved:   http.StatusBadRequest,
	wiki.CodeDryRunRequired:   http.StatusBadRequest,
	wiki.CodeTokenUnknown:     http.StatusUnprocessableEntity,
	wiki.CodeTokenExpired:     http.StatusGone,
	wiki.CodeTokenSpent:       http.StatusConflict,
	wiki.CodeTokenOp:          http.StatusUnprocessableEntity,
	wiki.CodeTokenSelector:    http.StatusUnprocessableEntity,
	wiki.CodeSetChanged:       http.StatusConflict,
	wiki.CodeSelfApproval:     http.StatusConflict,
	wiki.CodeProposalSettled:  http.StatusConflict,
	wiki.CodeProposalExpired:  http.StatusGone,
	wiki.CodeDeleted:          http.StatusGone,
	wiki.CodeStorageFull:      http.StatusInsufficientStorage,
	wiki.CodeUnavailable:      http.StatusServiceUnavailable,
}

// fallbacks names the code for an answer whose body is not ours, such as a proxy's page.
var fallbacks = map[int]wiki.Code{
	http.StatusBadRequest:            wiki.CodeMalformed,
	http.StatusUnauthorized:          wiki.CodeUnauthorized,
	http.StatusForbidden:             wiki.CodeForbidden,
	http.StatusNotFound:              wiki.CodeNotFound,
	http.StatusMethodNotAllowed:      wiki.CodeMethodNotAllowed,
	http.StatusRequestTimeout:        wiki.CodeRequestTimeout,
	http.StatusConflict:              wiki.CodeStale,
	http.StatusPreconditionFailed:    wiki.CodeVersionMismatch,
	http.StatusRequestEntityTooLarge: wiki.CodeTooLarge,
	http.StatusUnsupportedMediaType:  wiki.CodeMediaType,
	http.StatusUnprocessableEntity:   wiki.CodeInvalid,
	http.StatusTooManyRequests:       wiki.CodeRateLimited,
	http.StatusBadGateway:            wiki.CodeUnavailable,
	http.StatusServiceUnavailable:    wiki.CodeUnavailable,
	http.StatusGatewayTimeout:        wiki.CodeUnavailable,
	http.StatusInsufficientStorage:   wiki.CodeStorageFull,
}

// Status gives the HTTP status of a code; a code that is not in the table is a fault of ours, 500.
func Status(code wiki.Code) int {
	if s, ok := statuses[code]; ok {
		return s
	}
	return http.StatusInternalServerError
}

// FallbackCode gives the code for an HTTP status that came without a coded body.
func FallbackCode(status int) wiki.Code {
	if c, ok := fallbacks[status]; ok {
		return c
	}
	return wiki.CodeInternal
}

// Discovery says what is where on a server, to a program that knows only its address.
type Discovery struct {
	Name           string `json:"name"`
	Version        string `json:"version"` // of the program
	APIVersion     string `json:"api_version"`
	API            string `json:"api"`     // where the routes begin
	MCP            string `json:"mcp"`     // the same as tools, over streamable HTTP
	OpenAPI        string `json:"openapi"` // the routes, for programs
	Docs           string `json:"docs"`    // the same, for people
	Health         string `json:"health"`
	Whoami         string `json:"whoami"` // what a key is
	Events         string `json:"events"` // server-sent
	Authentication string `json:"authentication"`
	Guide          string `json:"guide"` // how an agent works with the wiki, Markdown
}
