package server

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"wiki/core/wiki"
)

// semantic says which field has a value that it cannot have.
func semantic(err error) error {
	var wrong *json.SemanticError
	if !errors.As(err, &wrong) {
		return malformed(err)
	}
	field := pointerField(wrong.JSONPointer)
	e := wiki.Invalid(field, "%s cannot be %s: %s is wanted", field, found(wrong), wanted(wrong))
	e.Err = err
	return e
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
