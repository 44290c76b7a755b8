package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiki/server/api"
)

const (
	guideURI      = "wiki://guide"
	articlePrefix = "wiki://articles/"
	markdown      = "text/markdown"
)

// addResources offers the guide, and every article that the key may see as Markdown.
func addResources(s *sdk.Server, routes http.RoundTripper) {
	s.AddResource(&sdk.Resource{URI: guideURI, Name: "guide", Title: "How to use this wiki", MIMEType: markdown},
		func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return page(guideURI, guide), nil
		})
	s.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: articlePrefix + "{article_id}", Name: "article", Title: "An article by its id", MIMEType: markdown,
	}, func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return readArticle(ctx, routes, r.Params.URI)
	})
}

func page(uri, text string) *sdk.ReadResourceResult {
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: markdown, Text: text}}}
}

// readArticle gives an article's title and body. One that the key may not see is not found, as one that does not exist.
func readArticle(ctx context.Context, routes http.RoundTripper, uri string) (*sdk.ReadResourceResult, error) {
	id, err := json.Marshal(strings.TrimPrefix(uri, articlePrefix))
	if err != nil {
		return nil, sdk.ResourceNotFoundError(uri)
	}
	get := tool{name: "article", method: http.MethodGet, path: "/articles/{article_id}", takes: takes[articleArgs]()}
	req, err := get.request(ctx, json.RawMessage(`{"article_id":`+string(id)+`}`))
	if err != nil {
		return nil, sdk.ResourceNotFoundError(uri)
	}
	status, body, err := send(routes, req)
	switch {
	case err != nil:
		return nil, err
	case status == http.StatusNotFound:
		return nil, sdk.ResourceNotFoundError(uri)
	case status != http.StatusOK:
		return nil, fmt.Errorf("the article could not be read: %s", body)
	}
	var found api.Envelope[api.Article]
	if err := json.Unmarshal(body, &found); err != nil {
		return nil, fmt.Errorf("mcp: read the article: %w", err)
	}
	a := found.Data
	var text strings.Builder
	fmt.Fprintf(&text, "# %s\n\n", a.Title)
	if a.Body != nil {
		text.WriteString(*a.Body)
	}
	return page(uri, text.String()), nil
}
