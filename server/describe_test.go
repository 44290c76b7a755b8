package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/stretchr/testify/require"

	"wiki/server"
	"wiki/server/api"
)

// described checks answers against the description. Every answer of every test of this package goes through it: it wraps
// the handler that start serves.
type described struct {
	paths   map[string]map[string]map[string]*jsonschema.Resolved // by path, method and status
	failure *jsonschema.Resolved
}

var theDescription = sync.OnceValues(func() (*described, error) {
	raw, err := server.Description()
	if err != nil {
		return nil, err
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct{ Schema *jsonschema.Schema }
			}
		}
		Components struct {
			Schemas   map[string]*jsonschema.Schema
			Responses map[string]struct {
				Content map[string]struct{ Schema *jsonschema.Schema }
			}
		}
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	// What the description does not name must not be there: it would be a field that nobody can know of.
	for _, s := range doc.Components.Schemas {
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
	resolve := func(s *jsonschema.Schema) (*jsonschema.Resolved, error) {
		whole := s.CloneSchemas()
		whole.Defs = doc.Components.Schemas
		text, err := json.Marshal(whole)
		if err != nil {
			return nil, err
		}
		text = bytes.ReplaceAll(text, []byte("#/components/schemas/"), []byte("#/$defs/"))
		var self jsonschema.Schema
		if err := json.Unmarshal(text, &self); err != nil {
			return nil, err
		}
		return self.Resolve(nil)
	}
	d := &described{paths: map[string]map[string]map[string]*jsonschema.Resolved{}}
	for path, methods := range doc.Paths {
		d.paths[path] = map[string]map[string]*jsonschema.Resolved{}
		for method, o := range methods {
			d.paths[path][method] = map[string]*jsonschema.Resolved{}
			for status, r := range o.Responses {
				d.paths[path][method][status] = nil
				if m, is := r.Content["application/json"]; is {
					if d.paths[path][method][status], err = resolve(m.Schema); err != nil {
						return nil, fmt.Errorf("%s %s: %w", method, path, err)
					}
				}
			}
		}
	}
	d.failure, err = resolve(doc.Components.Responses["Failure"].Content["application/json"].Schema)
	return d, err
})

// find gives the description of the path that a call went to.
func (d *described) find(path string) (map[string]map[string]*jsonschema.Resolved, bool) {
	var best map[string]map[string]*jsonschema.Resolved
	fewest := len(path)
	for pattern, methods := range d.paths {
		if holes := matchPath(pattern, path); holes >= 0 && holes < fewest {
			best, fewest = methods, holes
		}
	}
	return best, best != nil
}

// matchPath counts the placeholders that a path fills; -1 when it is another path.
func matchPath(pattern, path string) int {
	p, q := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(p) != len(q) {
		return -1
	}
	holes := 0
	for i := range p {
		switch {
		case strings.HasPrefix(p[i], "{"):
			holes++
		case p[i] != q[i]:
			return -1
		}
	}
	return holes
}

// check says what is wrong with an answer; nil when it is as described.
func (d *described) check(r *http.Request, status int, header http.Header, body []byte) error {
	methods, known := d.find(r.URL.Path)
	if !known || status == http.StatusNotModified || !strings.HasPrefix(header.Get("Content-Type"), "application/json") && len(body) > 0 {
		return nil
	}
	method := strings.ToLower(r.Method)
	if r.Method == http.MethodHead {
		return nil
	}
	schema := d.failure
	if status < http.StatusBadRequest {
		var described bool
		if schema, described = methods[method][strconv.Itoa(status)]; !described {
			return fmt.Errorf("%s %s answered %d, which is not described", r.Method, r.URL.Path, status)
		}
	}
	if schema == nil {
		if len(body) > 0 {
			return fmt.Errorf("%s %s answered %d with a body", r.Method, r.URL.Path, status)
		}
		return nil
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return err
	}
	if err := schema.Validate(v); err != nil {
		return fmt.Errorf("%s %s answered %d: %w\n%s", r.Method, r.URL.Path, status, err, body)
	}
	return nil
}

// asDescribed serves h and fails the test on an answer that is not as described.
func asDescribed(tb testing.TB, h http.Handler) http.Handler {
	d, err := theDescription()
	require.NoError(tb, err)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") {
			h.ServeHTTP(w, r)
			return
		}
		tee := &teed{ResponseWriter: w, status: http.StatusOK}
		h.ServeHTTP(tee, r)
		if r.Context().Err() != nil {
			return
		}
		if err := d.check(r, tee.status, w.Header(), tee.body.Bytes()); err != nil {
			tb.Error(err)
		}
	})
}

// teed keeps what is written.
type teed struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (t *teed) WriteHeader(status int) { t.status = status; t.ResponseWriter.WriteHeader(status) }
func (t *teed) Write(p []byte) (int, error) {
	t.body.Write(p)
	return t.ResponseWriter.Write(p)
}
func (t *teed) Unwrap() http.ResponseWriter { return t.ResponseWriter }

func TestTheDescriptionIsValidOpenAPI(t *testing.T) {
	t.Parallel()
	raw, err := server.Description()
	require.NoError(t, err)
	doc, err := libopenapi.NewDocument(raw)
	require.NoError(t, err)
	v, errs := validator.NewValidator(doc)
	require.Empty(t, errs)
	valid, faults := v.ValidateDocument()
	for _, f := range faults {
		t.Log(f.Message, f.Reason)
	}
	require.True(t, valid)
}

// The check of answers sees an undescribed field, a missing one and one of another kind.
func TestAnAnswerThatIsNotAsDescribedIsSeen(t *testing.T) {
	t.Parallel()
	d, err := theDescription()
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://x/api/v1/knowledge/count", nil)
	require.NoError(t, err)
	header := http.Header{"Content-Type": {"application/json; charset=utf-8"}}
	require.NoError(t, d.check(r, 200, header, []byte(`{"data":{"count":1}}`)))
	for _, wrong := range []string{`{"data":{"count":"1"}}`, `{"data":{}}`, `{"data":{"count":1,"more":2}}`, `{}`, `{"data":{"count":1},"meta":{"new":1}}`} {
		require.Error(t, d.check(r, 200, header, []byte(wrong)), wrong)
	}
	require.Error(t, d.check(r, 201, header, []byte(`{"data":{"count":1}}`)))
	require.Error(t, d.check(r, 404, header, []byte(`{"error":{"status":404}}`)))
}

// A parameter that is described is read, and refused under its name; one that is read is described.
func TestEveryQueryParameterIsDescribed(t *testing.T) {
	t.Parallel()
	w := start(t)
	a := w.propose(agent, "Lantern oil", "Lanterns burn whale oil.")
	described := server.QueryParameters()
	for _, route := range slices.Sorted(maps.Keys(described)) {
		if surface[route].names == itsOwnCall {
			continue
		}
		call, _ := surface[route].fill(route, "{id}", a.ID.String(), "{other}", a.ID.String())
		path, _, _ := strings.Cut(call, "?")
		for _, name := range described[route] {
			e := w.send(path+"?"+name+"="+strings.Repeat("x+", 30_000), w.keys[user], "").failure(t)
			require.Equal(t, name, e.Field, "%s: %+v", route, e)
		}
	}
	for route, h := range handlers(t) {
		require.ElementsMatch(t, h.params, described[route], "what %s reads, and what is described of it", route)
	}
}

func TestBodiesAreDescribedAsTheyAreRead(t *testing.T) {
	t.Parallel()
	bodies := server.Bodies()
	for route, l := range surface {
		require.Equal(t, l.takes, bodies[route], route)
	}
}

func TestTheDescriptionIsServedToAnybody(t *testing.T) {
	t.Parallel()
	w := start(t)
	raw, err := server.Description()
	require.NoError(t, err)
	r := w.send("GET /openapi.json", "", "")
	require.Equal(t, http.StatusOK, r.StatusCode)
	require.JSONEq(t, string(raw), r.body)
	require.Equal(t, http.StatusNotModified, w.send("GET /openapi.json", "", "", "If-None-Match: "+r.Header.Get("ETag")).StatusCode)
	page := w.send("GET /docs", "", "")
	require.Equal(t, http.StatusOK, page.StatusCode)
	require.Contains(t, page.Header.Get("Content-Type"), "text/html")
	for _, route := range server.Routes() {
		method, path, _ := strings.Cut(route, " ")
		require.Contains(t, page.body, method+" /api/v1"+path)
	}
	var d api.Envelope[api.Discovery]
	require.NoError(t, json.Unmarshal([]byte(w.send("GET /.well-known/wiki", "", "").body), &d))
	require.Equal(t, http.StatusOK, w.send("GET "+d.Data.Docs, "", "").StatusCode)
	require.Equal(t, http.StatusOK, w.send("GET "+d.Data.OpenAPI, "", "").StatusCode)
}
