package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"wiki/server/api"
)

// writeTimeout bounds how long an answer may take to leave.
const writeTimeout = 30 * time.Second

// answer is what a handler gives back. A nil *answer says that the handler wrote the response itself.
type answer struct {
	status int
	data   any
	meta   *api.Meta
	tag    string // the ETag without its quotes, empty = none
}

func ok(data any) *answer      { return &answer{status: http.StatusOK, data: data} }
func created(data any) *answer { return &answer{status: http.StatusCreated, data: data} }
func noContent() *answer       { return &answer{status: http.StatusNoContent} }

func (a *answer) with(meta api.Meta) *answer { a.meta = &meta; return a }
func (a *answer) tagged(tag string) *answer  { a.tag = tag; return a }

// send writes an answer, or 304 when the caller has this version already.
func (s *Server) send(w http.ResponseWriter, r *http.Request, a *answer) {
	if a.tag != "" {
		tag := `"` + a.tag + `"`
		w.Header().Set("ETag", tag)
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			if matches(r.Header.Get("If-None-Match"), tag) {
				w.WriteHeader(http.StatusNotModified)
				return
			}
		}
	}
	if a.status == http.StatusNoContent {
		w.WriteHeader(a.status)
		return
	}
	writeJSON(w, a.status, api.Envelope[any]{Data: a.data, Meta: a.meta})
}

// matches says whether an If-None-Match header names the tag.
func matches(header, tag string) bool {
	for _, t := range strings.Split(header, ",") {
		t = strings.TrimPrefix(strings.TrimSpace(t), "W/")
		if t == tag || t == "*" {
			return true
		}
	}
	return false
}

// writeJSON sends v. HTML characters stay as they are: the answer is JSON, and says so.
func writeJSON(w http.ResponseWriter, status int, v any) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout)) // a recorder has none
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // fails only when the caller is gone
}
