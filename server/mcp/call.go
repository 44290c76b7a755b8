package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	strict "github.com/go-json-experiment/json"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiki/core/wiki"
	"wiki/server/api"
)

const (
	apiPrefix = "/api/v1"
	// maxAnswerBytes bounds what one answer may bring into memory: a page of articles with bodies is about 5 MB.
	maxAnswerBytes = 64 << 20
)

// handler answers the tool's calls. What goes wrong with a call is a result that says so, which the model reads; a protocol
// error would stay with its client.
func (t tool) handler(routes http.RoundTripper) sdk.ToolHandler {
	return func(ctx context.Context, call *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		req, err := t.request(ctx, call.Params.Arguments)
		if err != nil {
			return failed(err), nil
		}
		status, body, err := send(routes, req)
		if err != nil {
			return failed(err), nil
		}
		if len(body) == 0 {
			body = []byte(`{"data":null}`)
		}
		return &sdk.CallToolResult{Content: text(string(body)), IsError: status >= http.StatusBadRequest}, nil
	}
}

func text(s string) []sdk.Content { return []sdk.Content{&sdk.TextContent{Text: s}} }

// failed is a result in the form of the API's own errors.
func failed(err error) *sdk.CallToolResult {
	out := api.Error{Code: string(wiki.ErrorCode(err)), Message: err.Error(), Status: api.Status(wiki.ErrorCode(err))}
	var e *wiki.Error
	if errors.As(err, &e) {
		out.Message, out.Field, out.Remediation = e.Message, e.Field, e.Remedy
	}
	raw, _ := json.Marshal(api.Failure{Error: out}) // strings and a number
	return &sdk.CallToolResult{Content: text(string(raw)), IsError: true}
}

// send makes the call and takes the whole answer. The error is CodeUnavailable when none came.
func send(routes http.RoundTripper, req *http.Request) (int, []byte, error) {
	resp, err := routes.RoundTrip(req)
	if err != nil {
		return 0, nil, &wiki.Error{Code: wiki.CodeUnavailable, Message: "the server gave no answer", Remedy: "try again", Err: err}
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	if err != nil {
		return 0, nil, &wiki.Error{Code: wiki.CodeUnavailable, Message: "the server's answer broke off", Remedy: "try again", Err: err}
	}
	if len(body) > maxAnswerBytes {
		return 0, nil, wiki.Errorf(wiki.CodeTooLarge, "the answer is over %d bytes: ask for less at a time", maxAnswerBytes)
	}
	return resp.StatusCode, bytes.TrimSpace(body), nil
}

// request is the route's request for the tool's arguments. A null argument is an absent one. The error is
// CodeInvalidParameter with the argument's name.
func (t tool) request(ctx context.Context, raw json.RawMessage) (*http.Request, error) {
	args, err := t.arguments(raw)
	if err != nil {
		return nil, err
	}
	path, err := t.fill(args)
	if err != nil {
		return nil, err
	}
	target, body := apiPrefix+path, io.Reader(nil)
	switch {
	case t.method == http.MethodGet:
		query, err := queryOf(args)
		if err != nil {
			return nil, err
		}
		target = withQuery(target, query)
	case len(args) > 0:
		sent, err := json.Marshal(args)
		if err != nil {
			return nil, fmt.Errorf("mcp: write the body of %s: %w", t.name, err)
		}
		body = bytes.NewReader(sent)
	}
	req, err := http.NewRequestWithContext(ctx, t.method, target, body)
	if err != nil {
		return nil, fmt.Errorf("mcp: make the request of %s: %w", t.name, err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// arguments reads what was sent, against the tool's own list: a wish that is silently dropped is worse than an error.
func (t tool) arguments(raw json.RawMessage) (map[string]json.RawMessage, error) {
	args := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(raw)) > 0 {
		if err := strict.Unmarshal(raw, &args); err != nil { // refuses a name that comes twice and text that is no UTF-8
			return nil, badArgument("arguments", "must be one JSON object in UTF-8, each name once")
		}
	}
	maps.DeleteFunc(args, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if _, known := t.takes.Properties[name]; !known {
			e := badArgument(name, "is no argument of %s", t.name)
			e.Remedy = t.argumentList()
			return nil, e
		}
	}
	for _, name := range t.takes.Required {
		if _, there := args[name]; !there {
			e := badArgument(name, "is missing")
			e.Remedy = t.argumentList()
			return nil, e
		}
	}
	return args, nil
}

func (t tool) argumentList() string {
	names := slices.Sorted(maps.Keys(t.takes.Properties))
	if len(names) == 0 {
		return t.name + " takes no arguments"
	}
	return t.name + " takes " + strings.Join(names, ", ")
}

func badArgument(name, format string, args ...any) *wiki.Error {
	e := wiki.Invalid(name, name+" "+format, args...)
	e.Code = wiki.CodeInvalidParameter
	return e
}

// fill puts the arguments that the path names into it, and takes them out of args.
func (t tool) fill(args map[string]json.RawMessage) (string, error) {
	segments := strings.Split(t.path, "/")
	for i, s := range segments {
		if !strings.HasPrefix(s, "{") {
			continue
		}
		name := strings.Trim(s, "{}")
		value, err := word(name, args[name])
		if err != nil {
			return "", err
		}
		if strings.Trim(value, ".") == "" {
			return "", badArgument(name, "must be an id")
		}
		segments[i] = url.PathEscape(value)
		delete(args, name)
	}
	return strings.Join(segments, "/"), nil
}

// withQuery adds a query to a target that may have one.
func withQuery(target string, query url.Values) string {
	if len(query) == 0 {
		return target
	}
	separator := "?"
	if strings.Contains(target, separator) {
		separator = "&"
	}
	return target + separator + query.Encode()
}

// queryOf writes arguments as a query string: a list is its words with commas between them.
func queryOf(args map[string]json.RawMessage) (url.Values, error) {
	out := url.Values{}
	for name, raw := range args {
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			list = []json.RawMessage{raw}
		}
		words := make([]string, len(list))
		for i, one := range list {
			w, err := word(name, one)
			if err != nil {
				return nil, err
			}
			words[i] = w
		}
		out.Set(name, strings.Join(words, ","))
	}
	return out, nil
}

// word is a value as it stands in a path or a query: a string's text, a number or a truth value as written.
func word(name string, raw json.RawMessage) (string, error) {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, nil
	}
	if len(raw) > 0 && strings.ContainsRune(`{["`, rune(raw[0])) || string(raw) == "null" {
		return "", badArgument(name, "must be a text, a number or true or false")
	}
	return string(raw), nil
}
