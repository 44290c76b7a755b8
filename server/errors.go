package server

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"wiki/core/wiki"
	"wiki/server/api"
)

// wireError turns any error into what the caller may know. What is not a coded error is a fault of ours: the caller gets
// an error id, the log gets the text.
func wireError(err error) (api.Error, *wiki.Error) {
	var e *wiki.Error
	switch {
	case errors.As(err, &e):
	case errors.Is(err, context.DeadlineExceeded):
		e = &wiki.Error{Code: wiki.CodeTimeout, Message: "the request took too long", Remedy: "narrow it, or try again", Err: err}
	case errors.Is(err, context.Canceled):
		e = &wiki.Error{Code: wiki.CodeUnavailable, Message: "the server is stopping", Remedy: "try again", Err: err}
	default:
		e = &wiki.Error{Code: wiki.CodeInternal, Message: "something went wrong inside the server", Err: err}
	}
	out := api.Error{
		Status: api.Status(e.Code), Code: string(e.Code), Message: e.Message, Field: e.Field,
		Details: e.Details, Remediation: e.Remedy,
	}
	if out.Status == http.StatusInternalServerError {
		out.Code = string(wiki.CodeInternal)
		out.Message, out.Field, out.Details = "something went wrong inside the server", "", nil
		out.Remediation = "report the error id to the operator"
	}
	if e.Code == wiki.CodeInvalid && e.Field != "" && out.Details == nil {
		out.Details = map[string]any{e.Field: []string{e.Message}} // field -> list, as clients of the upstream API read it
	}
	if out.Status >= http.StatusInternalServerError {
		out.ErrorID = uuid.NewString()
	}
	return out, e
}

// fail answers with an error and logs it where the log is its place.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	out, e := wireError(err)
	if r.Context().Err() != nil && errors.Is(r.Context().Err(), context.Canceled) && out.Status >= http.StatusInternalServerError {
		return // the caller is gone: nobody reads the answer, and nothing of ours failed
	}
	noteCode(r.Context(), out.Code)
	if out.Status >= http.StatusInternalServerError {
		level := slog.LevelWarn
		if out.Status == http.StatusInternalServerError {
			level = slog.LevelError
		}
		s.log.LogAttrs(r.Context(), level, "request failed",
			slog.String("request_id", requestID(r.Context())), slog.String("error_id", out.ErrorID),
			slog.String("code", out.Code), slog.String("route", routePattern(r)), slog.Any("error", err))
	}
	h := w.Header()
	h.Del("ETag")
	switch out.Status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="wiki"`)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		setRetryAfter(h, e)
	}
	writeJSON(w, out.Status, api.Failure{Error: out})
}

// defaultRetry is what a shed or unavailable caller is told when the core named no time, seconds.
const defaultRetry = 1

func setRetryAfter(h http.Header, e *wiki.Error) {
	if h.Get("Retry-After") != "" {
		return
	}
	seconds := int(math.Ceil(e.RetryAfter.Seconds()))
	h.Set("Retry-After", strconv.Itoa(max(seconds, defaultRetry)))
}
