package server

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"wiki/core/wiki"
)

const (
	// DefaultBodyLimit bounds a request's body, bytes.
	DefaultBodyLimit = 1 << 20
	// ArticleBodyLimit is the bound where an article's text is sent: 500,000 bytes of body, JSON-escaped, and the rest.
	ArticleBodyLimit = 2 << 20
	// maxJSONDepth bounds nesting: metadata has no use for more, and deeper input only costs.
	maxJSONDepth = 64
)

// decode reads the body into v: one JSON object, strictly. Duplicate names, invalid UTF-8, lone surrogates, what follows the
// object and names that the call does not know are refused; those that mean nothing are left aside (see ignored).
// Errors: CodeMediaType, CodeTooLarge, CodeRequestTimeout, CodeMalformed; CodeUnknownField and CodeInvalid with the field's
// name.
func decode[T any](q *request) (T, error) {
	var v T
	raw, err := readJSON(q)
	if err != nil {
		return v, err
	}
	return v, decodeJSON(raw, &v)
}

// readJSON takes a body that must be there.
func readJSON(q *request) ([]byte, error) {
	if err := checkMediaType(q.Header); err != nil {
		return nil, err
	}
	return readBody(q)
}

// decodeOptional is decode for a body that may be absent altogether.
func decodeOptional[T any](q *request) (T, error) {
	var v T
	raw, err := readBody(q)
	if err != nil || len(bytes.TrimSpace(raw)) == 0 {
		return v, err
	}
	if err := checkMediaType(q.Header); err != nil {
		return v, err
	}
	return v, decodeJSON(raw, &v)
}

// compressed are the content codings that clients send (RFC 9110 §8.4.1). None is taken: a bound on the body would not
// bound what comes out of it.
var compressed = []string{"gzip", "x-gzip", "deflate", "compress", "br", "zstd"}

func checkMediaType(h http.Header) error {
	for coding := range strings.SplitSeq(strings.Join(h.Values("Content-Encoding"), ","), ",") {
		if slices.Contains(compressed, strings.ToLower(strings.TrimSpace(coding))) {
			e := wiki.Errorf(wiki.CodeMediaType, "the body must not be compressed")
			e.Field, e.Remedy = "Content-Encoding", "send the JSON as it is, without Content-Encoding"
			return e
		}
	}
	kind, param, err := mime.ParseMediaType(h.Get("Content-Type"))
	charset := strings.ToLower(param["charset"])
	if err == nil && kind == "application/json" && (charset == "" || charset == "utf-8") {
		return nil
	}
	e := wiki.Errorf(wiki.CodeMediaType, "the body must be JSON in UTF-8")
	e.Field, e.Remedy = "Content-Type", "send Content-Type: application/json"
	return e
}

// readBody takes the whole body within its limits of size and time.
func readBody(q *request) ([]byte, error) {
	rc := http.NewResponseController(q.w)
	// A writer without deadlines (a recorder in a test) cannot be slow either.
	_ = rc.SetReadDeadline(time.Now().Add(q.wait))
	raw, err := io.ReadAll(http.MaxBytesReader(q.w, q.Body, q.limit))
	if err == nil {
		_ = rc.SetReadDeadline(time.Time{})
		return raw, nil
	}
	// The deadline stays: net/http reads what is left of a body before it answers, and must not wait for it either.
	q.w.Header().Set("Connection", "close")
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, wiki.Errorf(wiki.CodeTooLarge, "the body may have at most %d bytes", tooLarge.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, wiki.Errorf(wiki.CodeRequestTimeout, "the body did not arrive within %s", q.wait)
	default:
		return nil, &wiki.Error{Code: wiki.CodeMalformed, Message: "the body broke off", Err: err}
	}
}

// decodeJSON parses one object; the first field at fault is the error.
func decodeJSON(raw []byte, v any) error {
	list, err := members(raw, v)
	for _, m := range list {
		if err == nil {
			err = m.decode(v)
		}
	}
	return err
}

// checkShape walks the tokens once: syntax, duplicate names, UTF-8, depth, and one object alone.
func checkShape(raw []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	if d.PeekKind() != jsontext.KindBeginObject {
		if _, err := d.ReadToken(); err != nil && !errors.Is(err, io.EOF) {
			return malformed(err)
		}
		return wiki.Errorf(wiki.CodeMalformed, "the body must be one JSON object")
	}
	for {
		_, err := d.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return malformed(err)
		case d.StackDepth() > maxJSONDepth:
			e := wiki.Errorf(wiki.CodeMalformed, "the body is nested more than %d deep", maxJSONDepth)
			e.Field = pointerField(d.StackPointer())
			return e
		case d.StackDepth() == 0:
			if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
				return wiki.Errorf(wiki.CodeMalformed, "something follows the JSON object")
			}
			return nil
		}
	}
}
