package server

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"wiki/core/wiki"
)

// ignoredAnywhere are names that clients of the upstream API send and that say nothing here: they are accepted in every
// body and not looked at. Any other name that a call does not know is refused, since a wish that is silently dropped (an
// expiry, a visibility) is worse than an error.
var ignoredAnywhere = []string{
	"tenant_id", "subject_id", // scope comes from the key alone: never obeyed (SPEC §1)
	"story_id",   // attribution to a story, of which there are none here (facts §3.4: dropped silently)
	"project_id", // attribution, where the call itself is about no project
}

// ignoredIn are more such names of single calls, by the body's type.
var ignoredIn = map[string][]string{
	// What a client sends back that reads an article, changes it and writes the whole of it. Upstream shows these and lets no
	// update set them (facts §1.1, §3.4). Newer columns that no request writes (suppressed_at and so on) are refused: who sends
	// one of them means something by it.
	"ArticlePatch": {
		"id", "scope", "source_type", "source_id", "idempotency_key", "inserted_at", "updated_at", "outgoing_links", "incoming_links",
	},
}

// member is one name of a JSON object with its value.
type member struct {
	name  string
	value jsontext.Value
}

// members takes the object apart, in its order, without the names that are ignored in a body of v's type. Errors:
// CodeMalformed, CodeUnknownField.
func members(raw []byte, v any) ([]member, error) {
	if err := checkShape(raw); err != nil {
		return nil, err
	}
	kind := reflect.TypeOf(v).Elem()
	known := fieldNames(kind)
	var list []member
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	_, err := d.ReadToken()
	for err == nil && d.PeekKind() != jsontext.KindEndObject {
		var name jsontext.Token
		if name, err = d.ReadToken(); err != nil {
			break
		}
		m := member{name: name.String()}
		if m.value, err = d.ReadValue(); err != nil {
			break
		}
		m.value = bytes.Clone(m.value)
		switch {
		case slices.Contains(known, m.name):
			list = append(list, m)
		case slices.Contains(ignoredAnywhere, m.name), slices.Contains(ignoredIn[kind.Name()], m.name):
		default:
			return nil, unknownField(m.name, known)
		}
	}
	if err != nil {
		return nil, malformed(err)
	}
	return list, nil
}

// decode sets the member's field of v. Errors: CodeInvalid and CodeUnknownField with the field's name.
func (m member) decode(v any) error {
	name, _ := jsontext.AppendQuote(nil, m.name) // a name that was decoded can be encoded
	object := slices.Concat([]byte{'{'}, name, []byte{':'}, m.value, []byte{'}'})
	err := json.Unmarshal(object, v, json.RejectUnknownMembers(true))
	var wrong *json.SemanticError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && errors.Is(wrong.Err, json.ErrUnknownName):
		return unknownField(pointerField(wrong.JSONPointer), nil)
	}
	return semantic(err)
}

func unknownField(name string, known []string) error {
	e := wiki.Errorf(wiki.CodeUnknownField, "this call does not take %q", clip(name))
	e.Field, e.Remedy = clip(name), "remove it, or correct its spelling"
	if len(known) > 0 {
		e.Remedy += "; the call takes " + strings.Join(known, ", ")
	}
	return e
}

// clip bounds a name that goes back to the caller.
func clip(name string) string {
	if runes := []rune(name); len(runes) > maxWordRunes {
		return string(runes[:maxWordRunes]) + "…"
	}
	return name
}

// fieldNames lists the JSON names of a wire type's fields.
func fieldNames(kind reflect.Type) []string {
	var names []string
	for i := range kind.NumField() {
		name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}
