package mcp

import (
	"net/http"
	"net/url"
	"time"

	"wiki/server/api"
)

// callTimeout bounds one call to a server, its answer included.
const callTimeout = 60 * time.Second

// remote makes a tool's calls on a server, with a key.
type remote struct {
	base *url.URL
	key  string
}

// Remote answers a tool's calls from the server at base.
func Remote(base *url.URL, key string) http.RoundTripper { return remote{base, key} }

func (m remote) RoundTrip(r *http.Request) (*http.Response, error) {
	target := m.base.JoinPath(r.URL.EscapedPath())
	target.RawQuery = r.URL.RawQuery
	out, err := http.NewRequestWithContext(r.Context(), r.Method, target.String(), r.Body)
	if err != nil {
		return nil, err
	}
	out.ContentLength = r.ContentLength
	out.Header = r.Header.Clone()
	out.Header.Set("Authorization", "Bearer "+m.key)
	out.Header.Set(api.HeaderVersion, api.Version)
	return (&http.Client{Timeout: callTimeout}).Do(out)
}
