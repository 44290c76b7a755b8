package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
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

// decode reads the body into v: one JSON object, strictly. Duplicate names, invalid UTF-8, lone surrogates and what follows
// the object are refused; unknown names are ignored, so a tenant_id or subject_id in a body says nothing (SPEC §1).
// Errors: CodeMediaType, CodeTooLarge, CodeRequestTimeout, CodeMalformed, CodeInvalid with the field's name.
func decode[T any](q *request) (T, error) {
	var v T
	if err := checkMediaType(q.Header.Get("Content-Type")); err != nil {
		return v, err
	}
	raw, err := readBody(q)
	if err != nil {
		return v, err
	}
	return v, decodeJSON(raw, &v)
}

// decodeOptional is decode for a body that may be absent altogether.
func decodeOptional[T any](q *request) (T, error) {
	var v T
	raw, err := readBody(q)
	if err != nil || len(bytes.TrimSpace(raw)) == 0 {
		return v, err
	}
	if err := checkMediaType(q.Header.Get("Content-Type")); err != nil {
		return v, err
	}
	return v, decodeJSON(raw, &v)
}

func checkMediaType(header string) error {
	kind, param, err := mime.ParseMediaType(header)
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

// decodeJSON parses one object.
func decodeJSON(raw []byte, v any) error {
	if err := checkShape(raw); err != nil {
		return err
	}
	err := json.Unmarshal(raw, v)
	if err == nil {
		return nil
	}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		field := pointerField(semantic.JSONPointer)
		e := wiki.Invalid(field, "%s cannot be %s: %s is wanted", field, found(semantic), wanted(semantic))
		e.Err = err
		return e
	}
	return malformed(err)
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

// malformed says what is wrong with the text, and in which field.
func malformed(err error) error {
	e := &wiki.Error{Code: wiki.CodeMalformed, Message: "the body is not well-formed JSON", Err: err}
	var syntactic *jsontext.SyntacticError
	if !errors.As(err, &syntactic) {
		return e
	}
	e.Field = pointerField(syntactic.JSONPointer)
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e.Message = fmt.Sprintf("the name %q stands twice in one object", e.Field)
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Message = "the JSON ends too early"
	case strings.Contains(syntactic.Error(), "UTF-8"), strings.Contains(syntactic.Error(), "surrogate"):
		e.Message = "the body has text that is not valid UTF-8"
	}
	e.Details = map[string]any{"offset": syntactic.ByteOffset}
	return e
}

// pointerField names a field as people do: tags.3 for /tags/3, "body" for the whole.
func pointerField(p jsontext.Pointer) string {
	var parts []string
	for t := range p.Tokens() {
		parts = append(parts, t)
	}
	if len(parts) == 0 {
		return "body"
	}
	return strings.Join(parts, ".")
}

// found names the JSON kind that was sent.
func found(e *json.SemanticError) string {
	switch e.JSONKind {
	case jsontext.KindNull:
		return "null"
	case jsontext.KindTrue, jsontext.KindFalse:
		return "true or false"
	case jsontext.KindString:
		return "this text"
	case jsontext.KindNumber:
		return "this number"
	case jsontext.KindBeginObject:
		return "an object"
	case jsontext.KindBeginArray:
		return "a list"
	default:
		return "this"
	}
}

// wanted names the kind that the field takes.
func wanted(e *json.SemanticError) string {
	if e.GoType == nil {
		return "another kind"
	}
	switch kind := e.GoType.String(); {
	case strings.HasSuffix(kind, "uuid.UUID"):
		return "an id"
	case strings.HasSuffix(kind, "time.Time"):
		return "a time"
	case strings.HasPrefix(kind, "[]"), strings.HasPrefix(kind, "*[]"):
		return "a list"
	case strings.HasSuffix(kind, "string"):
		return "text"
	case strings.HasSuffix(kind, "bool"):
		return "true or false"
	case strings.Contains(kind, "int"), strings.Contains(kind, "float"):
		return "a number in range"
	default:
		return "an object"
	}
}
